"""What happens around every call: tokens, time, admission, exceptions, metrics."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import grpc
from grpc import aio

from groundwire_server.access.callers import CALLER
from groundwire_server.access.logins import Logins
from groundwire_server.rpc.calls import Calls, PeerLeftError, as_generator, begin_response, end_call
from groundwire_server.rpc.reception import RECEIVED_OF_CONNECTION, Reception
from groundwire_server.rpc.request_limits import MessageLimits
from groundwire_server.rpc.status import CallStatus, InvalidTokenError, log_bug, status_of
from groundwire_server.rpc.telemetry import Telemetry
from groundwire_server.rpc.wire import limited

Request = TypeVar("Request")
Response = TypeVar("Response")
if TYPE_CHECKING:  # grpc's classes are generic for type checkers only
    Context: TypeAlias = aio.ServicerContext[Request, Response]
    Handler: TypeAlias = grpc.RpcMethodHandler[Request, Response]
    Continuation: TypeAlias = Callable[
        [grpc.HandlerCallDetails], Awaitable[Handler[Request, Response] | None]
    ]

RECEIVE_TIMEOUT_S = 30.0
"""How long a peer may take to send a request: 16 MiB at 4.5 Mbit/s."""

OPEN_SERVICES = ("/grpc.health.v1.Health/",)
"""Called by supervisors that hold no token; they say nothing but whether the server serves."""


class TokenInterceptor(aio.ServerInterceptor):
    """Refuses calls without a known bearer token, and says who makes the others."""

    def __init__(self, logins: Logins, telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        self._logins = logins

    async def intercept_service(
        self,
        continuation: Continuation[Request, Response],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler[Request, Response] | None:
        """Pass the call on, or answer it with UNAUTHENTICATED."""
        handler = await continuation(handler_call_details)
        is_open = handler_call_details.method.startswith(OPEN_SERVICES)
        if handler is None or is_open:
            return handler
        caller = self._logins.caller(handler_call_details.invocation_metadata)
        if caller is not None:
            # The handler runs in this task, and so do the interceptors behind this one.
            CALLER.set(caller)
            return handler
        status = status_of(InvalidTokenError())
        self._telemetry.record_refusal(status.reason)
        return _refuse(status, self._logins)


class StatusInterceptor(aio.ServerInterceptor):
    """Bounds, admits and records each call, and turns exceptions into statuses.

    The one edge that catches all.
    """

    def __init__(self, calls: Calls, limits: MessageLimits) -> None:
        """Bound, admit and record calls with `calls`, and refuse messages beyond `limits`."""
        self._calls = calls
        self._limits = limits
        self._reception = Reception(RECEIVE_TIMEOUT_S, RECEIVED_OF_CONNECTION)
        # By method; only those that exist get here.
        self._bounded: dict[str, Handler[bytes, bytes]] = {}

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
        # All kinds of calls look the same on the wire. In this one the handler itself receives and
        # sends, so that what bounds a call also bounds what waits for its peer.
        if method not in self._bounded:
            call = as_generator(self._around(handler, method))
            self._bounded[method] = grpc.stream_stream_rpc_method_handler(call)
        return self._bounded[method]  # type: ignore[return-value]

    def _around(
        self, handler: Handler[Request, Response], method: str
    ) -> Callable[[object, Context[bytes, bytes]], Awaitable[None]]:
        # grpc's types describe the handlers of its threaded server; these are coroutines.
        parse = limited(handler.request_deserializer, self._limits.fields)  # type: ignore[arg-type]
        # A response is bytes already when it is sent, so that its size is known here.
        written = self._limits.serialiser(handler.response_serializer, method)  # type: ignore[arg-type]
        unary: Callable[[Request, Context[bytes, bytes]], Awaitable[Response]] | None
        unary = handler.unary_unary  # type: ignore[assignment]
        stream: Callable[[Request, Context[bytes, bytes]], AsyncGenerator[Response]]
        stream = handler.unary_stream  # type: ignore[assignment]
        calls = self._calls

        async def call(_: object, context: Context[bytes, bytes]) -> None:
            async with _Call(calls, method, context), calls.bounded(context):
                data = await self._reception.receive(context)
                with calls.admission.admit_request(len(data)):
                    request = parse(data)
                    del data
                    if unary is not None:
                        response = written(await unary(request, context))
                        await begin_response(context)
                        await context.write(response)
                        return
                    begun = False
                    async with contextlib.aclosing(stream(request, context)) as messages:
                        async for message in messages:
                            response = written(message)
                            if not begun:
                                await begin_response(context)
                                begun = True
                            await context.write(response)

        return call


class _Call:
    """Times one call, and ends it with a status if it raises."""

    def __init__(self, calls: Calls, method: str, context: Context[Request, Response]) -> None:
        self._telemetry = calls.telemetry
        self._tenant = "" if calls.accounts is None else calls.accounts.current.label
        self._method = method.rpartition("/")[2]
        self._context = context
        self._began = 0.0

    async def __aenter__(self) -> None:
        self._began = time.monotonic()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> bool:
        if isinstance(error, aio.AbortError):
            return False
        status = None
        if isinstance(error, Exception) and not isinstance(error, PeerLeftError):
            status = status_of(error)
        code = _code(error, status)
        took_s = time.monotonic() - self._began
        self._telemetry.record_call(self._method, code.name, took_s, self._tenant)
        if status is None:
            return False
        self._telemetry.record_refusal(status.reason)
        if status.code is grpc.StatusCode.INTERNAL:
            log_bug(self._method, error)
        await end_call(self._context, status)
        return True


def _code(error: BaseException | None, status: CallStatus | None) -> grpc.StatusCode:
    if status is not None:
        return status.code
    if isinstance(error, (asyncio.CancelledError, GeneratorExit, PeerLeftError)):
        return grpc.StatusCode.CANCELLED
    return grpc.StatusCode.OK


def _refuse(status: CallStatus, logins: Logins) -> Handler[Request, Response]:
    async def refuse(_: object, context: Context[Request, Response]) -> None:
        await logins.refuse("grpc", context.peer())
        await end_call(context, status)

    # Whatever kind of call it is: this one is refused before any of its request is received.
    return grpc.stream_stream_rpc_method_handler(as_generator(refuse))
