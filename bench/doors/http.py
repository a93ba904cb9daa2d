"""What each door costs over gRPC: one claim that the server knows, through each in turn.

Measured: in one run against one server, the whole call as its client sees it, on a connection that
is open. The claim has been read before, so that the server answers from what it remembers, and
what is left is the way there and back. The doors take turns, so that what else the machine does
falls on all of them.

Not measured: reading a claim, opening a connection, TLS, a network, calls side by side.
"""

import argparse
import asyncio
import contextlib
import json
import statistics
import struct
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass

import httpx

from bench.tools.common import (
    BenchError,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    nearest_rank,
    results_folder,
    say,
    write_results,
)
from bench.tools.serving import free_address, serving
from groundwire import AsyncClient
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_server.config.settings import ServerSettings

CLAIM = "The well is eleven metres deep."
CONTEXT = "The well behind the mill was dug in 1904. It is eleven metres deep and lined with brick."
WARM_UP_CALLS = 20
CALLS, QUICK_CALLS = 400, 40
MOST_ADDED_S = 0.0015
"""What a call through HTTP may take more than one through gRPC, at the median."""

PATH = "/groundwire.v1.VerifierBackend/BatchEstimate"
Call = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Served:
    """Where the server is: `grpc` as host:port, `http` as an address."""

    grpc: str
    http: str


@dataclass(frozen=True, slots=True)
class Door:
    """A way to ask. `open` gives what asks once, on a connection that stays open."""

    name: str
    client: str
    open: Callable[[Served], AbstractAsyncContextManager[Call]]


@dataclass(frozen=True, slots=True)
class Cost:
    """What calls through a door took, in seconds; `added_s` is by the median of gRPC."""

    door: str
    client: str
    n: int
    p50_s: float
    p95_s: float
    added_s: float


@contextlib.asynccontextmanager
async def _grpc(served: Served) -> AsyncIterator[Call]:
    async with AsyncClient(served.grpc) as client:
        yield lambda: client.batch_estimate([CLAIM], CONTEXT)


def _posted(kind: str, body: bytes) -> Callable[[Served], AbstractAsyncContextManager[Call]]:
    """A door that takes a body of this type."""

    @contextlib.asynccontextmanager
    async def opened(served: Served) -> AsyncIterator[Call]:
        header = {"content-type": kind}
        async with httpx.AsyncClient(base_url=served.http, headers=header) as client:

            async def call() -> None:
                (await client.post(PATH, content=body)).raise_for_status()

            yield call

    return opened


_MESSAGE = pb.BatchEstimateRequest(claims=[CLAIM], context=CONTEXT).SerializeToString()
_JSON = json.dumps({"claims": [CLAIM], "context": CONTEXT}).encode()
_ENVELOPE = struct.pack(">BI", 0, len(_MESSAGE)) + _MESSAGE

JSON_DOOR = "HTTP with JSON"
DOORS: tuple[Door, ...] = (
    Door("gRPC", "groundwire.AsyncClient", _grpc),
    Door(JSON_DOOR, "httpx", _posted("application/json", _JSON)),
    Door("Connect, binary", "httpx", _posted("application/proto", _MESSAGE)),
    Door("gRPC-Web, binary", "httpx", _posted("application/grpc-web+proto", _ENVELOPE)),
)
"""The first is what the others are compared with. A new one is a line here."""


async def measure(served: Served, calls: int) -> list[Cost]:
    """Call through all doors in turn, so many times each."""
    async with contextlib.AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(door.open(served)) for door in DOORS]
        taken_s: list[list[float]] = [[] for _ in DOORS]
        for turn in range(WARM_UP_CALLS + calls):
            for call, times_s in zip(opened, taken_s, strict=True):
                began_s = time.perf_counter()
                await call()
                if turn >= WARM_UP_CALLS:
                    times_s.append(time.perf_counter() - began_s)
    return costs(taken_s)


def costs(taken_s: Sequence[Sequence[float]]) -> list[Cost]:
    """One for each door, in their order."""
    base_s = statistics.median(taken_s[0])
    return [
        Cost(
            door.name,
            door.client,
            len(times_s),
            statistics.median(times_s),
            nearest_rank(times_s, 0.95),
            statistics.median(times_s) - base_s,
        )
        for door, times_s in zip(DOORS, taken_s, strict=True)
    ]


def main() -> int:
    """Run the bench. The exit code is 1 where HTTP with JSON adds more than it may."""
    parser = bench_parser("bench.doors.http", "What each door costs over gRPC.")
    parser.add_argument("--model", default=ServerSettings().model, help="the model to serve")
    arguments = parser.parse_args()
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> None:
    described = describe_run(arguments.quick)
    http = free_address()
    say(f"starting groundwire serve with {arguments.model}")
    flags = ("--result-cache-entries", "1000", "--http-listen", http)
    with serving(arguments.model, *flags) as target:
        calls = QUICK_CALLS if arguments.quick else CALLS
        found = asyncio.run(measure(Served(target, f"http://{http}"), calls))
    lines = ["# Doors: one known claim", "", f"- model: {arguments.model}", *described.lines()]
    text = "\n".join([*lines, "", table(found)])
    folder = results_folder("doors", arguments.out, described)
    write_results(folder, "doors", {"costs": [asdict(cost) for cost in found]}, text)
    for cost in found:
        if cost.door == JSON_DOOR and cost.added_s > MOST_ADDED_S:
            raise BenchError(f"{cost.door} adds {_ms(cost.added_s)}; it may {_ms(MOST_ADDED_S)}")


def table(found: Sequence[Cost]) -> str:
    """The costs as a markdown table."""
    rows = [
        (c.door, c.client, str(c.n), _ms(c.p50_s), _ms(c.p95_s), f"{c.added_s * 1e3:+.1f} ms")
        for c in found
    ]
    return markdown_table(("door", "client", "calls", "p50", "p95", "over gRPC, p50"), rows)


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms"


if __name__ == "__main__":
    sys.exit(main())
