"""A channel to one server, and how calls run over it, for both clients."""

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable, Iterator
from types import TracebackType
from typing import Any, Self

import grpc
from google.protobuf.message import Message

from groundwire._wire.calls import Call, Response, Result, StreamCall, Talk, TalkCall, path_of
from groundwire._wire.failures import failure
from groundwire._wire.settings import (
    DEFAULT_MAX_MESSAGE_BYTES,
    DEFAULT_TARGET,
    DEFAULT_TIMEOUT_S,
    TLS,
    Options,
    make_settings,
)
from groundwire.errors import (
    CallCancelledError,
    ClientClosedError,
    ConfigurationError,
    InternalError,
    UnavailableError,
)

FAILED_SEND = "Internal error from Core"
"""What grpcio says of a call that ended while a message was sent: it has lost how."""


class _Connection(ABC):
    """How the server is reached, for both."""

    def __init__(
        self,
        target: str = DEFAULT_TARGET,
        *,
        token: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        tls: TLS | None = None,
        allow_plaintext: bool = False,
        max_message_bytes: int = DEFAULT_MAX_MESSAGE_BYTES,
        options: Options = (),
    ) -> None:
        """Checks the arguments; the first call connects.

        Args:
            target: `host:port`, or another target that gRPC knows, such as `unix:/run/socket`.
            token: sent as `authorization: Bearer` with every call; None: no token.
            timeout_s: the time-out of a call that names none, in seconds; above 0.
            tls: None: plaintext, which only loopback targets and Unix sockets take.
            allow_plaintext: take plaintext, the token included, to any target.
            max_message_bytes: the largest message, in either direction.
            options: channel arguments of gRPC, which come before those of the client.

        Raises:
            ConfigurationError: an argument cannot be used.
        """
        self._settings = make_settings(
            target,
            token=token,
            timeout_s=timeout_s,
            tls=tls,
            allow_plaintext=allow_plaintext,
            max_message_bytes=max_message_bytes,
            options=options,
        )
        self._closed = False
        self._prepare()

    @abstractmethod
    def _prepare(self) -> None:
        """Makes what the calls share."""

    def _check_open(self) -> None:
        if self._closed:
            raise ClientClosedError("the client was closed")


class Connection(_Connection):
    """A channel whose calls block. Threads may share it."""

    def _prepare(self) -> None:
        self._channel = self._open()

    def close(self) -> None:
        """Closes the channel. Calls in flight raise CallCancelledError."""
        self._closed = True
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _open(self) -> grpc.Channel:
        settings = self._settings
        if settings.credentials is None:
            return grpc.insecure_channel(settings.target, settings.options)
        return grpc.secure_channel(settings.target, settings.credentials, settings.options)

    def _run(
        self,
        call: Call[Response, Result],
        timeout_s: float | None,
        wait_for_ready: bool = False,
    ) -> Result:
        self._check_open()
        method = self._channel.unary_unary(
            path_of(call),
            request_serializer=serialized,
            response_deserializer=call.response.FromString,
        )
        try:
            response = method(
                call.request,
                timeout=self._settings.call_timeout_s(timeout_s),
                metadata=self._settings.call_metadata(call.request),
                wait_for_ready=wait_for_ready,
            )
        except grpc.RpcError as error:
            raise failure(error) from error
        return call.read(response)

    def _stream(
        self, call: StreamCall[Response, Result], timeout_s: float | None
    ) -> Generator[Result, None, None]:
        """Calls when the first event is asked for; closing it cancels the call."""
        return self._events(call, self._settings.call_timeout_s(timeout_s))

    def _events(
        self, call: StreamCall[Response, Result], timeout_s: float
    ) -> Generator[Result, None, None]:
        self._check_open()
        method = self._channel.unary_stream(
            path_of(call),
            request_serializer=serialized,
            response_deserializer=call.response.FromString,
        )
        reader = call.reader()
        metadata = self._settings.call_metadata(call.request)
        running = method(call.request, timeout=timeout_s, metadata=metadata)
        try:
            for response in running:
                yield from reader.read(response)
        except grpc.RpcError as error:
            raise failure(error) from error
        finally:
            running.cancel()
        yield from reader.end()

    def _talk(
        self, call: TalkCall[Response, Result], text: Iterable[str], timeout_s: float | None
    ) -> Generator[Result, None, None]:
        """Calls when the first event is asked for; closing it cancels the call."""
        return self._said(call, text, self._settings.call_timeout_s(timeout_s))

    def _said(
        self, call: TalkCall[Response, Result], text: Iterable[str], timeout_s: float
    ) -> Generator[Result, None, None]:
        self._check_open()
        method = self._channel.stream_stream(
            path_of(call),
            request_serializer=serialized,
            response_deserializer=call.response.FromString,
        )
        talk, failed = call.talk(), list[Exception]()

        def requests() -> Iterator[Message]:
            # gRPC runs it in a thread of its own, and would log what it raises.
            yield call.request
            try:
                yield from map(talk.piece, text)
            except Exception as error:  # noqa: BLE001 - the caller's, who gets it
                failed.append(error)
                running.cancel()
                return
            yield talk.whole()

        metadata = self._settings.call_metadata(call.request)
        running = method(requests(), timeout=timeout_s, metadata=metadata)
        try:
            for response in running:
                yield from talk.read(response)
        except grpc.RpcError as error:
            if failed:
                raise failed[0] from None
            raise failure(error) from error
        finally:
            running.cancel()
        yield from talk.end()


