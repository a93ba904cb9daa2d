"""As _connection, for asyncio. Knows no single method."""

import asyncio
from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc

from groundwire._failures import failure
from groundwire._settings import (
    DEFAULT_MAX_MESSAGE_BYTES,
    DEFAULT_TARGET,
    DEFAULT_TIMEOUT_S,
    TLS,
    Options,
    make_settings,
)
from groundwire.errors import CallCancelledError, ClientClosedError, InternalError

Request = TypeVar("Request")
Response = TypeVar("Response")


class AsyncConnection:
    """What is common to all calls of the client for asyncio."""

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
        """Checks the arguments, which are those of `Client`; the first call connects.

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
        self._channel: grpc.aio.Channel | None = None
        self._streams: set[grpc.aio.UnaryStreamCall[Any, Any]] = set()
        self._closed = False

    async def close(self) -> None:
        """Closes the channel. Calls in flight raise CallCancelledError."""
        self._closed = True
        for call in tuple(self._streams):
            # grpcio 1.76 leaves them waiting when the channel closes.
            call.cancel()
        if self._channel is not None:
            await self._channel.close()

    async def __aenter__(self) -> Self:
        """The client itself, which the end of the block closes."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Closes the client."""
        await self.close()

    def _opened(self) -> grpc.aio.Channel:
        if self._closed:
            raise ClientClosedError("the client was closed")
        if self._channel is None:
            # Not earlier: a channel is bound to the event loop that it is made in.
            self._channel = self._open()
        return self._channel

    def _open(self) -> grpc.aio.Channel:
        settings = self._settings
        if settings.credentials is None:
            return grpc.aio.insecure_channel(settings.target, settings.options)
        return grpc.aio.secure_channel(settings.target, settings.credentials, settings.options)

    async def _call(
        self,
        method: "grpc.aio.UnaryUnaryMultiCallable[Request, Response]",
        request: Request,
        timeout_s: float | None,
        wait_for_ready: bool = False,
    ) -> Response:
        try:
            response = await method(
                request,
                timeout=self._settings.call_timeout_s(timeout_s),
                metadata=self._settings.call_metadata(),
                wait_for_ready=wait_for_ready,
            )
        except grpc.RpcError as error:
            raise failure(error) from error
        except asyncio.CancelledError as error:
            self._raise_if_closed(error)
            raise
        return _readable(response)

    async def _stream(
        self,
        method: "grpc.aio.UnaryStreamMultiCallable[Request, Response]",
        request: Request,
        timeout_s: float,
    ) -> AsyncGenerator[Response, None]:
        """Closing it cancels the call."""
        metadata = self._settings.call_metadata()
        call = method(request, timeout=timeout_s, metadata=metadata)
        self._streams.add(call)
        try:
            async for response in call:
                yield _readable(response)
        except grpc.RpcError as error:
            raise failure(error) from error
        except asyncio.CancelledError as error:
            self._raise_if_closed(error)
            raise
        finally:
            self._streams.discard(call)
            call.cancel()

    def _raise_if_closed(self, error: asyncio.CancelledError) -> None:
        task = asyncio.current_task()
        if self._closed and task is not None and not task.cancelling():
            # It is the call that was cancelled, not the task that awaits it.
            raise CallCancelledError("the client was closed", grpc.StatusCode.CANCELLED) from error


def _readable(response: Response) -> Response:
    if response is None:
        # All that grpc.aio does with bytes that it cannot read is to log them.
        raise InternalError("the answer cannot be read", grpc.StatusCode.INTERNAL)
    return response
