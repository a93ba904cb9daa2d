"""A server with output verification in a process of its own, which a test can kill.

    python -m tests.output_process STORE [CLAIM ...]

Prints its target. Its scripted engine believes everything, and never answers for a CLAIM.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from groundwire_server.durable_queue import queue
from tests.scripted import scripted_server


@contextlib.contextmanager
def output_process(store: Path, *stuck: str) -> Iterator[str]:
    """The target of a server; it is killed on leaving, at once and whatever it is doing."""
    command = [sys.executable, "-m", "tests.output_process", str(store), *stuck]
    with subprocess.Popen(
        command, cwd=Path(__file__).resolve().parents[1], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            os.kill(process.pid, signal.SIGKILL)


async def _serve(store: str, *stuck: str) -> None:
    queue.POLL_S = 0.05
    async with scripted_server(
        output_verification_enabled=True, output_verification_store=store
    ) as served:
        served.engine.stuck = set(stuck)
        print(served.running.target, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve(*sys.argv[1:]))
