"""Starts `groundwire serve` on loopback as a user would, in a process of its own."""

import contextlib
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from bench.common import ROOT, BenchError, bare_environment
from groundwire import Client, UnavailableError

START_TIMEOUT_S = 300.0
STOP_TIMEOUT_S = 60.0


@contextlib.contextmanager
def serving(model: str) -> Iterator[str]:
    """A server with the default settings, SERVING; gives its target. Raises BenchError."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        target = f"127.0.0.1:{sock.getsockname()[1]}"
    command = [sys.executable, "-m", "server.cli", "serve", "--model", model]
    command += ["--listen", target, "--metrics-listen", ""]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, env=bare_environment(), cwd=ROOT
        )
        try:
            with Client(target) as client:
                client.wait_until_serving(START_TIMEOUT_S)
            yield target
        except UnavailableError as error:
            log.seek(0)
            text = log.read().decode(errors="replace")
            raise BenchError(f"the server does not serve: {error}\n{text}") from error
        finally:
            _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
