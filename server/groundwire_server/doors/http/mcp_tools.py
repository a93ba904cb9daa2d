"""The tools for agents at /mcp: MCP over streamable HTTP, whose tools call in this process."""

import asyncio
import importlib.util
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from importlib import metadata
from typing import Any, cast
from urllib.parse import urlsplit

import grpc
from google.protobuf import message as protobuf
from google.rpc import status_pb2
from grpc import aio
from grpc_status import rpc_status
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import Message, Receive, Scope, Send

from groundwire import AsyncClient
from groundwire_server.doors.edge import peer_of
from groundwire_server.doors.failures import Failure, RequestTooLargeError, made_up, refusal
from groundwire_server.doors.json_messages import check_size, sent
from groundwire_server.doors.upstream import LARGE_BYTES, Upstream
from groundwire_server.rpc.dispatch import Answer, Arrived
from groundwire_server.rpc.status import CallFailedError
from groundwire_verifier.domain.tasks import in_thread

PATH = "/mcp"
MCP_PACKAGE = "mcp"


def routes(upstream: Upstream) -> Sequence[BaseRoute]:
    """One, where the packages of the extra mcp are installed."""
    if importlib.util.find_spec(MCP_PACKAGE) is None:
        return ()
    # It tells of each request, with texts of errors.
    logging.getLogger(MCP_PACKAGE).setLevel(logging.ERROR)
    # With GET a client waits for what no server of tools has to say, and would hold up its end.
    return [Route(PATH, _Endpoint(upstream), methods=["POST"])]


class _Endpoint:
    """Answers agents, as an application of ASGI. No session is kept between their requests."""

    def __init__(self, upstream: Upstream) -> None:
        from groundwire_server.doors.mcp import door

        self._upstream = upstream
        called = door.AgentClient(_Client(upstream))
        self._server = door.make_server(called, metadata.version("groundwire-server"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        headers = Headers(scope=scope)
        if not _is_own(headers):
            words = "pages of other origins cannot use the tools"
            refused = made_up(grpc.StatusCode.PERMISSION_DENIED, words)
            await refusal(refused)(scope, receive, send)
            return
        await self._upstream.check_token(headers, peer_of(scope))
        body = await Request(scope, receive).body()
        if len(body) < LARGE_BYTES:
            check_size(body)
        else:
            await in_thread(check_size, body)
        manager = StreamableHTTPSessionManager(
            self._server,
            stateless=True,
            max_request_body_size=self._upstream.most_bytes(PATH),
        )
        # Within the request, so that whatever it started ends with it, and knows who calls.
        async with manager.run():
            await manager.handle_request(scope, _again(body, receive), send)


def _again(body: bytes, receive: Receive) -> Receive:
    """Receives a body that was received, and then what follows."""
    received = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def one() -> Message:
        return next(received, None) or await receive()

    return one


def _is_own(headers: Headers) -> bool:
    """Whether a request comes from no page, or from one of this server's own."""
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


class _Client(AsyncClient):
    """The Python client, whose calls stay in this process."""

    def __init__(self, upstream: Upstream) -> None:
        super().__init__(timeout_s=upstream.dispatch.calls.max_call_s)
        self._upstream = upstream

    def _open(self) -> aio.Channel:
        return cast(aio.Channel, _Channel(self._upstream))


class _Channel:
    """What the client uses of a channel. Failures are raised as gRPC has them."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream

    def unary_unary(self, method: str, **_: object) -> Callable[..., Awaitable[protobuf.Message]]:
        """What calls a method that has one response."""

        async def call(request: protobuf.Message, **given: Any) -> protobuf.Message:  # noqa: ANN401 - gRPC's own
            try:
                arrived = Arrived((), "", given["timeout"])
                asked = self._upstream.unary(method, sent(request), arrived)
                return (await asked).message
            except (CallFailedError, RequestTooLargeError) as error:
                raise _as_grpc(self._upstream.failure(method, error, 0.0)) from None

        return call

    def unary_stream(self, method: str, **_: object) -> Callable[..., "_Stream"]:
        """What calls a method that has many."""

        def call(request: protobuf.Message, *, timeout: float | None, **_: object) -> _Stream:
            return _Stream(self._upstream, method, sent(request), Arrived((), "", timeout))

        return call


class _Stream:
    """A call that is answered by many messages."""

    def __init__(self, upstream: Upstream, method: str, *asked: Any) -> None:  # noqa: ANN401
        self._upstream = upstream
        self._method = method
        self._asked = asked
        self._answers: AsyncGenerator[Answer] | None = None
        self._ending: asyncio.Task[None] | None = None

    async def __aiter__(self) -> AsyncIterator[protobuf.Message]:
        try:
            self._answers = self._upstream.stream(self._method, *self._asked)
            async for answer in self._answers:
                yield answer.message
        except (CallFailedError, RequestTooLargeError) as error:
            raise _as_grpc(self._upstream.failure(self._method, error, 0.0)) from None

    def cancel(self) -> None:
        """End the call, if it has not ended."""
        if self._answers is not None:
            self._ending = asyncio.create_task(self._answers.aclose())


def _as_grpc(failure: Failure) -> aio.AioRpcError:
    status = status_pb2.Status(
        code=failure.code.value[0], message=failure.message, details=failure.details
    )
    trailing = aio.Metadata(*rpc_status.to_status(status).trailing_metadata)
    return aio.AioRpcError(failure.code, aio.Metadata(), trailing, failure.message)
