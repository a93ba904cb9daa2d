"""All services over Connect and gRPC-Web: their methods from their descriptors, without stubs.

Connect's own library speaks both protocols, with binary and with JSON. What is binary goes through
as the bytes that it is, so that dispatch says what is wrong with them.
"""

import contextlib
import functools
import json
import time
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

import grpc
from connectrpc.code import Code
from connectrpc.codec import Codec
from connectrpc.errors import ConnectError, ErrorDetail
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf import any_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import MethodDescriptor
from protobuf.wkt import Any, Struct
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Mount
from starlette.types import Receive, Scope, Send

from groundwire_server.doors.edge import media_type
from groundwire_server.doors.failures import Failure, RequestTooLargeError, made_up, readable
from groundwire_server.doors.json_messages import from_json, written
from groundwire_server.doors.upstream import Upstream, timeout_s
from groundwire_server.rpc.dispatch import Answer, Arrived, Sent, path
from groundwire_server.rpc.interceptors import OPEN_SERVICES
from groundwire_server.rpc.status import InvalidTokenError

if TYPE_CHECKING:  # what the application takes is not exported
    from connectrpc._server_shared import EndpointServerStream, EndpointUnary

JSON = "json"
_GRPC_WEB_TYPES = (
    "application/grpc-web",
    "application/grpc-web+proto",
    "application/grpc-web+json",
)
UNARY_TYPES = ("application/json", "application/proto", *_GRPC_WEB_TYPES)
STREAM_TYPES = ("application/connect+json", "application/connect+proto", *_GRPC_WEB_TYPES)
"""What calls may be made of. uvicorn has no HTTP/2, which plain gRPC needs."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A message as it is on the wire, and in which codec."""

    data: bytes
    codec: str


Context = RequestContext[Piece, Piece]

EARLIER_S = 0.005
"""So long before a deadline our own timer ends a call, which says why. Connect's own comes next."""


def routes(upstream: Upstream) -> Sequence[BaseRoute]:
    """One for each service."""
    by_size: dict[int, list[str]] = {}
    for service in upstream.services:
        by_size.setdefault(upstream.most_bytes(f"/{service}/"), []).append(service)
    applications = [
        (services, _Application(upstream, services, most_bytes))
        for most_bytes, services in by_size.items()
    ]
    return [
        Mount(f"/{service}", application)
        for services, application in applications
        for service in services
    ]


class _Application(ConnectASGIApplication[Upstream]):
    """The methods of services, and what comes before each: who calls, and how long it waits."""

    def __init__(
        self,
        upstream: Upstream,
        services: Sequence[str],
        most_bytes: int,
    ) -> None:
        methods = {path(method): method for method in methods_of(services)}
        self._streams = {at: method.server_streaming for at, method in methods.items()}
        super().__init__(
            service=upstream,
            endpoints=lambda _: _endpoints(methods, upstream),
            interceptors=(_Door(upstream),),
            read_max_bytes=most_bytes,
            codecs=(_Codec("proto"), _Codec(JSON)),
        )

    @property
    def path(self) -> str:
        return "/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        streams = self._streams.get(scope["path"])
        if streams is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "this service has no method of this name")
        if scope["method"] != "POST":
            # Connect knows GET, for what changes nothing; a browser asks nobody before it sends it.
            raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, "send a POST", {"allow": "POST"})
        wanted = STREAM_TYPES if streams else UNARY_TYPES
        if media_type(scope) not in wanted:
            kinds = ", ".join(wanted)
            raise HTTPException(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                f"the header content-type has to be one of these: {kinds}",
                {"accept-post": kinds},
            )
        # Connect would find a deadline that is none, too, and give no reason.
        timeout_s(Headers(scope=scope))
        await super().__call__(scope, receive, send)


class _Codec(Codec[Piece, Piece]):
    """Leaves messages as they are: what is in them is read where it does not hold others up."""

    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name

    def encode(self, message: Piece) -> bytes:
        return message.data

    def decode(self, data: bytes | bytearray, message_class: type[Piece]) -> Piece:
        return message_class(bytes(data), self._name)


