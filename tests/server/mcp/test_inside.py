"""A server inside the door's own process: what its tools say while it loads, and if it cannot."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from mcp import Client
from mcp_types import CallToolResult

from groundwire_server.cli.mcp.inside import inside, inside_settings
from groundwire_server.doors.mcp.door import AgentClient, make_server
from groundwire_verifier.domain.errors import UnusableModelError
from groundwire_verifier.engine.local import LocalBackend
from tests.scripted import MODEL, NEVER_HANGS_S, VERSION, ScriptedEngine, scripted_settings
from tests.scripted_services.tenants import make_tokens
from tests.server.mcp.agents import HEIGHT, SOURCE, error_of, settings_of

BEARER = "violet-anvil-7"
ASKED = {"claim": HEIGHT, "sources": [SOURCE]}


@contextlib.asynccontextmanager
async def door(
    load: Callable[[], ScriptedEngine], **settings: object
) -> AsyncIterator[tuple[Client, AgentClient]]:
    """An agent of a door whose server inside loads its engine so."""
    given = inside_settings(scripted_settings(listen="0.0.0.0:50051", **settings))
    backends = {"local": LocalBackend(MODEL, load, NEVER_HANGS_S)}
    client = settings_of("127.0.0.1:1")
    async with (
        inside(given, backends, client) as upstream,
        Client(make_server(upstream, VERSION)) as agent,
    ):
        yield agent, upstream


async def verify(agent: Client) -> CallToolResult:
    return await agent.call_tool("verify_claim", ASKED)


async def started(upstream: AgentClient) -> None:
    """Wait for the end of the start, however it ends."""
    assert upstream.started is not None
    await asyncio.wait((upstream.started,))


async def test_tools_say_that_the_model_loads_and_then_answer() -> None:
    may_load = asyncio.Event()
    loop = asyncio.get_running_loop()

    def load() -> ScriptedEngine:
        asyncio.run_coroutine_threadsafe(may_load.wait(), loop).result()
        return ScriptedEngine()

    async with door(load) as (agent, upstream):
        assert error_of(await verify(agent)).startswith("LOADING: ")
        may_load.set()
        await started(upstream)
        assert not (await verify(agent)).is_error


async def test_tools_say_why_the_server_inside_could_not_start() -> None:
    def load() -> ScriptedEngine:
        raise UnusableModelError("the folder holds no weights")

    async with door(load) as (agent, upstream):
        await started(upstream)
        told = error_of(await verify(agent))
    assert told == "UNAVAILABLE: the server inside did not start: the folder holds no weights"


async def test_the_server_inside_asks_its_own_process_for_its_token() -> None:
    async with door(ScriptedEngine, auth_token=BEARER) as (agent, upstream):
        await started(upstream)
        assert not (await verify(agent)).is_error


async def test_where_all_tokens_are_hashed_its_process_has_one_more(tmp_path: Path) -> None:
    make_tokens(tmp_path / "tokens", "acme")
    async with door(ScriptedEngine, auth_token_file=tmp_path / "tokens") as (agent, upstream):
        await started(upstream)
        assert not (await verify(agent)).is_error


def test_the_server_inside_opens_no_door_of_the_settings(tmp_path: Path) -> None:
    given = scripted_settings(
        listen="0.0.0.0:50051",
        http_listen="0.0.0.0:8080",
        metrics_listen="127.0.0.1:9464",
        tls_cert_file=tmp_path / "cert",
        tls_key_file=tmp_path / "key",
    )
    used = inside_settings(given)
    assert (used.listen, used.http_listen, used.metrics_listen) == ("127.0.0.1:0", None, "")
