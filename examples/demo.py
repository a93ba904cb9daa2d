"""Starts the server on the embedded model, verifies an answer, and prints what it says.

Run it with `make demo`. It takes a free port of this machine and stops the server at the end.
"""

import os
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from groundwire import Client, ErrorReason, UnavailableError

HERE = Path(__file__).parent
PAGE = HERE.parent / "build" / "demo-report.html"
START_TIMEOUT_S = 300.0
LOOK_EVERY_S = 1.0
"""How often the demo looks whether the server still runs, while it loads."""
SHOWN_LINES = 20

console = Console(highlight=False)


def main() -> int:
    """Start, verify, stop."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        target = f"127.0.0.1:{sock.getsockname()[1]}"
    say(f"Starting the server on {target}; loading the model takes about a minute ...")
    command = [sys.executable, "-m", "groundwire_server.cli.main", "serve", "--listen", target]
    with tempfile.NamedTemporaryFile("w+", prefix="groundwire-demo-", suffix=".log") as log:
        environment = {**os.environ, "GROUNDWIRE_METRICS_LISTEN": ""}
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment)  # noqa: S603
        try:
            verified = serves(server, target) and verify(target)
            exit_code = server.poll()
        finally:
            server.terminate()
            server.wait()
        if not verified:
            died = exit_code is not None
            say(f"The server died, exit code {exit_code}." if died else "There is no verdict.")
            lines = Path(log.name).read_text().splitlines()[-SHOWN_LINES:]
            say("The last lines of its log:\n" + "\n".join(lines))
            say("\ndocs/when-it-goes-wrong.md has causes and cures.")
    return 0 if verified else 1


def serves(server: subprocess.Popen[bytes], target: str) -> bool:
    """Wait until the server serves; False where it died, its engine failed, or time is over."""
    began_s = time.monotonic()
    with Client(target) as client:
        while server.poll() is None and time.monotonic() - began_s < START_TIMEOUT_S:
            try:
                client.wait_until_serving(LOOK_EVERY_S)
            except UnavailableError as error:
                if error.reason is ErrorReason.ENGINE_FAILED:
                    break
            else:
                say(f"Serving after {time.monotonic() - began_s:.0f} s.\n")
                return True
    return False


def verify(target: str) -> bool:
    """Check the answer against its sources with the command that a user would give.

    Returns whether there is a verdict on it.
    """
    PAGE.parent.mkdir(exist_ok=True)
    arguments = [
        "verify", "--answer", str(HERE / "answer.txt"), "--sources", str(HERE / "sources"),
        "--html", str(PAGE),
    ]  # fmt: skip
    say(f"groundwire {shlex.join(arguments)}\n")
    # It exits with 1 for an answer that is not grounded, as this one is not, or with 0.
    command = [sys.executable, "-m", "groundwire_server.cli.main", *arguments, "--target", target]
    if subprocess.run(command, check=False).returncode not in (0, 1):  # noqa: S603
        return False
    say(
        "\np1 is the probability of a claim with its sources, p0 without the cited ones. How\n"
        "high p1 has to be comes from the model's calibration. The embedded model is small and\n"
        "errs: docs/calibration.md says how often. `groundwire serve --model` names a stronger one."
    )
    say(f"\nThe same as a page:       {PAGE}")
    say("To keep a server running: .venv/bin/groundwire serve")
    return True


def say(text: str) -> None:
    """Print a text as it is, without breaking its lines."""
    console.print(text, soft_wrap=True, markup=False)


if __name__ == "__main__":
    sys.exit(main())