class _Door:
    """Looks at the headers of a call before its body is read, and gives every error a reason."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream

    async def on_start(self, ctx: Context) -> float:
        began_s = time.monotonic()
        try:
            if f"/{ctx.method.service_name}/" not in OPEN_SERVICES:
                await self._upstream.check_token(ctx.request_headers, ctx.client_address or "")
        except InvalidTokenError as error:
            failure = self._upstream.failure(ctx.method.name, error, 0.0)
            raise _connect_error(failure, ctx) from None
        return began_s

    async def on_end(self, token: float, ctx: Context, error: Exception | None, /) -> None:
        if error is None:
            return
        spent_s = time.monotonic() - token
        if isinstance(error, ConnectError) and error.code is Code.RESOURCE_EXHAUSTED:
            # Connect knows of nothing else that is too much: a body that was packed.
            most_bytes = self._upstream.most_bytes(f"/{ctx.method.service_name}/")
            error = RequestTooLargeError(most_bytes)
        if not isinstance(error, ConnectError):
            failure = self._upstream.failure(ctx.method.name, error, spent_s)
        else:
            failure = made_up(_STATUSES[error.code], error.message)
            # Of a call that ran out of time, or whose client left, dispatch has seen the end.
            if error.code not in (Code.CANCELED, Code.DEADLINE_EXCEEDED):
                self._upstream.count(ctx.method.name, failure, spent_s)
        raise _connect_error(failure, ctx) from None


class _Detail(ErrorDetail):
    """A detail whose fields stand beside its bytes, for people."""

    def __init__(self, detail: any_pb2.Any) -> None:
        super().__init__(Any(type_url=detail.type_url, value=detail.value))
        self._readable = Struct.from_json(json.dumps(readable(detail)))

    def value(self, *_: object) -> Struct:  # type: ignore[override]
        return self._readable


_STATUSES = {
    code: grpc.StatusCode.CANCELLED if code is Code.CANCELED else grpc.StatusCode[code.name]
    for code in Code
}
_CODES = {status: code for code, status in _STATUSES.items()}


def _connect_error(failure: Failure, ctx: Context) -> ConnectError:
    for name, value in failure.headers():
        ctx.response_headers[name] = value
    details = [_Detail(detail) for detail in failure.details]
    return ConnectError(_CODES[failure.code], failure.message, details)


def methods_of(services: Iterable[str]) -> Iterator[MethodDescriptor]:
    """The methods of services by their full names: those whose requests are no streams."""
    pool = descriptor_pool.Default()
    for name in services:
        methods = pool.FindServiceByName(name).methods
        yield from (method for method in methods if not method.client_streaming)


def _endpoints(
    methods: Mapping[str, MethodDescriptor], upstream: Upstream
) -> Mapping[str, "EndpointUnary[Piece, Piece] | EndpointServerStream[Piece, Piece]"]:
    return {at: _endpoint(method, upstream) for at, method in methods.items()}


def _endpoint(
    method: MethodDescriptor, upstream: Upstream
) -> "EndpointUnary[Piece, Piece] | EndpointServerStream[Piece, Piece]":
    at = path(method)
    request_type = message_factory.GetMessageClass(method.input_type)

    async def read(request: Piece) -> Sent:
        if request.codec != JSON:
            return Sent(request.data)
        return await upstream.made_of(request.data, functools.partial(from_json, kind=request_type))

    async def as_asked(answer: Answer, codec: str) -> Piece:
        return Piece(await written(answer) if codec == JSON else answer.data, codec)

    async def unary(request: Piece, ctx: Context) -> Piece:
        answer = await upstream.unary(at, await read(request), _arrived(ctx))
        return await as_asked(answer, request.codec)

    async def stream(request: Piece, ctx: Context) -> AsyncGenerator[Piece]:
        answers = upstream.stream(at, await read(request), _arrived(ctx))
        async with contextlib.aclosing(answers):
            async for answer in answers:
                yield await as_asked(answer, request.codec)

    is_stream = method.server_streaming
    info = MethodInfo(
        name=method.name,
        service_name=method.containing_service.full_name,
        input=Piece,
        output=Piece,
        idempotency_level=IdempotencyLevel.UNKNOWN,
        stream_type=StreamType.SERVER_STREAM if is_stream else StreamType.UNARY,
    )
    if is_stream:
        return Endpoint.server_stream(info, stream)
    return Endpoint.unary(info, unary)


def _arrived(ctx: Context) -> Arrived:
    """What is known of the call; what receiving its request took is gone by now."""
    left_ms = ctx.timeout_ms
    left_s = None if left_ms is None else max(left_ms / 1000 - EARLIER_S, 0.0)
    return Arrived(ctx.request_headers.items(), ctx.client_address or "", left_s)
