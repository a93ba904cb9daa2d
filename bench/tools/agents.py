"""One claim through the MCP door, as an agent asks it, for the benches that compare doors.

Knows how the door is started, and the client of the protocol. Takes no times.
"""

import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence

from mcp import Client as Agent
from mcp import StdioServerParameters

from bench.tools.common import ROOT, BenchError, bare_environment
from bench.tools.serving import IMPORTED_FROM
from groundwire import AsyncClient

CLAIM = "The bridge was opened in May 1932."
EVIDENCE = "The bridge was opened by the mayor of the city in May 1932."

Call = Callable[[], Awaitable[object]]
"""Asks once. Raises BenchError if nobody has read the claim."""


@contextlib.asynccontextmanager
async def by_grpc(target: str) -> AsyncIterator[Call]:
    """The call that the tool makes, by the Python client."""
    async with AsyncClient(target) as client:

        async def call() -> None:
            (verdict,) = await client.verify_claims([CLAIM], EVIDENCE)
            _check(verdict.p1)

        yield call


@contextlib.asynccontextmanager
async def by_stdio(target: str) -> AsyncIterator[Call]:
    """The tool verify_claim of a door on stdin and stdout."""
    command, environment = _door(target)
    started = StdioServerParameters(command=command[0], args=command[1:], env=environment, cwd=ROOT)
    async with Agent(started) as agent:
        yield _tool(agent)


@contextlib.asynccontextmanager
async def by_http(target: str) -> AsyncIterator[Call]:
    """The same of a door on streamable HTTP."""
    command, environment = _door(target)
    with _listening([*command, "--http-listen", "127.0.0.1:0"], environment) as url:
        async with Agent(url) as agent:
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


@contextlib.contextmanager
def _listening(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
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
