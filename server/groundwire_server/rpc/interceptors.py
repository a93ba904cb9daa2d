"""Who may call by gRPC: the token of each call is looked at before its request is received."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import grpc
from grpc import aio

from groundwire_server.access.callers import CALLER
from groundwire_server.access.logins import Logins
from groundwire_server.rpc.calls import end_call
from groundwire_server.rpc.status import CallFailedError, CallStatus, InvalidTokenError, status_of
from groundwire_server.rpc.telemetry import Telemetry

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
        return _refuse(status, self._logins, self._telemetry, handler_call_details)


def _refuse(
    status: CallStatus, logins: Logins, telemetry: Telemetry, details: grpc.HandlerCallDetails
) -> Handler[Request, Response]:
    async def refuse(_: object, context: Context[Request, Response]) -> None:
        try:
            with telemetry.call_span(details.method, details.invocation_metadata, context.peer()):
                await logins.refuse("grpc", context.peer())
                raise CallFailedError(status)
        except CallFailedError:
            await end_call(context, status)

    # Whatever kind of call it is: this one is refused before any of its request is received.
    return grpc.stream_stream_rpc_method_handler(refuse)
