"""What the MCP door adds to a call, as an agent on the same machine sees it.

Measured: the wall time of one claim on a known context, by the Python client over gRPC, by the tool
verify_claim over stdin and stdout, and by the same tool over streamable HTTP, in turns, one call at
a time, on one server without a result cache. That each claim was read is checked.

Not measured: calls side by side, a network, TLS, how long the door takes to start.
"""

import argparse
import asyncio
import contextlib
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

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
    say,
    write_results,
)
from bench.tools.serving import IMPORTED_FROM, add_server_flags, server_at, server_in_words
from groundwire import AsyncClient

CLAIM = "The bridge was opened in May 1932."
EVIDENCE = "The bridge was opened by the mayor of the city in May 1932."
WARM_UP_CALLS = 5
GRPC, STDIO, HTTP = "gRPC", "MCP, stdin and stdout", "MCP, streamable HTTP"

Ask = Callable[[], Awaitable[float | None]]
"""One call; gives P(YES) with the evidence."""


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
    calls = 10 if arguments.quick else arguments.calls
    run = describe_run(arguments.quick)
    with server_at(arguments.target, arguments.model) as target:
        doors, server = asyncio.run(_measured(target, calls, arguments.target))
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


async def _measured(target: str, calls: int, given: str | None) -> tuple[list[Door], str]:
    async with AsyncClient(target) as client, _agents(target) as (stdio, web):
        server = server_in_words(await client.server_info(), given)

        async def by_grpc() -> float | None:
            (verdict,) = await client.verify_claims([CLAIM], EVIDENCE)
            return verdict.p1

        ways = {GRPC: by_grpc, STDIO: _tool(stdio), HTTP: _tool(web)}
        taken: Mapping[str, list[float]] = {name: [] for name in ways}
        for call in range(WARM_UP_CALLS + calls):
            for name, ask in ways.items():
                began_s = time.perf_counter()
                probability = await ask()
                elapsed_s = time.perf_counter() - began_s
                if probability is None:
                    raise BenchError(f"{name}: the claim was not read")
                if call >= WARM_UP_CALLS:
                    taken[name].append(elapsed_s)
    doors = [
        Door(name, calls, nearest_rank(times, 0.5), nearest_rank(times, 0.95))
        for name, times in taken.items()
    ]
    return doors, server


def _tool(agent: Agent) -> Ask:
    async def ask() -> float | None:
        asked = {"claim": CLAIM, "sources": [{"text": EVIDENCE}]}
        result = await agent.call_tool("verify_claim", asked)
        if result.is_error:
            raise BenchError(f"verify_claim: {result.content}")
        p1: float | None = result.structured_content["p1"]
        return p1

    return ask


@contextlib.asynccontextmanager
async def _agents(target: str) -> AsyncIterator[tuple[Agent, Agent]]:
    """An agent on stdin and stdout, and one over HTTP, each with a door of its own."""
    command = ["-m", "groundwire_server.cli.main", "mcp", "--target", target]
    path = ":".join(str(ROOT / name) for name in IMPORTED_FROM)
    environment = {**bare_environment(), "PYTHONPATH": path}
    started = StdioServerParameters(command=sys.executable, args=command, env=environment, cwd=ROOT)
    with _web([sys.executable, *command, "--http-listen", "127.0.0.1:0"], environment) as url:
        say(f"the door is at {url}")
        async with Agent(started) as stdio, Agent(url) as web:
            yield stdio, web


@contextlib.contextmanager
def _web(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
    with subprocess.Popen(
        command, env=environment, cwd=ROOT, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if "listening on " in line:
                    yield line.rpartition(" ")[2].strip()
                    return
            raise BenchError("groundwire mcp has ended")
        finally:
            process.terminate()


if __name__ == "__main__":
    sys.exit(main())
