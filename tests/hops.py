"""Counts how often a request goes from one file of ours to another on its way through the server.

    python -m tests.hops

prints each step of the way of one BatchEstimate with one claim, and of one VerifyAnswer with two.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import FrameType

from google.protobuf.message import Message
from grpc import aio

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_server.config.settings import ServerSettings
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server

OURS = ("groundwire_server", "groundwire_verifier")
BATCH = ("VerifierBackend", "BatchEstimate")
ANSWER = ("HallucinationDetection", "VerifyAnswer")


@dataclass
class Way:
    """Calls from one file of ours to another, by (file, file, function).

    A coroutine counts when it begins, and not again when it goes on. What asyncio or gRPC calls is
    no hop, nor what runs in a thread or in another process, such as the search for claims.
    """

    steps: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    @property
    def hops(self) -> int:
        return sum(self.steps.values())

    @property
    def files(self) -> int:
        return len({file for start, end, _ in self.steps for file in (start, end)})


async def way_of(work: Callable[[], Awaitable[object]]) -> Way:
    """The way of what `work` has done in this thread."""
    way = Way()
    # Kept, so that no other frame gets the place of one that was counted.
    seen: dict[int, FrameType] = {}

    def note(frame: FrameType, event: str, arg: object) -> None:
        if event != "call" or id(frame) in seen:
            return
        seen[id(frame)] = frame
        end, before = _file(frame), frame.f_back
        start = _file(before) if before is not None else None
        if start is not None and end is not None and start != end:
            way.steps[start, end, frame.f_code.co_qualname] += 1

    sys.setprofile(note)
    try:
        await work()
    finally:
        sys.setprofile(None)
    return way


async def batch_way() -> Way:
    """Of one BatchEstimate with one claim that nobody has asked before."""

    def request(name: str) -> pb.BatchEstimateRequest:
        return pb.BatchEstimateRequest(claims=[f"The {name} has two floors."], context="A house.")

    return await _second(BATCH, request)


async def answer_way() -> Way:
    """Of one VerifyAnswer with two claims that nobody has asked before."""

    def request(name: str) -> detection_pb.VerifyAnswerRequest:
        document = detection_pb.Document(text="A house and a barn, two floors each.")
        sources = [detection_pb.Source(id="1", document=document)]
        return detection_pb.VerifyAnswerRequest(
            answer=f"The {name} has two floors. [1] The {name} was built in 1910. [1]",
            evidence=detection_pb.Evidence(sources=sources),
        )

    return await _second(ANSWER, request)


async def _second(method: tuple[str, str], request: Callable[[str], Message]) -> Way:
    """Of a call that is not the first: what is made once is there."""
    entries = ServerSettings().result_cache_entries
    async with scripted_server(result_cache_entries=entries) as served:
        await _call(served, method, request("house").SerializeToString())
        data = request("barn").SerializeToString()
        return await way_of(lambda: _call(served, method, data))


async def _call(served: Scripted, method: tuple[str, str], data: bytes) -> bytes:
    call: aio.UnaryUnaryMultiCallable[bytes, bytes]
    call = served.channel.unary_unary(f"/groundwire.v1.{method[0]}/{method[1]}")
    return await call(data, timeout=WAIT_LIMIT_S)


def _file(frame: FrameType) -> str | None:
    path = frame.f_code.co_filename
    for package in OURS:
        _, found, rest = path.partition(f"/{package}/")
        if found:
            return f"{package}/{rest}"
    return None


async def _main() -> None:
    for (service, name), way in ((BATCH, await batch_way()), (ANSWER, await answer_way())):
        print(f"{service}.{name}: {way.hops} hops between {way.files} files")
        for (start, end, function), count in sorted(way.steps.items()):
            print(f"  {count:3} {start} -> {end}: {function}")


if __name__ == "__main__":
    asyncio.run(_main())
