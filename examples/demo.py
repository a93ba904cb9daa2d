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

from groundwire import Client, UnavailableError

HERE = Path(__file__).parent
PAGE = HERE.parent / "build" / "demo-report.html"
START_TIMEOUT_S = 300.0

console = Console(highlight=False)


def main() -> int:
    """Start, verify, stop."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        target = f"127.0.0.1:{sock.getsockname()[1]}"
    say(f"Starting the server on {target}; loading the model takes about a minute ...")
    command = [sys.executable, "-m", "groundwire_server.cli.main", "serve", "--listen", target]
    began = time.monotonic()
    with tempfile.NamedTemporaryFile("w+", prefix="groundwire-demo-", suffix=".log") as log:
        environment = {**os.environ, "GROUNDWIRE_METRICS_LISTEN": ""}
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment)  # noqa: S603
        try:
            with Client(target, timeout_s=120) as client:
                client.wait_until_serving(START_TIMEOUT_S)
                say(f"Serving after {time.monotonic() - began:.0f} s.\n")
                verified = verify(target)
        except UnavailableError:
            console.print(
                f"[red]The server did not come up. Its log:[/red]\n{Path(log.name).read_text()}"
            )
            return 1
        finally:
            server.terminate()
            server.wait()
    return 0 if verified else 1


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
        "\np0 is the probability of a claim without the cited evidence, p1 with it. The embedded\n"
        "model is small: docs/calibration.md says how often it is right. A stronger one is\n"
        "named with `groundwire serve --model`."
    )
    say(f"\nThe same as a page:       {PAGE}")
    say("To keep a server running: .venv/bin/groundwire serve")
    return True


def say(text: str) -> None:
    """Print a text as it is, without breaking its lines."""
    console.print(text, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
