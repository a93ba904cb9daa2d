"""What the MCP door adds to a call, as an agent on the same machine sees it.

Measured: the wall time of one known claim by the Python client over gRPC, by the tool verify_claim
over stdin and stdout, and by the same tool over streamable HTTP, in turns, one call at a time, on
one server. The claim has been read before, and the server remembers its readings, so that what is
left is the way there and back.

Not measured: reading a claim, calls side by side, a network, TLS, how long the door takes to start.
"""

import argparse
import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from mcp import Client as Agent
from mcp import StdioServerParameters

from bench.doors.http import Served
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

CLAIM = "The bridge was opened in May 1932."
EVIDENCE = "The bridge was opened by the mayor of the city in May 1932."

Call = Callable[[], Awaitable[object]]
"""Asks once. Raises BenchError if nobody has read the claim."""

WARM_UP_CALLS = 20
REMEMBERED = ("--result-cache-entries", "1000")


@contextlib.asynccontextmanager
async def by_grpc(served: Served) -> AsyncIterator[Call]:
    """The call that the tool makes, by the Python client."""
    async with AsyncClient(served.grpc) as client:

        async def call() -> None:
            (verdict,) = await client.verify_claims([CLAIM], EVIDENCE)
            _check(verdict.p1)

        yield call


@contextlib.asynccontextmanager
async def by_stdio(served: Served) -> AsyncIterator[Call]:
    """The tool verify_claim of a door on stdin and stdout."""
    command, environment = _door(served.grpc)
    started = StdioServerParameters(command=command[0], args=command[1:], env=environment, cwd=ROOT)
    async with Agent(started) as agent:
        yield _tool(agent)


@contextlib.asynccontextmanager
async def by_http(served: Served) -> AsyncIterator[Call]:
    """The same of the server's own HTTP port."""
    async with Agent(f"{served.http}/mcp") as agent:
        yield _tool(agent)


def _door(target: str) -> tuple[list[str], dict[str, str]]:
    """The command of a door in front of `target`, and its environment."""
    path = ":".join(str(ROOT / name) for name in IMPORTED_FROM)
    command = [sys.executable, "-m", "groundwire_server.cli.main", "mcp", "--target", target]
    return command, {**bare_environment(), "PYTHONPATH": path}


def _tool(agent: Agent) -> Call:
    asked = {"claim": CLAIM, "sources": [{"text": EVIDENCE}]}

    async def call() -> None:
        result = await agent.call_tool("verify_claim", asked)
        if result.is_error:
            raise BenchError(f"verify_claim: {result.content}")
        _check(result.structured_content["p1"])

    return call


def _check(probability: float | None) -> None:
    if probability is None:
        raise BenchError("the claim was not read")


WAYS = {
    "gRPC": by_grpc,
    "MCP, stdin and stdout": by_stdio,
    "MCP, streamable HTTP": by_http,
}
"""The first is what the others are compared with."""


@dataclass(frozen=True, slots=True)
class Door:
    """All calls through one door, in seconds."""

    door: str
    calls: int
    p50_s: float
    p95_s: float


def main(argv: Sequence[str] | None = None) -> int:
    """Run the bench and return the process's exit code."""
    parser = bench_parser("bench.doors.mcp", "What the MCP door adds to a call over gRPC.")
    parser.add_argument("--calls", type=int, default=200, metavar="N", help="calls by each door")
    add_server_flags(parser)
    parser.add_argument("--http", metavar="ADDRESS", help="with --target: its HTTP port")
    arguments = parser.parse_args(argv)
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> None:
    calls = 20 if arguments.quick else arguments.calls
    run = describe_run(arguments.quick)
    http = arguments.http or free_address()
    flags = (*REMEMBERED, "--http-listen", http)
    with server_at(arguments.target, arguments.model, *flags) as target:
        with Client(target) as client:
            server = server_in_words(client.server_info(), arguments.target)
        doors = asyncio.run(_measured(Served(target, f"http://{http}"), calls))
    rows = [
        (
            door.door,
            str(door.calls),
            *(f"{seconds * 1000:.1f}" for seconds in (door.p50_s, door.p95_s)),
            f"{(door.p50_s - doors[0].p50_s) * 1000:+.1f}",
        )
        for door in doors
    ]
    header = ("door", "calls", "p50 ms", "p95 ms", "p50 over gRPC, ms")
    head = ["# One known claim by gRPC and by MCP", "", *run.lines(), f"- server: {server}", ""]
    text = "\n".join([*head, markdown_table(header, rows)])
    data = {"run": asdict(run), "server": server, "doors": [asdict(door) for door in doors]}
    write_results(results_folder("mcp-door", arguments.out, run), "mcp-door", data, text)


async def _measured(served: Served, calls: int) -> list[Door]:
    """Ask in turn, so that what else the machine does falls on all ways."""
    taken: Mapping[str, list[float]] = {name: [] for name in WAYS}
    async with contextlib.AsyncExitStack() as stack:
        opened = {name: await stack.enter_async_context(way(served)) for name, way in WAYS.items()}
        for turn in range(WARM_UP_CALLS + calls):
            for name, ask in opened.items():
                began_s = time.perf_counter()
                await ask()
                if turn >= WARM_UP_CALLS:
                    taken[name].append(time.perf_counter() - began_s)
    return [
        Door(name, calls, nearest_rank(times, 0.5), nearest_rank(times, 0.95))
        for name, times in taken.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