class AsyncConnection(_Connection):
    """A channel of the event loop that calls; another loop, one after the other, gets another."""

    def _prepare(self) -> None:
        self._channel: grpc.aio.Channel | None = None
        self._opened_in: tuple[int, asyncio.AbstractEventLoop] | None = None
        self._streams: set[grpc.aio.Call] = set()

    async def close(self) -> None:
        """Closes the channel. Calls in flight raise CallCancelledError."""
        self._closed = True
        for call in tuple(self._streams):
            # grpcio 1.76 leaves them waiting when the channel closes.
            call.cancel()
        # That of a loop that has ended ended with it.
        if self._channel is not None and self._opened_in == _here():
            await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def _opened(self) -> grpc.aio.Channel:
        self._check_open()
        here = _here()
        if self._opened_in is not None and self._opened_in[0] != here[0]:
            raise ConfigurationError(
                "this process was forked after the client's first call, and no call of it would "
                "end: make a client in each process"
            )
        if self._channel is None or self._opened_in != here:
            # Not earlier: a channel is bound to the event loop that it is made in.
            self._channel, self._opened_in = self._open(), here
            self._streams.clear()
        return self._channel

    def _open(self) -> grpc.aio.Channel:
        settings = self._settings
        if settings.credentials is None:
            return grpc.aio.insecure_channel(settings.target, settings.options)
        return grpc.aio.secure_channel(settings.target, settings.credentials, settings.options)

    async def _run(
        self,
        call: Call[Response, Result],
        timeout_s: float | None,
        wait_for_ready: bool = False,
    ) -> Result:
        method = self._opened().unary_unary(
            path_of(call),
            request_serializer=serialized,
            response_deserializer=call.response.FromString,
        )
        try:
            response = await method(
                call.request,
                timeout=self._settings.call_timeout_s(timeout_s),
                metadata=self._settings.call_metadata(call.request),
                wait_for_ready=wait_for_ready,
            )
        except grpc.RpcError as error:
            raise failure(error) from error
        except asyncio.CancelledError as error:
            self._raise_if_closed(error)
            raise
        return call.read(readable(response))

    def _stream(
        self, call: StreamCall[Response, Result], timeout_s: float | None
    ) -> AsyncGenerator[Result, None]:
        """Calls when the first event is asked for; closing it cancels the call."""
        return self._events(call, self._settings.call_timeout_s(timeout_s))

    async def _events(
        self, call: StreamCall[Response, Result], timeout_s: float
    ) -> AsyncGenerator[Result, None]:
        method = self._opened().unary_stream(
            path_of(call),
            request_serializer=serialized,
            response_deserializer=call.response.FromString,
        )
        reader = call.reader()
        metadata = self._settings.call_metadata(call.request)
        running = method(call.request, timeout=timeout_s, metadata=metadata)
        self._streams.add(running)
        try:
            async for response in running:
                for event in reader.read(readable(response)):
                    yield event
        except grpc.RpcError as error:
            raise failure(error) from error
        except asyncio.CancelledError as error:
            self._raise_if_closed(error)
            raise
        finally:
            self._streams.discard(running)
            running.cancel()
        for event in reader.end():
            yield event

    def _talk(
        self, call: TalkCall[Response, Result], text: AsyncIterable[str], timeout_s: float | None
    ) -> AsyncGenerator[Result, None]:
        """Calls when the first event is asked for; closing it cancels the call."""
        return self._said(call, text, self._settings.call_timeout_s(timeout_s))

    async def _said(
        self, call: TalkCall[Response, Result], text: AsyncIterable[str], timeout_s: float
    ) -> AsyncGenerator[Result, None]:
        method = self._opened().stream_stream(
            path_of(call),
            request_serializer=serialized,
            response_deserializer=call.response.FromString,
        )
        talk = call.talk()
        metadata = self._settings.call_metadata(call.request)
        running = method(timeout=timeout_s, metadata=metadata)
        self._streams.add(running)
        answered = asyncio.Event()
        writing = asyncio.create_task(_write(running, call.request, answered, text, talk))
        try:
            async for response in running:
                answered.set()
                for event in talk.read(readable(response)):
                    yield event
        except grpc.aio.AioRpcError as error:
            if error.details() != FAILED_SEND:
                raise failure(error) from error
            if not talk.is_over:
                words = "the call ended while text was sent, and how is not known"
                raise UnavailableError(words, grpc.StatusCode.UNAVAILABLE) from error
        except asyncio.CancelledError as error:
            if writing.done() and not writing.cancelled() and (wrong := writing.exception()):
                raise wrong from None
            self._raise_if_closed(error)
            raise
        finally:
            self._streams.discard(running)
            running.cancel()
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
        for event in talk.end():
            yield event

    def _raise_if_closed(self, error: asyncio.CancelledError) -> None:
        task = asyncio.current_task()
        if self._closed and task is not None and not task.cancelling():
            # It is the call that was cancelled, not the task that awaits it.
            raise CallCancelledError("the client was closed", grpc.StatusCode.CANCELLED) from error


