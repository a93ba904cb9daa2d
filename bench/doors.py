"""What each door costs over gRPC: one claim that the server knows, through each in turn.

Measured: in one run against one server, the whole call as its client sees it, on a connection that
is open: an estimate through the doors for programs, and the tool verify_claim through those for
agents. The claim has been read before, so that the server answers from what it remembers, and what
is left is the way there and back. The doors take turns, so that what else the machine does falls on
all of them.

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
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass

import httpx
from mcp import Client as Agent
from mcp import StdioServerParameters

from bench.tools.common import (
    ROOT,
    BenchError,
    bare_environment,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    nearest_rank,
    results_folder,
    write_results,
)
from bench.tools.serving import (
    IMPORTED_FROM,
    add_server_flags,
    free_address,
    server_at,
    server_in_words,
)
from groundwire import AsyncClient, Client
from groundwire.v1 import verifier_backend_pb2 as pb

CLAIM = "The well is eleven metres deep."
CONTEXT = "The well behind the mill was dug in 1904. It is eleven metres deep and lined with brick."
WARM_UP_CALLS = 20
QUICK_CALLS = 40
MOST_ADDED_S = 0.0015
"""What a call through HTTP with JSON may take more than one through gRPC, at the median."""

PATH = "/groundwire.v1.VerifierBackend/BatchEstimate"
Call = Callable[[], Awaitable[object]]

_MESSAGE = pb.BatchEstimateRequest(claims=[CLAIM], context=CONTEXT).SerializeToString()
_JSON = json.dumps({"claims": [CLAIM], "context": CONTEXT}).encode()
_ENVELOPE = struct.pack(">BI", 0, len(_MESSAGE)) + _MESSAGE

JSON_DOOR = "HTTP with JSON"


@dataclass(frozen=True, slots=True)
class Served:
    """Where the server is: `grpc` as host:port, `http` as an address."""

    grpc: str
    http: str


Door = Callable[[Served], AbstractAsyncContextManager[Call]]
"""A way to ask: gives what asks once, on a connection that stays open."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What calls through a door took, in seconds; `added_s` is by the median of gRPC."""

    door: str
    n: int
    p50_s: float
    p95_s: float
    added_s: float


@contextlib.asynccontextmanager
async def _estimate(served: Served) -> AsyncIterator[Call]:
    async with AsyncClient(served.grpc) as client:
        yield lambda: client.batch_estimate([CLAIM], CONTEXT)


def _posted(kind: str, body: bytes) -> Door:
    """A door that takes a body of this type."""

    @contextlib.asynccontextmanager
    async def opened(served: Served) -> AsyncIterator[Call]:
        header = {"content-type": kind}
        async with httpx.AsyncClient(base_url=served.http, headers=header) as client:

            async def call() -> None:
                (await client.post(PATH, content=body)).raise_for_status()

            yield call

    return opened


@contextlib.asynccontextmanager
async def _verify(served: Served) -> AsyncIterator[Call]:
    """The call that the tool makes, by the Python client."""
    async with AsyncClient(served.grpc) as client:

        async def call() -> None:
            (verdict,) = await client.verify_claims([CLAIM], CONTEXT)
            _check(verdict.p1)

        yield call


@contextlib.asynccontextmanager
async def _stdio(served: Served) -> AsyncIterator[Call]:
    environment = bare_environment()
    environment["PYTHONPATH"] = ":".join(str(ROOT / name) for name in IMPORTED_FROM)
    arguments = ["-m", "groundwire_server.cli.main", "mcp", "--target", served.grpc]
    started = StdioServerParameters(
        command=sys.executable, args=arguments, env=environment, cwd=ROOT
    )
    async with Agent(started) as agent:
        yield _tool(agent)


@contextlib.asynccontextmanager
async def _mcp(served: Served) -> AsyncIterator[Call]:
    async with Agent(f"{served.http}/mcp") as agent:
        yield _tool(agent)


