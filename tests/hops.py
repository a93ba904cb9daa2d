"""Follows a request through the server: which floors it changes, and which tasks it starts.

    python -m tests.hops

prints the calls from one file of ours to another of one BatchEstimate with one claim, of one
VerifyAnswer with two, and of one CheckFacts with two.
"""

import asyncio
import gc
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextvars import Context
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, TypeVar

from google.protobuf.message import Message
from grpc import aio

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as gate_pb
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_server.config.settings import ServerSettings
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server

T = TypeVar("T")

OURS = ("groundwire_server", "groundwire_verifier")
BATCH = ("VerifierBackend", "BatchEstimate")
ANSWER = ("HallucinationDetection", "VerifyAnswer")
FACTS = ("MemoryGate", "CheckFacts")


@dataclass
class Way:
    """Calls from one file of ours to another, by (file, file, function).

    A coroutine counts when it begins, and not again when it goes on. What asyncio or gRPC calls is
    no hop, nor what runs in a thread or in another process, such as the search for claims.

    `floors` are the packages of all calls that wait for each other, the outermost first, one for
    each change; `tasks` the functions that were started as tasks.
    """

    steps: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    floors: set[tuple[str, ...]] = field(default_factory=set)
    tasks: Counter[str] = field(default_factory=Counter)

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
            way.floors.add(_floors(frame))

    loop = asyncio.get_running_loop()

    def start(
        loop: asyncio.AbstractEventLoop,
        work: Coroutine[Any, Any, T] | Generator[Any, None, T],
        context: Context | None = None,
    ) -> asyncio.Task[T]:
        code = getattr(work, "cr_code", None)
        if code is not None and any(f"/{package}/" in code.co_filename for package in OURS):
            way.tasks[code.co_qualname] += 1
        return asyncio.Task(work, loop=loop, context=context)

    loop.set_task_factory(start)
    # A generator that is collected is called where the collection happens to begin.
    gc.disable()
    sys.setprofile(note)
    try:
        await work()
    finally:
        sys.setprofile(None)
        gc.enable()
        loop.set_task_factory(None)
    return way


def _floors(frame: FrameType) -> tuple[str, ...]:
    """The packages of a call and of those that wait for it, the outermost first."""
    floors: list[str] = []
    at: FrameType | None = frame
    while at is not None:
        file = _file(at)
        if file is not None and (package := file.partition("/")[0]) not in floors[-1:]:
            floors.append(package)
        at = at.f_back
    return tuple(reversed(floors))


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


async def facts_way() -> Way:
    """Of one CheckFacts with two facts that nobody has asked before."""

    def request(name: str) -> gate_pb.CheckFactsRequest:
        texts = (f"The {name} has two floors.", f"The {name} was built in 1910.")
        return gate_pb.CheckFactsRequest(
            facts=[gate_pb.Fact(text=text) for text in texts],
            evidence=[detection_pb.Evidence(context="A house and a barn, two floors each.")],
        )

    return await _second(FACTS, request)


async def _second(method: tuple[str, str], request: Callable[[str], Message]) -> Way:
    """Of a call that is not the first: what is made once is there."""
    entries = ServerSettings().result_cache_entries
    async with scripted_server(result_cache_entries=entries, memory_gate_enabled=True) as served:
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
    for (service, name), way in (
        (BATCH, await batch_way()),
        (ANSWER, await answer_way()),
        (FACTS, await facts_way()),
    ):
        print(f"{service}.{name}: {way.hops} hops between {way.files} files")
        print(f"  floors: {way.floors}")
        print(f"  tasks: {way.tasks}")
        for (start, end, function), count in sorted(way.steps.items()):
            print(f"  {count:3} {start} -> {end}: {function}")


if __name__ == "__main__":
    asyncio.run(_main())
