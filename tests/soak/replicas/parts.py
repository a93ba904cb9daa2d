"""Real parts on this machine: servers that can be killed and started again, Envoy with the
configuration that ships, Redis.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from bench.tools.common import ROOT, BenchError, bare_environment
from bench.tools.serving import free_address, stop
from groundwire import Client, UnavailableError

SHIPPED = ROOT / "deploy" / "helm" / "groundwire" / "envoy.yaml"
START_TIMEOUT_S = 240.0
READY_TIMEOUT_S = 20.0
POLL_S = 0.1


@dataclass(slots=True)
class Replica:
    """One server at an address that stays the same when it is started again."""

    address: str
    flags: tuple[str, ...]
    log: Path
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        """Start it; it loads meanwhile."""
        command = [sys.executable, "-m", "groundwire_server.cli.main", "serve"]
        command += ["--listen", self.address, "--metrics-listen", "", *self.flags]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, env=bare_environment(), cwd=ROOT
            )

    def wait(self) -> None:
        """Return once it is SERVING. Raises BenchError."""
        try:
            with Client(self.address) as client:
                client.wait_until_serving(START_TIMEOUT_S)
        except UnavailableError as error:
            raise BenchError(f"a server does not serve: {error}\n{self.log.read_text()}") from error

    def kill(self) -> None:
        """SIGKILL: no word to anybody."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """SIGTERM, and wait until it has gone."""
        if self.process is not None and self.process.poll() is None:
            stop(self.process)


@dataclass(frozen=True, slots=True)
class Envoy:
    """An Envoy that runs: where it takes calls, its admin page, its process."""

    target: str
    admin: str
    pid: int

    def stats(self) -> Mapping[str, int]:
        """Its counters and gauges of the cluster of servers."""
        with urllib.request.urlopen(f"{self.admin}/stats?filter=cluster.replicas") as page:  # noqa: S310
            found = re.findall(r"^cluster\.replicas\.(\S+): (\d+)$", page.read().decode(), re.M)
        return {name: int(value) for name, value in found}

    def wait_for_members(self, count: int) -> None:
        """Return once so many servers are healthy to it. Raises BenchError."""
        until_s = time.monotonic() + READY_TIMEOUT_S
        while self.stats()["membership_healthy"] < count:
            if time.monotonic() > until_s:
                raise BenchError(f"Envoy does not see {count} healthy servers: {self.stats()}")
            time.sleep(POLL_S)


def configuration(replicas: list[str], listen: str, operations: str, admin: str) -> dict[str, Any]:
    """The configuration that ships, with these addresses in place of its own."""
    config: dict[str, Any] = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
    # The HTTP door is not benched.
    calls, _, pages = config["static_resources"]["listeners"]
    config["static_resources"]["listeners"] = [calls, pages]
    calls["address"] = socket_address(listen)
    pages["address"] = socket_address(operations)
    config["admin"]["address"] = socket_address(admin)
    servers, _, own_admin = config["static_resources"]["clusters"]
    config["static_resources"]["clusters"] = [servers, own_admin]
    servers["load_assignment"]["endpoints"] = endpoints(replicas)
    own_admin["load_assignment"]["endpoints"] = endpoints([admin])
    return config


def round_robin(config: dict[str, Any]) -> dict[str, Any]:
    """The same, but calls go to one server after the other."""
    servers = config["static_resources"]["clusters"][0]
    servers["lb_policy"] = "ROUND_ROBIN"
    del servers["maglev_lb_config"]
    del servers["common_lb_config"]["consistent_hashing_lb_config"]
    return config


def socket_address(address: str) -> dict[str, Any]:
    """host:port as Envoy writes it."""
    host, port = address.rsplit(":", 1)
    return {"socket_address": {"address": host, "port_value": int(port)}}


def endpoints(addresses: list[str]) -> list[dict[str, Any]]:
    """These as the endpoints of a cluster."""
    return [{"lb_endpoints": [{"endpoint": {"address": socket_address(a)}} for a in addresses]}]


@contextlib.contextmanager
def envoy(binary: str, replicas: list[str], folder: Path, *, affine: bool) -> Iterator[Envoy]:
    """An Envoy in front of these servers. Raises BenchError."""
    listen, operations, admin = free_address(), free_address(), free_address()
    config = configuration(replicas, listen, operations, admin)
    file = folder / f"envoy-{listen.rpartition(':')[2]}.yaml"
    file.write_text(yaml.safe_dump(config if affine else round_robin(config)), encoding="utf-8")
    command = [binary, "-c", str(file), "--disable-hot-restart", "--concurrency", "1"]
    command += ["--log-level", "warning"]
    with file.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait_until_ready(f"http://{operations}/ready", process, file.with_suffix(".log"))
        yield Envoy(listen, f"http://{admin}", process.pid)
    finally:
        stop(process)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until_s = time.monotonic() + READY_TIMEOUT_S
    while time.monotonic() < until_s and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url):  # noqa: S310
            return
        time.sleep(POLL_S)
    raise BenchError(f"Envoy is not ready:\n{log.read_text()}")


@contextlib.contextmanager
def redis(folder: Path) -> Iterator[str]:
    """A Redis of its own that keeps nothing on disk; gives its URL."""
    port = free_address().rpartition(":")[2]
    command = ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", ""]
    with (folder / "redis.log").open("wb") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, cwd=folder, env=dict(os.environ)
        )
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        stop(process)
