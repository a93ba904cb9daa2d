"""`groundwire serve` in a process of its own, on an endpoint in place of an engine.

It starts in two seconds, and what holds of signals, standard error and the environment holds of it.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import IO

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.serving import free_port

WAIT_S = 30.0
ENTRY = {"name": "external", "url": "http://127.0.0.1:9/v1", "model": "some-model"}
AWAY = ("--backend-type", "external", "--backends", json.dumps([ENTRY]))


@dataclass(frozen=True)
class ServeProcess:
    """A process that was started."""

    process: subprocess.Popen[bytes]
    target: str
    metrics: str

    def state(self) -> str:
        """What the health service says; waits until the port is open."""
        with grpc.insecure_channel(self.target) as channel:
            answer = health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(), timeout=WAIT_S, wait_for_ready=True
            )
        return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))

    def stop(self) -> int:
        """SIGTERM, and the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(WAIT_S)


def serve_command(*flags: str) -> list[str]:
    return [sys.executable, "-m", "groundwire_server.cli.main", "serve", *AWAY, *flags]


def clean_environment(variables: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GROUNDWIRE_")}
    return {**kept, **variables}


@contextlib.contextmanager
def serve_process(
    *flags: str,
    before: Sequence[str] = (),
    stderr: IO[bytes] | int = subprocess.PIPE,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[ServeProcess]:
    """A server whose endpoint is away, so that it is NOT_SERVING; gone on leaving.

    `before` stands before its command.
    """
    target, metrics = (f"127.0.0.1:{free_port()}" for _ in range(2))
    command = [*before, *serve_command("--listen", target, "--metrics-listen", metrics, *flags)]
    with subprocess.Popen(command, stderr=stderr, env=clean_environment(variables)) as process:
        try:
            yield ServeProcess(process, target, metrics)
        finally:
            process.kill()
