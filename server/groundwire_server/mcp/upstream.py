"""Whom the tools call: a gRPC server that runs elsewhere, or one inside that may still load."""

import asyncio
import contextlib
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field

from groundwire import AsyncClient
from groundwire_server.client_connection import connect_async
from groundwire_server.config.settings import ClientSettings
from groundwire_server.rpc.admission import MAX_CALLS_OF_CONNECTION


class Connections:
    """How many calls each connection has: a further one is opened where all are full, so that the
    calls of one agent do not keep those of another from being seen by the server."""

    def __init__(self) -> None:
        self._used: Counter[int] = Counter()

    @contextlib.contextmanager
    def one(self) -> Iterator[int]:
        """The number of the connection of one call, from 0."""
        numbers = itertools.count()
        number = next(each for each in numbers if self._used[each] < MAX_CALLS_OF_CONNECTION)
        self._used[number] += 1
        try:
            yield number
        finally:
            self._used[number] -= 1


@dataclass(frozen=True, slots=True)
class Upstream:
    """A server to call. `own` calls it with the token of this process, if there is one."""

    settings: ClientSettings
    own: AsyncClient
    started: asyncio.Task[None] | None = None
    """The start of a server inside; None: it runs elsewhere."""
    connections: Connections = field(default_factory=Connections)

    @contextlib.asynccontextmanager
    async def client(self, token: str | None) -> AsyncIterator[AsyncClient]:
        """A client for one call, with the token that came with it, if one did."""
        if token is None:
            yield self.own
            return
        # Channels to one target share a connection, so that a client of one's own costs little.
        with self.connections.one() as number:
            async with connect_async(self.settings, token, number) as client:
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
