"""A gRPC server inside of the door's process, which answers while its model loads."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping
from importlib import metadata

from pydantic import SecretStr

from groundwire_server.app import start_server, started_backends
from groundwire_server.client_connection import connect_async
from groundwire_server.config.access import new_token, read_tokens
from groundwire_server.config.settings import ClientSettings, ServerSettings
from groundwire_server.doors.mcp.door import AgentClient
from groundwire_verifier.engine.base import Backend

log = logging.getLogger("groundwire.mcp")


def inside_settings(settings: ServerSettings) -> ServerSettings:
    """The same for a server that only this process calls: on loopback, by gRPC, without TLS."""
    given = settings.model_dump(exclude_unset=True)
    tls = dict.fromkeys(("tls_cert_file", "tls_key_file", "tls_client_ca_file"))
    own = {"listen": "127.0.0.1:0", "http_listen": None, "metrics_listen": "", **tls}
    return ServerSettings.model_validate(given | own)


@contextlib.asynccontextmanager
async def inside(
    settings: ServerSettings,
    backends: Mapping[str, Backend],
    client: ClientSettings,
) -> AsyncIterator[AgentClient]:
    """A server in this process, of `inside_settings`, which answers while its model loads.

    This process calls it with a token of it, if it has any. Raises ConfigError.
    """
    settings, token = _with_own_token(settings)
    version = metadata.version("groundwire-server")
    async with (
        start_server(settings, backends, version) as running,
        started_backends(running, backends, settings) as (starting, _),
    ):
        reached = client.model_copy(update={"target": running.target})

        async def started() -> None:
            await asyncio.shield(starting)
            running.set_serving(True)

        start = asyncio.create_task(started())
        start.add_done_callback(_tell)
        try:
            async with connect_async(reached, token) as own:
                yield AgentClient(own, start)
        finally:
            start.cancel()
            await asyncio.wait((start,))


def _with_own_token(settings: ServerSettings) -> tuple[ServerSettings, str | None]:
    """The first token that stands in the settings as it is; where all are hashed, one more."""
    tokens = read_tokens(settings)
    token = next((known.text for known in tokens if known.text is not None), None)
    if not tokens or token is not None:
        return settings, token
    token, _ = new_token("")
    return settings.model_copy(update={"auth_token": SecretStr(token)}), token


def _tell(start: asyncio.Task[None]) -> None:
    if start.cancelled():
        return
    error = start.exception()
    if error is None:
        log.info("the model is loaded")
    else:
        log.error("the server inside did not start: %s", error)
