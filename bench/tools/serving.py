"""The server that a bench measures: `groundwire serve` on loopback, in a process of its own, or one
that runs already.
"""

import argparse
import contextlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping

import psutil

from bench.tools.common import ROOT, BenchError, bare_environment, say
from groundwire import Client, ServerInfo, UnavailableError
from groundwire_server.config.settings import ServerSettings
from groundwire_verifier.engine.vllm import HEAD_DTYPE

START_TIMEOUT_S = 300.0
STOP_TIMEOUT_S = 60.0
ALIVE_CHECK_S = 5.0
"""How often a server that does not serve yet is seen to be there."""
IMPORTED_FROM = ("server", "verifier", "clients/python")


def add_server_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that say which server to measure: `target`, and `model` for one of our own."""
    parser.add_argument("--target", metavar="HOST:PORT", help="a running server to measure instead")
    parser.add_argument("--model", default=ServerSettings().model, help="the model to serve")


@contextlib.contextmanager
def server_at(target: str | None, model: str, *flags: str) -> Iterator[str]:
    """The target of the running server, or of one that is started here, with these flags."""
    if target is not None:
        yield target
        return
    say(f"starting groundwire serve with {model}")
    with serving(model, *flags) as own:
        yield own


@contextlib.contextmanager
def client_at(target: str | None, model: str, timeout_s: float, *flags: str) -> Iterator[Client]:
    """A client of that server; `timeout_s` is that of a call."""
    with server_at(target, model, *flags) as at, Client(at, timeout_s=timeout_s) as client:
        yield client


def server_in_words(info: ServerInfo, target: str | None) -> str:
    """Which server was measured, in one line."""
    where = "a running server" if target else f"its own server, head {HEAD_DTYPE}"
    return (
        f"{info.model}, {info.dtype}, prompt {info.prompt_version}, "
        f"groundwire {info.server_version}, {where}"
    )


@contextlib.contextmanager
def serving(
    model: str,
    *flags: str,
    environment: Mapping[str, str] | None = None,
    token: str | None = None,
    start_timeout_s: float = START_TIMEOUT_S,
) -> Iterator[str]:
    """A server with the default settings but no result cache, SERVING; gives its target.

    `flags` are those of `groundwire serve`, `environment` what is added to its own. `token` is
    one that it takes, where the flags ask for any. Raises BenchError.
    """
    target = free_address()
    command = [sys.executable, "-m", "groundwire_server.cli.main", "serve", "--model", model]
    command += ["--listen", target, "--metrics-listen", ""]
    # A bench is about reads: one that is remembered would be none.
    command += ["--result-cache-entries", "0", *flags]
    found_first = ":".join(str(ROOT / name) for name in IMPORTED_FROM)
    own = {**bare_environment(), "PYTHONPATH": found_first, **(environment or {})}
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=own, cwd=ROOT)
        began_s = time.monotonic()
        try:
            with Client(target, token=token) as client:
                _wait(client, process, start_timeout_s)
            yield target
        except UnavailableError as error:
            log.seek(0)
            text = log.read().decode(errors="replace")
            waited_s = time.monotonic() - began_s
            raise BenchError(
                f"the server does not serve, {waited_s:.0f} s after its start: {error}\n{text}"
            ) from error
        finally:
            stop(process)


def _wait(client: Client, process: subprocess.Popen[bytes], timeout_s: float) -> None:
    """Until it serves. Raises UnavailableError, soon where the process or its engine has ended."""
    end_s = time.monotonic() + timeout_s
    while True:
        began_s = time.monotonic()
        slice_s = max(0.1, min(ALIVE_CHECK_S, end_s - began_s))
        try:
            client.wait_until_serving(slice_s)
            return
        except UnavailableError:
            now_s = time.monotonic()
            engine_failed = now_s < began_s + slice_s
            if engine_failed or process.poll() is not None or now_s >= end_s:
                raise


def family_of(process: psutil.Process) -> list[psutil.Process]:
    """A process and all that it started. Raises psutil.NoSuchProcess where it has ended."""
    return [process, *process.children(recursive=True)]


def memory_mib(family: Iterable[psutil.Process]) -> float:
    """The resident memory of processes together. Raises psutil.NoSuchProcess."""
    return float(sum(each.memory_info().rss for each in family)) / (1 << 20)


def free_address() -> str:
    """An address on loopback that nothing listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{sock.getsockname()[1]}"


def stop(process: subprocess.Popen[bytes], timeout_s: float = STOP_TIMEOUT_S) -> None:
    """End a server, by force if it does not go in time."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
