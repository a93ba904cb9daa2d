"""How requests are received: for how long, and how many at one time, in all and of one connection.

gRPC makes room for a whole message as soon as somebody reads it, and keeps what came of it. So a
peer that announces large messages and never ends them would fill the memory.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar
from weakref import WeakValueDictionary

from grpc import aio

from groundwire_server.access.logins import network_of
from groundwire_server.rpc.admission import DrainingError, PendingLimit, QueueFullError
from groundwire_server.rpc.calls import to_its_end
from groundwire_server.rpc.status import CallTimeoutError, MalformedRequestError

Request = TypeVar("Request")
Response = TypeVar("Response")

RECEIVE_TIMEOUT_S = 30.0
"""How long a peer may take to send a request: 16 MiB at 4.5 Mbit/s."""

MAX_UNFINISHED = 256
"""Requests of all connections that are received at one time: 4 GiB of the largest by default. One
more ends the oldest of the network that has most, as it would be for watchers: what comes whole is
here for a moment only. So many streams may wait for their next request besides, of which a part may
be here already. There one more ends the longest wait of whoever has most: a tenant, or a connection
where no token is asked for. A model may think for minutes before it writes, so a long wait is no
bad sign."""

DISPLACED_RETRY_S = 1.0
"""When a request that was ended for another one may come again."""

RECEIVED_OF_CONNECTION = 16
"""Requests of one connection that are received at one time; the next wait for their turn. What has
come already is received in microseconds, so only who sends slowly waits for itself."""

IDLE_TIMEOUT_S = 120.0
"""How long a stream of requests may bring nothing: a model may think for a while."""

STREAMS_OF_CONNECTION = 100
"""Streams of requests of one connection at one time. What they bring is received whenever it comes,
in no turn, so that those that wait for a model keep nobody out."""

STREAM_BYTES_OF_CONNECTION = 1 << 30
"""What these may hold of messages that have not come whole: where one message may be larger, there
are fewer streams. gRPC has one limit of a message for all methods."""


class Incoming:
    """The requests that have not come whole, at most MAX_UNFINISHED; `unit` is how errors name
    them."""

    def __init__(self, unit: str = "requests that have not come whole") -> None:
        self._unit = unit
        # Whose each is, by what ends it, the oldest first.
        self._limits: dict[asyncio.Timeout, str] = {}
        self._has_ended = False

    @asynccontextmanager
    async def within(self, until_s: float, timeout_s: float, whose: str) -> AsyncIterator[None]:
        """Receive one until a time of the loop, which is `timeout_s` after its begin.

        If there are too many, the oldest ends of whoever has most, this one counted: `whose` says
        whose each is.

        Raises CallTimeoutError after it, QueueFullError if another one took its place, or
        DrainingError if the server stops.
        """
        if len(self._limits) >= MAX_UNFINISHED:
            count = Counter([*self._limits.values(), whose])
            # The first of several.
            oldest = max(self._limits, key=lambda each: count[self._limits[each]])
            del self._limits[oldest]
            _end(oldest)
        limit = asyncio.timeout_at(until_s)
        self._limits[limit] = whose
        try:
            async with limit:
                yield
        except TimeoutError:
            if self._has_ended:
                raise DrainingError from None
            if limit in self._limits:
                raise CallTimeoutError(
                    f"the request was not received within {timeout_s:g} s; "
                    "send it at once, or a smaller one"
                ) from None
            most = MAX_UNFINISHED
            raise QueueFullError(self._unit, most, most, DISPLACED_RETRY_S) from None
        finally:
            self._limits.pop(limit, None)

    def end(self) -> None:
        """End all: the server stops, and a request that has not come whole is no call."""
        self._has_ended = True
        for limit in self._limits:
            _end(limit)


def _end(limit: asyncio.Timeout) -> None:
    if not limit.expired():
        limit.reschedule(asyncio.get_running_loop().time())


class Reception:
    """Receives the requests of handlers that take bytes, each within `timeout_s` seconds, and at
    most `of_connection` of one connection at one time."""

    def __init__(self, timeout_s: float, of_connection: int) -> None:
        self._timeout_s = timeout_s
        self._of_connection = of_connection
        self._incoming = Incoming()
        self._next = Incoming("streams that wait for their next request")
        # By peer: its address and port, or one for all where the server listens on a Unix socket.
        # An entry is gone with the last call that uses it.
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._streams: WeakValueDictionary[str, PendingLimit] = WeakValueDictionary()

    async def receive(self, context: aio.ServicerContext[Request, Response]) -> bytes:
        """The request of a call, once it is the call's turn.

        Raises CallTimeoutError if the peer takes too long, QueueFullError if others come meanwhile,
        no network has more and it took longest of those, MalformedRequestError if it sends none.
        """
        new = asyncio.Semaphore(self._of_connection)
        # Waiting for the others is no fault of this request: it takes of the call's time only.
        async with self._turns.setdefault(context.peer(), new):
            return await self.receive_first(context)

    async def receive_first(self, context: aio.ServicerContext[Request, Response]) -> bytes:
        """The first request of a stream, which waits for no turn and keeps none. See `receive`."""
        until_s = asyncio.get_running_loop().time() + self._timeout_s
        whose = network_of(context.peer())
        async with self._incoming.within(until_s, self._timeout_s, whose):
            data: object = await to_its_end(context.read())
        if not isinstance(data, bytes):
            raise MalformedRequestError("", "the call ended before its request was sent")
        return data

    @contextmanager
    def streaming(
        self, context: aio.ServicerContext[Request, Response], message_bytes: int
    ) -> Iterator[None]:
        """Hold one of the streams that a connection may have, of requests of up to so many bytes.

        Raises QueueFullError.
        """
        fitting = max(1, STREAM_BYTES_OF_CONNECTION // message_bytes)
        new = PendingLimit("streams of one connection", min(STREAMS_OF_CONNECTION, fitting))
        with self._streams.setdefault(context.peer(), new).hold(1):
            yield

    async def receive_next(
        self, context: aio.ServicerContext[Request, Response], whose: str
    ) -> bytes | None:
        """The next request of a stream, or None at its end. `whose` is its tenant or connection.

        Raises CallTimeoutError if it takes too long, or QueueFullError if others come meanwhile,
        nobody has more streams that wait, and it took longest of those.
        """
        until_s = asyncio.get_running_loop().time() + IDLE_TIMEOUT_S
        try:
            async with self._next.within(until_s, IDLE_TIMEOUT_S, whose):
                data: object = await to_its_end(context.read())
        except CallTimeoutError:
            raise CallTimeoutError(
                f"nothing came for {IDLE_TIMEOUT_S:g} s; send what there is, or an empty text "
                "while there is nothing, and end the stream"
            ) from None
        return data if isinstance(data, bytes) else None
