"""Streams that their callers leave, and what each leaves behind in the memory of a server.

The engine is scripted, so what grows is the server's own, or gRPC's.
"""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
from grpc import aio
from grpc_health.v1 import health_pb2
from grpc_health.v1.health_pb2_grpc import HealthStub

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from tests.scripted import scripted_server
from tests.soak.fuzz.wire_server import ForgetfulEngine

AT_ONE_TIME = 20
"""Callers beside each other: more than the server reads for at once, fewer than it takes."""
WARM_STREAMS = 1500
"""After so many, pools and what Python keeps for itself are filled."""

Stream = aio.UnaryStreamCall[Any, Any] | aio.StreamStreamCall[Any, Any]
Opens = Callable[[], Stream]

ASKED = pb.VerifyAnswerRequest(
    answer="The tower is 330 m high. It was built in 1889.",
    evidence=pb.Evidence(context="The tower is 330 m high."),
)
DRAFT = (
    pb.VerifyDraftRequest(
        start=pb.DraftStart(request=pb.VerifyAnswerRequest(evidence=ASKED.evidence))
    ),
    pb.VerifyDraftRequest(text="The tower is 330 m high. It was"),
)


def growth_mib(streams: int) -> float:
    """By how many MiB a server's process grows while callers leave so many streams."""
    with _server() as (target, process):
        return asyncio.run(_growth_mib(target, process, streams))


async def _growth_mib(target: str, process: psutil.Process, streams: int) -> float:
    async with aio.insecure_channel(target) as channel:
        opens = kinds(channel)
        await leave(opens, WARM_STREAMS)
        before = process.memory_info().rss
        await leave(opens, streams)
        grown_bytes: int = process.memory_info().rss - before
        return grown_bytes / (1 << 20)


async def leave(opens: Sequence[Opens], streams: int) -> None:
    """Open so many streams, and cancel each: at once, or when it has given something."""
    numbers = iter(range(streams))
    async with asyncio.TaskGroup() as callers:
        for _ in range(AT_ONE_TIME):
            callers.create_task(_call(numbers, opens))


async def _call(numbers: Iterator[int], opens: Sequence[Opens]) -> None:
    for number in numbers:
        stream = opens[number % len(opens)]()
        if number // len(opens) % 2:
            await stream.read()
        stream.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await stream.code()


def kinds(channel: aio.Channel) -> Sequence[Opens]:
    """The ways in which streams are opened."""
    detection, health = HallucinationDetectionStub(channel), HealthStub(channel)

    async def pieces() -> AsyncIterator[pb.VerifyDraftRequest]:
        for piece in DRAFT:
            yield piece
        await asyncio.Event().wait()

    return (
        lambda: detection.VerifyAnswerStream(pb.VerifyAnswerStreamRequest(request=ASKED)),
        lambda: detection.VerifyDraft(pieces()),
        lambda: health.Watch(health_pb2.HealthCheckRequest()),
    )


@contextlib.contextmanager
def _server() -> Iterator[tuple[str, psutil.Process]]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.left_streams"],
        cwd=Path(__file__).resolve().parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield process.stdout.readline().strip(), psutil.Process(process.pid)
        process.stdin.close()


async def _serve_until_stdin_ends() -> None:
    async with scripted_server(engine=ForgetfulEngine()) as served:
        print(served.running.target, flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve_until_stdin_ends())
