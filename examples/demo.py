"""Starts the server on the embedded model, asks it about a passage, and prints what it says.

Run it with `make demo`. It takes a free port of this machine and stops the server at the end.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from groundwire import BatchResult, Client, ServerInfo, UnavailableError

PASSAGE = Path(__file__).with_name("passage.txt")
CLAIMS = (
    (True, "The Galata Tower was built by the Genoese in 1348."),
    (True, "The tower has nine floors."),
    (True, "A storm took off the tower's roof in 1875."),
    (False, "The Galata Tower was built by the Ottomans in 1453."),
    (False, "The tower is 163 metres high."),
    (False, "The tower has been a hotel since 2020."),
)
START_TIMEOUT_S = 300.0

console = Console(highlight=False)


def main() -> int:
    """Start, ask, print, stop."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        target = f"127.0.0.1:{sock.getsockname()[1]}"
    say(f"Starting the server on {target}; loading the model takes about a minute ...")
    command = [sys.executable, "-m", "server.cli", "serve", "--listen", target]
    began = time.monotonic()
    with tempfile.NamedTemporaryFile("w+", prefix="groundwire-demo-", suffix=".log") as log:
        environment = {**os.environ, "GROUNDWIRE_METRICS_LISTEN": ""}
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment)  # noqa: S603
        try:
            with Client(target, timeout_s=120) as client:
                info = client.wait_until_serving(START_TIMEOUT_S)
                say(f"Serving after {time.monotonic() - began:.0f} s.\n")
                result = client.batch_estimate([c for _, c in CLAIMS], PASSAGE.read_text("utf-8"))
        except UnavailableError:
            console.print(
                f"[red]The server did not come up. Its log:[/red]\n{Path(log.name).read_text()}"
            )
            return 1
        finally:
            server.terminate()
            server.wait()
    show(result, info)
    return 0


def show(result: BatchResult, info: ServerInfo) -> None:
    """Print the passage, the estimates, and how to read them."""
    console.print(PASSAGE.read_text("utf-8").strip(), style="italic")
    table = Table("P(YES)", "label mass", "the passage says", "claim", title="BatchEstimate")
    for (is_true, claim), estimate in zip(CLAIMS, result, strict=True):
        probability = "none" if estimate.probability is None else f"{estimate.probability:.3f}"
        says = "[green]yes[/green]" if is_true else "[red]no[/red]"
        table.add_row(probability, f"{estimate.label_mass:.3f}", says, claim)
    console.print(table)
    say(
        f"{result.model} ({info.dtype}), prompt {result.prompt_version}: "
        f"{result.usage.prompt_tokens} tokens, {result.usage.cached_tokens} from the prefix cache, "
        f"{result.timing.total_s * 1000:.0f} ms in the server."
    )
    say(
        "\nP(YES) is the model's probability that the claim is true given the passage.\n"
        "The embedded model is small and not yet tuned to verify, so true and false claims\n"
        "score alike here; `groundwire doctor` measures that. A stronger model is named with\n"
        "`groundwire serve --model`."
    )
    say("\nTo keep a server running:  .venv/bin/groundwire serve")


def say(text: str) -> None:
    """Print a text as it is, without breaking its lines."""
    console.print(text, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