async def _write(
    running: grpc.aio.StreamStreamCall[Any, Any],
    first: Message,
    answered: asyncio.Event,
    text: AsyncIterable[str],
    talk: Talk[Any, Any],
) -> None:
    """Sends a text as it comes, as long as the call lasts. Raises what the text raises.

    Nothing is sent behind the first request before that is `answered`: a refusal that meets a
    message on its way is lost in grpcio.
    """
    waiting: list[Message] = []
    turn = asyncio.Lock()

    async def send() -> None:
        await answered.wait()
        async with turn:
            while waiting and not running.done():
                await running.write(waiting.pop(0))

    # What came before the answer goes out with it, also while the text pauses.
    sending = asyncio.create_task(send())
    try:
        try:
            await running.write(first)
            async for piece in text:
                waiting.append(talk.piece(piece))
                if answered.is_set():
                    await send()
            waiting.append(talk.whole())
            await sending
            await send()
            await running.done_writing()
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
    except (grpc.RpcError, asyncio.InvalidStateError):
        pass  # the call is over, and who reads it knows how
    except Exception:
        # Last of all: who reads the cancelled call looks for this error at once.
        running.cancel()
        raise


def _here() -> tuple[int, asyncio.AbstractEventLoop]:
    """The process and the event loop that call."""
    return os.getpid(), asyncio.get_running_loop()


def serialized(request: Message) -> bytes:
    """The bytes of a request."""
    return request.SerializeToString()


def readable(response: Response | None) -> Response:
    """The response. Raises InternalError for one whose bytes could not be read."""
    if response is None:
        # All that grpc.aio does with bytes that it cannot read is to log them.
        raise InternalError("the answer cannot be read", grpc.StatusCode.INTERNAL)
    return response
