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
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from bench.tools.agents import by_grpc, by_http, by_stdio
from bench.tools.common import (
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    nearest_rank,
    results_folder,
    write_results,
)
from bench.tools.serving import add_server_flags, server_at, server_in_words
from groundwire import Client

WARM_UP_CALLS = 20
REMEMBERED = ("--result-cache-entries", "1000")
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
    parser = bench_parser("mcp_door", "What the MCP door adds to a call over gRPC.")
    parser.add_argument("--calls", type=int, default=200, metavar="N", help="calls by each door")
    add_server_flags(parser)
    arguments = parser.parse_args(argv)
    return guarded(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> None:
    calls = 20 if arguments.quick else arguments.calls
    run = describe_run(arguments.quick)
    with server_at(arguments.target, arguments.model, *REMEMBERED) as target:
        with Client(target) as client:
            server = server_in_words(client.server_info(), arguments.target)
        doors = asyncio.run(_measured(target, calls))
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


async def _measured(target: str, calls: int) -> list[Door]:
    """Ask in turn, so that what else the machine does falls on all ways."""
    taken: Mapping[str, list[float]] = {name: [] for name in WAYS}
    async with contextlib.AsyncExitStack() as stack:
        opened = {name: await stack.enter_async_context(way(target)) for name, way in WAYS.items()}
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
