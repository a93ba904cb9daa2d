"""The standard health service, in which no peer can keep the server waiting.

Anybody may call it, without a token. So all that waits for a peer has a time limit, watchers are
counted, and nothing large is kept for them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping

import grpc
from google.protobuf.message import DecodeError, Message
from grpc import aio
from grpc_health.v1 import health_pb2 as pb

from groundwire_server.rpc.admission import QueueFullError
from groundwire_server.rpc.calls import Context, OpenMethod, PeerLeftError, end_call, sending
from groundwire_server.rpc.reception import Reception
from groundwire_server.rpc.status import (
    CallFailedError,
    CallStatus,
    CallTimeoutError,
    MalformedRequestError,
    status_of,
)

NAME = "grpc.health.v1.Health"
MAX_WATCHERS = 100
"""Watchers at one time. One more ends the oldest: anybody may watch, so that refusing the new ones
would let one peer shut all others out for as long as it likes."""

REPLACED_RETRY_S = 1.0
"""When a watcher that was ended may come again."""

MAX_REQUEST_BYTES = 256
PEER_TIMEOUT_S = 10.0
"""How long a peer may take to send its request, or to make room for a message."""

RECEIVED_OF_CONNECTION = 1
"""Requests of one connection that are received at one time: gRPC makes room for 16 MiB of each."""

_NOT_FOUND = CallStatus(
    grpc.StatusCode.NOT_FOUND, "UNSPECIFIED", "there is no service of this name"
)

Send = Callable[[Message], Awaitable[None]]


class Health:
    """Tells whether each service serves; all do at the same time, and the server as a whole, ""."""

    def __init__(self, services: Iterable[str]) -> None:
        self._services = frozenset(("", *services))
        self._serving = False
        self._closed = False
        # What ends each watcher, the oldest first, and what tells it of a change.
        self._watchers: dict[asyncio.Timeout, asyncio.Event] = {}
        self._reception = Reception(PEER_TIMEOUT_S, RECEIVED_OF_CONNECTION)

    @property
    def serves(self) -> bool:
        """Whether all services serve."""
        return self._serving

    @property
    def methods(self) -> Mapping[str, OpenMethod]:
        """The methods of the service by name."""
        return {"Check": self.check, "Watch": self.watch}

    def add_to(self, server: aio.Server) -> None:
        """Let a server answer the calls of the service.

        They look the same on the wire as those of the standard's servicer. Here they receive and
        send themselves, so that the time limits hold there.
        """
        handlers: dict[str, grpc.RpcMethodHandler[bytes, pb.HealthCheckResponse]] = {
            name: grpc.stream_stream_rpc_method_handler(
                _by_grpc(method, self._reception),
                response_serializer=pb.HealthCheckResponse.SerializeToString,
            )
            for name, method in self.methods.items()
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(NAME, handlers),))

    def set_serving(self, serving: bool) -> None:
        """Change the state of all services. After `close` they never serve again."""
        self._serving = serving and not self._closed
        for changed in self._watchers.values():
            changed.set()

    def close(self) -> None:
        """Let no service serve any more. Watchers are told, and their calls end."""
        self._closed = True
        self.set_serving(False)

    async def check(self, data: bytes, send: Send) -> None:
        """The state of the service that a request names; NOT_FOUND if there is none of this name.

        Raises CallFailedError or MalformedRequestError.
        """
        service = _service(data)
        if service not in self._services:
            raise CallFailedError(_NOT_FOUND)
        await send(self._told(service))

    async def watch(self, data: bytes, send: Send) -> None:
        """The state of a service now and whenever it changes, until the server stops.

        Raises QueueFullError for a watcher in whose place another one came, or
        MalformedRequestError.
        """
        service = _service(data)
        # Each watcher has what tells it of changes to itself, and looks at the state when it can
        # send: one that does not read misses states, and nobody waits for it.
        changed = asyncio.Event()
        if len(self._watchers) >= MAX_WATCHERS:
            oldest = next(iter(self._watchers))
            del self._watchers[oldest]
            oldest.reschedule(asyncio.get_running_loop().time())
        replaced = asyncio.timeout(None)
        try:
            async with replaced:
                self._watchers[replaced] = changed
                told: pb.HealthCheckResponse | None = None
                while True:
                    changed.clear()
                    closed, state = self._closed, self._told(service)
                    if state != told:
                        await send(state)
                        told = state
                    if closed:
                        return
                    await changed.wait()
        except TimeoutError:
            if not replaced.expired():
                raise
            raise QueueFullError("watchers", MAX_WATCHERS, MAX_WATCHERS, REPLACED_RETRY_S) from None
        finally:
            self._watchers.pop(replaced, None)

    def _told(self, service: str) -> pb.HealthCheckResponse:
        if service not in self._services:
            return pb.HealthCheckResponse(status="SERVICE_UNKNOWN")
        return pb.HealthCheckResponse(status="SERVING" if self._serving else "NOT_SERVING")


def _service(data: bytes) -> str:
    """The name that a peer asks for. Raises MalformedRequestError."""
    if len(data) > MAX_REQUEST_BYTES:
        words = f"has {len(data):,} bytes; the limit is {MAX_REQUEST_BYTES}: name one service"
        raise MalformedRequestError("service", words)
    try:
        return str(pb.HealthCheckRequest.FromString(data).service)
    except DecodeError:
        raise MalformedRequestError("", "the bytes are no HealthCheckRequest") from None


def _by_grpc(method: OpenMethod, reception: Reception) -> Callable[..., Awaitable[None]]:
    async def call(_: object, context: Context) -> None:
        write = sending(context)

        async def send(response: Message) -> None:
            async with asyncio.timeout(PEER_TIMEOUT_S):
                await write(response)

        try:
            await method(await reception.receive(context), send)
        except TimeoutError:
            words = f"nothing was sent or read for {PEER_TIMEOUT_S:g} s; call again"
            await end_call(context, status_of(CallTimeoutError(words)))
        except (CallFailedError, QueueFullError, MalformedRequestError, CallTimeoutError) as error:
            await end_call(context, status_of(error))
        except PeerLeftError:
            pass  # nobody is there to be told

    return call
