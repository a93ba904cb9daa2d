"""What tests of the MCP door share: agents, which are clients of the SDK, at each of its ends."""

import contextlib
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from httpx2 import AsyncClient as HttpClient
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from groundwire_server.cli.mcp.serving import elsewhere
from groundwire_server.config.settings import ClientSettings
from groundwire_server.doors.mcp.door import make_server
from tests.scripted import VERSION
from tests.server.http.door import Door

REPOSITORY = Path(__file__).parents[3]
HEIGHT = "The tower is 330 m high."
SOURCE = {"text": "It is 330 m high."}


def settings_of(target: str, **fields: object) -> ClientSettings:
    return ClientSettings.model_validate({"target": target, "timeout_s": 20.0, **fields})


@contextlib.asynccontextmanager
async def agent(target: str, token: str | None = None, **fields: object) -> AsyncIterator[Client]:
    """An agent beside the door, without a transport; the gRPC server at `target` is real."""
    async with (
        elsewhere(settings_of(target, **fields), token) as upstream,
        Client(make_server(upstream, VERSION)) as client,
    ):
        yield client


def url_of(door: Door) -> str:
    """Where the HTTP door has the tools."""
    return f"http://{door.target}/mcp"


@contextlib.asynccontextmanager
async def web_agent(
    url: str, headers: Mapping[str, str] | None = None, mode: str = "auto"
) -> AsyncIterator[Client]:
    """An agent that speaks streamable HTTP."""
    async with (
        HttpClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


def command(*flags: str, **variables: str) -> StdioServerParameters:
    """`groundwire mcp` as an agent starts it."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "groundwire_server.cli.main", "mcp", *flags],
        env={"PYTHONPATH": os.pathsep.join(sys.path), **variables},
        cwd=REPOSITORY,
    )


def text_of(result: CallToolResult) -> str:
    """What an agent reads of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def error_of(result: CallToolResult) -> str:
    """The same of a call that has failed."""
    assert result.is_error
    assert result.structured_content is None
    return text_of(result)


def claims(*texts: str) -> Sequence[Mapping[str, str]]:
    return [{"text": text} for text in texts]
