"""Starts `groundwire serve` as a user would, in a process of its own, for the tests."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import psutil

from groundwire import TLS, Client, UnavailableError

START_TIMEOUT_S = 180.0
STOP_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Served:
    """A serving server."""

    target: str
    metrics_url: str
    process: subprocess.Popen[bytes]
    log_file: Path

    @property
    def log(self) -> str:
        return self.log_file.read_text()

    def engine_pids(self) -> list[int]:
        """The processes that the server started for its engine."""
        try:
            started = psutil.Process(self.process.pid).children(recursive=True)
            return [child.pid for child in started if child.name().startswith("VLLM")]
        except psutil.NoSuchProcess:
            return []

    def metrics(self) -> str:
        """The Prometheus page."""
        with urllib.request.urlopen(self.metrics_url, timeout=30) as response:  # noqa: S310
            return str(response.read().decode())

    def wait_until_pending(self) -> None:
        """Return once a claim is in the server."""
        self.wait_until_claims(1)

    def wait_until_claims(self, claims: int) -> None:
        """Return once so many claims are in the server at a time."""
        self._wait_until_counted("groundwire_pending_claims", claims)

    def pending_claims(self) -> int:
        """How many claims are in the server."""
        return self._counted("groundwire_pending_claims")

    def wait_until_joined(self) -> None:
        """Return once a call waits for what another one has read."""
        self._wait_until_counted(r'groundwire_result_cache_prompts.*result="joined"', 1)

    def _counted(self, pattern: str) -> int:
        """What a metric is at."""
        found = re.search(rf"^{pattern}.* (\S+)$", self.metrics(), re.MULTILINE)
        return 0 if found is None else int(float(found[1]))

    def _wait_until_counted(self, pattern: str, least: int) -> None:
        """Until a metric has come so far. Each look is a request; nothing sleeps."""
        for _ in range(10_000):
            if self._counted(pattern) >= least:
                return
        raise AssertionError(f"the server has fewer than {least} of {pattern}")

    def stop(self) -> int:
        """SIGTERM, and the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_TIMEOUT_S)


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@contextlib.contextmanager
def serving(
    *flags: str,
    token: str | None = None,
    tls: TLS | None = None,
    wait: bool = True,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Served]:
    """A server of `small` with these flags and variables; SERVING on entry if `wait`, gone on
    leaving."""
    port, metrics_port = free_port(), free_port()
    target = f"127.0.0.1:{port}"
    command = [
        sys.executable, "-m", "groundwire_server.cli.main", "serve", "--model", "small",
        "--listen", target, "--metrics-listen", f"127.0.0.1:{metrics_port}", *flags,
    ]  # fmt: skip
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GROUNDWIRE_")}
    environment |= variables
    with tempfile.TemporaryDirectory(prefix="groundwire-test-") as folder:
        log_file = Path(folder, "log")
        with log_file.open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        served = Served(target, f"http://127.0.0.1:{metrics_port}/metrics", process, log_file)
        try:
            if wait:
                _wait(served, token, tls)
            yield served
        finally:
            if process.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    served.stop()
            engines = served.engine_pids()
            process.kill()
            process.wait()
            for pid in engines:
                os.kill(pid, signal.SIGKILL)


def _wait(served: Served, token: str | None, tls: TLS | None) -> None:
    with Client(served.target, token=token, tls=tls) as client:
        try:
            client.wait_until_serving(START_TIMEOUT_S)
        except UnavailableError as error:
            raise AssertionError(f"the server did not come up:\n{served.log}") from error
