"""Calls from method and request to response: one way for gRPC and for every door."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import grpc
from google.protobuf import message_factory
from google.protobuf.descriptor import FileDescriptor, MethodDescriptor
from google.protobuf.message import Message
from grpc import aio

from groundwire_server.access.callers import Metadata
from groundwire_server.rpc.calls import Calls, OpenMethod, PeerLeftError, end_call, sending
from groundwire_server.rpc.health import NAME as HEALTH
from groundwire_server.rpc.health import Health
from groundwire_server.rpc.reception import RECEIVE_TIMEOUT_S, RECEIVED_OF_CONNECTION, Reception
from groundwire_server.rpc.status import (
    CallFailedError,
    CallTimeoutError,
    NotEnabledError,
    log_bug,
    status_of,
)
from groundwire_server.rpc.wire import MessageLimits, limited

if TYPE_CHECKING:  # grpc's classes are generic for type checkers only
    BytesContext: TypeAlias = aio.ServicerContext[bytes, bytes]
    Handler: TypeAlias = grpc.RpcMethodHandler[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Arrived:
    """What is known of a call beside its request. `peer` is an address with its port, and `left_s`
    the time that the caller waits; None: for as long as the server lets it run."""

    metadata: Metadata | None
    peer: str
    left_s: float | None


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it came. `message` is what `data` holds, where a door has made it already."""

    data: bytes
    message: Message | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A response, and its bytes."""

    message: Message
    data: bytes


Receive = Callable[[], Awaitable[Sent]]
ReceiveNext = Callable[[], Awaitable[bytes | None]]
"""The next request of a stream; None at its end."""
Send = Callable[[Answer], Awaitable[None]]


Off = Callable[[], NotEnabledError]
"""Says which setting keeps a service off."""

STREAM_ROOM_BYTES = 65_536
"""What a stream of requests holds of the bytes of requests at a time, before it needs more."""


@dataclass(frozen=True, slots=True)
class _Method:
    """A method of ours: how its requests are read, and what answers them.

    One that `takes_stream` gets all its requests as they come, and answers with a stream. One that
    is switched off gives what says so.
    """

    path: str
    parse: Callable[[bytes, Message | None], Message]
    unary: Callable[[Message, None], Awaitable[Message]] | None
    stream: Callable[[Message | AsyncIterator[Message], None], AsyncGenerator[Message]] | None
    takes_stream: bool
    off: Off | None

    async def responses(
        self, request: Message, others: AsyncIterator[Message]
    ) -> AsyncGenerator[Message]:
        """All responses to a request, and to the `others` of its stream, if it has one.

        No service looks at gRPC's context, so none gets one.
        """
        if self.unary is not None:
            yield await self.unary(request, None)
        if self.stream is not None:
            asked = _one_by_one(request, others) if self.takes_stream else request
            async with contextlib.aclosing(self.stream(asked, None)) as messages:
                async for message in messages:
                    yield message


class Dispatch:
    """Bounds, admits, records and answers calls, and gives each that fails a status.

    The one edge that catches all.
    """

    def __init__(self, calls: Calls, limits: MessageLimits, health: Health) -> None:
        """Bound, admit and record calls with `calls`, and refuse messages beyond `limits`.

        Those of `health` are open to all: they need no place and are not recorded.
        """
        self.calls = calls
        self.limits = limits
        self._reception = Reception(RECEIVE_TIMEOUT_S, RECEIVED_OF_CONNECTION)
        self._methods: dict[str, _Method] = {}
        self._open = {f"/{HEALTH}/{name}": method for name, method in health.methods.items()}

    def add(
        self, file: FileDescriptor, servicer: object, off: Off | None, always: Collection[str]
    ) -> None:
        """Answer the calls of the service in a file by the methods of `servicer`.

        Where it is `off`, only those of `always` answer.
        """
        (service,) = file.services_by_name.values()
        for method in service.methods:
            kind = message_factory.GetMessageClass(method.input_type)
            is_off = off is not None and method.name not in always
            run = None if is_off else getattr(servicer, method.name)
            self._methods[path(method)] = _Method(
                path(method),
                limited(kind.FromString, self.limits.fields),
                None if method.server_streaming else run,
                run if method.server_streaming else None,
                method.client_streaming,
                off if is_off else None,
            )

    def add_to(self, server: aio.Server) -> None:
        """Let gRPC answer all calls but those of the health service, which adds itself."""
        # All kinds of calls look the same on the wire. In this one the handler itself receives and
        # sends, so that what bounds a call also bounds what waits for its peer.
        by_service: dict[str, dict[str, Handler]] = {}
        for method in self._methods.values():
            _, service, name = method.path.split("/")
            call = functools.partial(self._by_grpc, method)
            handler: Handler = grpc.stream_stream_rpc_method_handler(call)
            by_service.setdefault(service, {})[name] = handler
        server.add_generic_rpc_handlers(
            tuple(grpc.method_handlers_generic_handler(*each) for each in by_service.items())
        )

    async def unary(self, method: str, sent: Sent, arrived: Arrived) -> Answer:
        """The response of a method that has one. Raises CallFailedError."""
        answers: list[Answer] = []

        async def send(answer: Answer) -> None:
            answers.append(answer)

        await self._serve(method, arrived, _at_once(sent), send, _nothing_more)
        return answers[0]

    async def stream(self, method: str, sent: Sent, arrived: Arrived) -> AsyncGenerator[Answer]:
        """The responses of a method that has many, each once the one before it was taken.

        Raises CallFailedError. Closing it ends the call.
        """
        room, answers = asyncio.Semaphore(1), asyncio.Queue[Answer | None]()

        async def send(answer: Answer) -> None:
            await room.acquire()
            answers.put_nowait(answer)

        # In a task of its own: its time passes also while whoever asked does not take an answer.
        serving = asyncio.create_task(
            self._serve(method, arrived, _at_once(sent), send, _nothing_more)
        )
        serving.add_done_callback(lambda _: answers.put_nowait(None))
        try:
            while (answer := await answers.get()) is not None:
                yield answer
                room.release()
            await serving
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    async def _by_grpc(self, method: _Method, _: object, context: BytesContext) -> None:
        write = sending(context)

        async def receive() -> Sent:
            if method.takes_stream:
                most = self.limits.message_bytes
                stream.enter_context(self._reception.streaming(context, most))
                return Sent(await self._reception.receive_first(context))
            return Sent(await self._reception.receive(context))

        async def send(answer: Answer) -> None:
            await write(answer.data)

        metadata, left_s = context.invocation_metadata(), context.time_remaining()
        arrived = Arrived(metadata, context.peer(), left_s)
        whose = self.calls.owner() or context.peer()
        more = functools.partial(self._reception.receive_next, context, whose)
        try:
            with contextlib.ExitStack() as stream:
                await self._serve(method.path, arrived, receive, send, more)
        except CallFailedError as error:
            await end_call(context, error.status)
        except PeerLeftError:
            pass  # nobody is there to be told

    async def _serve(
        self, method: str, arrived: Arrived, receive: Receive, send: Send, more: ReceiveNext
    ) -> None:
        """Answer one call. Raises CallFailedError, or PeerLeftError of the transport."""
        if method in self._open:
            await self._serve_open(self._open[method], arrived, receive, send)
            return
        called, calls = self._methods[method], self.calls
        with self._recorded(method, arrived):
            async with calls.bounded(arrived.left_s):
                sent = await receive()
                with calls.admission.admit_request(len(sent.data)):
                    request = called.parse(sent.data, sent.message)
                    del sent
                    if called.off is not None:
                        raise called.off()
                    async with (
                        contextlib.aclosing(self._others(called, more)) as others,
                        contextlib.aclosing(called.responses(request, others)) as responses,
                    ):
                        async for message in responses:
                            await send(Answer(message, self.limits.written(message, method)))

    async def _others(self, called: _Method, more: ReceiveNext) -> AsyncGenerator[Message]:
        """The requests of a stream behind its first, whose bytes are held as those of others are.

        Raises QueueFullError.
        """
        admission, received, held = self.calls.admission, 0, 0
        with contextlib.ExitStack() as places:
            while (data := await more()) is not None:
                received += len(data)
                if received > held:
                    room = max(STREAM_ROOM_BYTES, received - held)
                    hold = admission.bytes.hold(room)
                    limit = admission.bytes.limit
                    places.enter_context(admission.admit_part("bytes", room, limit, hold))
                    held += room
                yield called.parse(data, None)

    @contextlib.contextmanager
    def _recorded(self, method: str, arrived: Arrived) -> Iterator[None]:
        """Time one call, count how it ends, and say it by a status. Raises CallFailedError."""
        telemetry, name = self.calls.telemetry, method.rpartition("/")[2]
        accounts = self.calls.accounts
        tenant = "" if accounts is None else accounts.current.label
        began_s = time.monotonic()
        code = grpc.StatusCode.OK
        with telemetry.call_span(method, arrived.metadata, arrived.peer):
            try:
                yield
            except PeerLeftError:
                code = grpc.StatusCode.CANCELLED
                raise
            except Exception as error:  # noqa: BLE001 - the edge of all calls
                status = status_of(error)
                code = status.code
                telemetry.record_refusal(status.reason)
                if code is grpc.StatusCode.INTERNAL:
                    log_bug(name, error)
                raise CallFailedError(status) from None
            except BaseException:
                code = grpc.StatusCode.CANCELLED
                raise
            finally:
                telemetry.record_call(name, code.name, time.monotonic() - began_s, tenant)

    async def _serve_open(
        self, run: OpenMethod, arrived: Arrived, receive: Receive, send: Send
    ) -> None:
        async def sent(message: Message) -> None:
            await send(Answer(message, message.SerializeToString()))

        try:
            async with asyncio.timeout(arrived.left_s):
                await run((await receive()).data, sent)
        except TimeoutError:
            late = CallTimeoutError(f"the call took longer than {arrived.left_s:.3g} s")
            raise CallFailedError(status_of(late)) from None


def path(method: MethodDescriptor) -> str:
    """Where a method is, over gRPC as over HTTP."""
    return f"/{method.containing_service.full_name}/{method.name}"


async def _one_by_one(first: Message, others: AsyncIterator[Message]) -> AsyncGenerator[Message]:
    yield first
    async for message in others:
        yield message


async def _nothing_more() -> None:
    return None


def _at_once(sent: Sent) -> Receive:
    async def receive() -> Sent:
        return sent

    return receive