def _tool(agent: Agent) -> Call:
    asked = {"claim": CLAIM, "sources": [{"text": CONTEXT}]}

    async def call() -> None:
        result = await agent.call_tool("verify_claim", asked)
        if result.is_error:
            raise BenchError(f"verify_claim: {result.content}")
        _check(result.structured_content["p1"])

    return call


def _check(probability: float | None) -> None:
    if probability is None:
        raise BenchError("the claim was not read")


QUESTIONS: Mapping[str, Mapping[str, Door]] = {
    "BatchEstimate": {
        "gRPC": _estimate,
        JSON_DOOR: _posted("application/json", _JSON),
        "Connect, binary": _posted("application/proto", _MESSAGE),
        "gRPC-Web, binary": _posted("application/grpc-web+proto", _ENVELOPE),
    },
    "verify_claim": {
        "gRPC": _verify,
        "MCP, stdin and stdout": _stdio,
        "MCP, streamable HTTP": _mcp,
    },
}
"""What is asked, and through which doors. The first is what the others are compared with."""


async def measure(served: Served, doors: Mapping[str, Door], calls: int) -> list[Cost]:
    """Call through all doors in turn, so many times each."""
    taken_s: list[list[float]] = [[] for _ in doors]
    async with contextlib.AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(door(served)) for door in doors.values()]
        for turn in range(WARM_UP_CALLS + calls):
            for call, times_s in zip(opened, taken_s, strict=True):
                began_s = time.perf_counter()
                await call()
                if turn >= WARM_UP_CALLS:
                    times_s.append(time.perf_counter() - began_s)
    medians_s = [statistics.median(times_s) for times_s in taken_s]
    return [
        Cost(name, calls, median_s, nearest_rank(times_s, 0.95), median_s - medians_s[0])
        for name, median_s, times_s in zip(doors, medians_s, taken_s, strict=True)
    ]


def main() -> int:
    """Run the bench. The exit code is 1 where HTTP with JSON adds more than it may."""
    parser = bench_parser("bench.doors", "What each door costs over gRPC.")
    parser.add_argument("--calls", type=int, default=400, metavar="N", help="calls by each door")
    add_server_flags(parser)
    parser.add_argument("--http", metavar="ADDRESS", help="with --target: its HTTP port")
    arguments = parser.parse_args()
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> None:
    calls = QUICK_CALLS if arguments.quick else arguments.calls
    run = describe_run(arguments.quick)
    http = arguments.http or free_address()
    flags = ("--result-cache-entries", "1000", "--http-listen", http)
    with server_at(arguments.target, arguments.model, *flags) as target:
        with Client(target) as client:
            server = server_in_words(client.server_info(), arguments.target)
        served = Served(target, f"http://{http}")
        found = {
            asked: asyncio.run(measure(served, doors, calls)) for asked, doors in QUESTIONS.items()
        }
    lines = ["# Doors: one known claim", "", *run.lines(), f"- server: {server}"]
    for asked, costs in found.items():
        lines += ["", table(asked, costs)]
    data = {
        "run": asdict(run),
        "server": server,
        "costs": {asked: [asdict(cost) for cost in costs] for asked, costs in found.items()},
    }
    write_results(results_folder("doors", arguments.out, run), "doors", data, "\n".join(lines))
    for cost in found["BatchEstimate"]:
        if cost.door == JSON_DOOR and cost.added_s > MOST_ADDED_S:
            raise BenchError(f"{cost.door} adds {_ms(cost.added_s)}; it may {_ms(MOST_ADDED_S)}")


def table(asked: str, costs: Sequence[Cost]) -> str:
    """The costs of one question as a markdown table."""
    rows = [
        (cost.door, str(cost.n), _ms(cost.p50_s), _ms(cost.p95_s), f"{cost.added_s * 1e3:+.1f} ms")
        for cost in costs
    ]
    return markdown_table((asked, "calls", "p50", "p95", "over gRPC, p50"), rows)


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms"


if __name__ == "__main__":
    sys.exit(main())
