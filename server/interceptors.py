"""What happens around every call: tokens, malformed requests, exceptions, metrics.

Knows gRPC's handlers. Does not know any service or message.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import grpc
from grpc import aio

from server.callers import bearer_token
from server.status import CallStatus, InvalidTokenError, status_of
from server.telemetry import Telemetry
from server.wire import Malformed, tolerant

log = logging.getLogger("groundwire.server")

Request = TypeVar("Request")
Response = TypeVar("Response")
if TYPE_CHECKING:  # grpc's classes are generic for type checkers only
    Context: TypeAlias = aio.ServicerContext[Request, Response]
    Handler: TypeAlias = grpc.RpcMethodHandler[Request, Response]
    Continuation: TypeAlias = Callable[
        [grpc.HandlerCallDetails], Awaitable[Handler[Request, Response] | None]
    ]

OPEN_SERVICES = ("/grpc.health.v1.Health/",)
"""Called by supervisors that hold no token; they say nothing but whether the server serves."""


class TokenInterceptor(aio.ServerInterceptor):
    """Refuses calls without a known bearer token."""

    def __init__(self, tokens: Sequence[str], telemetry: Telemetry) -> None:
        """Keep the tokens' digests: equal in length, so a comparison leaks nothing."""
        self._telemetry = telemetry
        self._digests = [hashlib.sha256(token.encode()).digest() for token in tokens]

    async def intercept_service(
        self,
        continuation: Continuation[Request, Response],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler[Request, Response] | None:
        """Pass the call on, or answer it with UNAUTHENTICATED."""
        handler = await continuation(handler_call_details)
        is_open = handler_call_details.method.startswith(OPEN_SERVICES)
        token = bearer_token(handler_call_details.invocation_metadata)
        if handler is None or is_open or self._knows(token):
            return handler
        status = status_of(InvalidTokenError())
        self._telemetry.record_refusal(status.reason)
        return _refuse(handler, status)

    def _knows(self, token: str | None) -> bool:
        digest = hashlib.sha256((token or "").encode()).digest()
        # Every digest is compared, so the time tells nothing of which one matched.
        matches = [hmac.compare_digest(digest, known) for known in self._digests]
        return token is not None and any(matches)


class StatusInterceptor(aio.ServerInterceptor):
    """Turns exceptions into statuses and records each call. The one edge that catches all."""

    def __init__(self, telemetry: Telemetry) -> None:
        """Record calls with `telemetry`."""
        self._telemetry = telemetry

    async def intercept_service(
        self,
        continuation: Continuation[Request, Response],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler[Request, Response] | None:
        """Wrap the handler of our own services; others pass as they are."""
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or not method.startswith("/groundwire."):
            return handler
        # grpc's types describe the handlers of its threaded server; these are coroutines.
        parse = tolerant(handler.request_deserializer)  # type: ignore[arg-type]
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(
                self._unary(handler.unary_unary, method),  # type: ignore[arg-type]
                parse,  # type: ignore[arg-type]
                handler.response_serializer,
            )
        return grpc.unary_stream_rpc_method_handler(
            self._stream(handler.unary_stream, method),  # type: ignore[arg-type]
            parse,  # type: ignore[arg-type]
            handler.response_serializer,
        )

    def _unary(
        self,
        behaviour: Callable[[Request, Context[Request, Response]], Awaitable[Response]],
        method: str,
    ) -> Callable[[Request | Malformed, Context[Request, Response]], Awaitable[Response]]:
        async def call(
            request: Request | Malformed, context: Context[Request, Response]
        ) -> Response:
            async with _Call(self._telemetry, method, context):
                return await behaviour(_whole(request), context)

        return call

    def _stream(
        self,
        behaviour: Callable[[Request, Context[Request, Response]], AsyncIterator[Response]],
        method: str,
    ) -> Callable[[Request | Malformed, Context[Request, Response]], AsyncIterator[Response]]:
        async def call(
            request: Request | Malformed, context: Context[Request, Response]
        ) -> AsyncIterator[Response]:
            async with _Call(self._telemetry, method, context):
                async for message in behaviour(_whole(request), context):
                    yield message

        return call


class _Call:
    """Times one call, and ends it with a status if it raises."""

    def __init__(
        self, telemetry: Telemetry, method: str, context: Context[Request, Response]
    ) -> None:
        self._telemetry = telemetry
        self._method = method.rpartition("/")[2]
        self._abort = context.abort
        self._began = 0.0

    async def __aenter__(self) -> None:
        self._began = time.monotonic()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        if isinstance(error, aio.AbortError):
            return
        status = status_of(error) if isinstance(error, Exception) else None
        code = _code(error, status)
        self._telemetry.record_call(self._method, code.name, time.monotonic() - self._began)
        if status is not None:
            self._telemetry.record_refusal(status.reason)
            if status.code is grpc.StatusCode.INTERNAL:
                # The frames say where; the text of a bug could repeat the text of a request, so it
                # is logged only where somebody asked to see everything.
                frames = "".join(traceback.format_tb(error.__traceback__) if error else [])
                log.error("%s failed: %s\n%s", self._method, type(error).__name__, frames)
                log.debug("%s failed", self._method, exc_info=error)
            try:
                await self._abort(status.code, status.message, status.trailing_metadata())
            except aio.AbortError as abort:
                # Spans record it with all that it came from, and the text of a bug could repeat
                # the text of a request.
                raise abort from None


def _code(error: BaseException | None, status: CallStatus | None) -> grpc.StatusCode:
    if status is not None:
        return status.code
    if isinstance(error, (asyncio.CancelledError, GeneratorExit)):
        return grpc.StatusCode.CANCELLED
    return grpc.StatusCode.OK


def _whole(request: Request | Malformed) -> Request:
    if isinstance(request, Malformed):
        raise request.error
    return request


def _refuse(handler: Handler[Request, Response], status: CallStatus) -> Handler[Request, Response]:
    async def refuse(_: Request, context: Context[Request, Response]) -> Response:
        await context.abort(status.code, status.message, status.trailing_metadata())

    async def refuse_stream(
        request: Request, context: Context[Request, Response]
    ) -> AsyncIterator[Response]:
        yield await refuse(request, context)

    if not handler.response_streaming:
        return grpc.unary_unary_rpc_method_handler(refuse)
    if handler.request_streaming:
        return grpc.stream_stream_rpc_method_handler(refuse_stream)
    return grpc.unary_stream_rpc_method_handler(refuse_stream)
