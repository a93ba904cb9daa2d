"""`groundwire mcp`: the tools for agents on stdin and stdout, as a client of a server."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import AsyncIterator, Mapping
from importlib import metadata

from groundwire import ConfigurationError
from groundwire_server.client_connection import connect_async
from groundwire_server.config.settings import ClientSettings, ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.doors.mcp.door import AgentClient, make_server
from groundwire_server.doors.mcp.stdio import Wire
from groundwire_server.exit_codes import EXIT_OK
from groundwire_server.records.log_lines import TEXT_FORM
from groundwire_verifier.engine.base import Backend

log = logging.getLogger("groundwire.mcp")


def run_mcp(client: ClientSettings, server: ServerSettings | None) -> int:
    """Serve until the client leaves. Without settings of a `server` inside, it runs elsewhere.

    Returns the exit code. Raises ConfigError.
    """
    # Before anything that starts a process, which would inherit the streams.
    wire = Wire()
    _log_to_stderr()
    backends: Mapping[str, Backend] = {}
    if server is not None:
        from groundwire_server.backends import create_backends

        backends = create_backends(server, lambda text: log.info("%s", text))
    try:
        asyncio.run(_serve(client, server, backends, wire))
    except ConfigurationError as error:
        raise ConfigError(str(error)) from error
    return EXIT_OK


def _log_to_stderr() -> None:
    logging.basicConfig(level=logging.INFO, format=TEXT_FORM)
    # They tell of each request, with texts of errors.
    for name in ("mcp", "vllm", "httpx", "httpx2"):
        logging.getLogger(name).setLevel(logging.ERROR)


async def _serve(
    client: ClientSettings,
    server: ServerSettings | None,
    backends: Mapping[str, Backend],
    wire: Wire,
) -> None:
    async with _upstream(client, server, backends) as upstream:
        # Nothing but its end wakes who waits for stdin.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        await wire.serve(make_server(upstream, metadata.version("groundwire-server")))


@contextlib.asynccontextmanager
async def elsewhere(settings: ClientSettings, token: str | None) -> AsyncIterator[AgentClient]:
    """A server that runs already, or will. Raises the client's ConfigurationError."""
    async with connect_async(settings, token) as client:
        yield AgentClient(client)


def _upstream(
    client: ClientSettings, server: ServerSettings | None, backends: Mapping[str, Backend]
) -> contextlib.AbstractAsyncContextManager[AgentClient]:
    if server is None:
        token = client.token.get_secret_value() if client.token else None
        return elsewhere(client, token)
    from groundwire_server.cli.mcp.inside import inside, inside_settings

    return inside(inside_settings(server), backends, client)
