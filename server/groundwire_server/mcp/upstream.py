"""Whom the tools call: a running gRPC server, or one inside of this process that may still load.

Knows clients and the start of a server. Does not know tools, nor the protocol of agents.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from importlib import metadata

from groundwire import AsyncClient
from groundwire_server.app import start_server, started_backends
from groundwire_server.client_connection import connect_async
from groundwire_server.config.settings import ClientSettings, ServerSettings
from groundwire_server.config.sources import read_tokens
from groundwire_verifier.backends.base import Backend

log = logging.getLogger("groundwire.mcp")


@dataclass(frozen=True, slots=True)
class Upstream:
    """A server to call. `own` calls it with the token of this process, if there is one."""

    settings: ClientSettings
    own: AsyncClient
    started: asyncio.Task[None] | None = None
    """The start of a server inside; None: it runs elsewhere."""

    @contextlib.asynccontextmanager
    async def client(self, token: str | None) -> AsyncIterator[AsyncClient]:
        """A client for one call, with the token that came with it, if one did."""
        if token is None:
            yield self.own
            return
        # Channels to one target share a connection, so that a client of one's own costs little.
        async with connect_async(self.settings, token) as client:
            yield client

    def failure(self) -> str | None:
        """Why the server inside can answer nothing any more; None: it can, or is elsewhere."""
        started = self.started
        if started is None or not started.done() or started.cancelled():
            return None
        error = started.exception()
        return None if error is None else f"UNAVAILABLE: the server inside did not start: {error}"


@contextlib.asynccontextmanager
async def elsewhere(settings: ClientSettings, token: str | None) -> AsyncIterator[Upstream]:
    """A server that runs already, or will. Raises the client's ConfigurationError."""
    async with connect_async(settings, token) as own:
        yield Upstream(settings, own)


def inside_settings(settings: ServerSettings) -> ServerSettings:
    """The same for a server that only this process calls: on loopback, without TLS and metrics."""
    given = settings.model_dump(exclude_unset=True)
    tls = dict.fromkeys(("tls_cert_file", "tls_key_file", "tls_client_ca_file"))
    own = {"listen": "127.0.0.1:0", "metrics_listen": "", **tls}
    return ServerSettings.model_validate(given | own)


@contextlib.asynccontextmanager
async def inside(
    settings: ServerSettings,
    backends: Mapping[str, Backend],
    client: ClientSettings,
    *,
    has_own_token: bool,
) -> AsyncIterator[Upstream]:
    """A server in this process, of `inside_settings`, which answers while its model loads.

    With `has_own_token` this process calls it with the first of its tokens. Raises ConfigError.
    """
    tokens = read_tokens(settings) if has_own_token else ()
    version = metadata.version("groundwire-server")
    async with (
        start_server(settings, backends, version) as running,
        started_backends(backends) as (starting, _),
    ):
        reached = client.model_copy(update={"target": running.target})

        async def started() -> None:
            await asyncio.shield(starting)
            running.set_serving(True)

        start = asyncio.create_task(started())
        start.add_done_callback(_tell)
        try:
            async with connect_async(reached, next(iter(tokens), None)) as own:
                yield Upstream(reached, own, start)
        finally:
            start.cancel()
            await asyncio.wait((start,))


def _tell(start: asyncio.Task[None]) -> None:
    if start.cancelled():
        return
    error = start.exception()
    if error is None:
        log.info("the model is loaded")
    else:
        log.error("the server inside did not start: %s", error)
