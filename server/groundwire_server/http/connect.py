"""All services over Connect and gRPC-Web: their methods from their descriptors, without stubs.

Connect's own library speaks both protocols, with binary and with JSON. What is binary goes through
as the bytes that it is, so that the server says what is wrong with them. Knows protocols and JSON.
Does not know any service.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass

import grpc
from connectrpc.code import Code
from connectrpc.codec import Codec
from connectrpc.errors import ConnectError, ErrorDetail
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf import any_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from grpc import aio
from protobuf.wkt import Any, Struct
from starlette.routing import BaseRoute, Mount

from groundwire_server.http.failures import Failure, failure_of, made_up, readable
from groundwire_server.http.upstream import CallOptions, Upstream
from groundwire_server.rpc.status import InvalidTokenError, MalformedRequestError
from groundwire_server.rpc.wire import MAX_MESSAGE_FIELDS

JSON = "json"
LARGE_BYTES = 1 << 16
"""From here on JSON is read and written in a thread, beside which other calls go on."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A message as it is on the wire, and in which codec."""

    data: bytes
    codec: str


Context = RequestContext[Piece, Piece]


def routes(upstream: Upstream) -> Sequence[BaseRoute]:
    """One for each service."""
    application = _Application(upstream)
    return [Mount(f"/{service}", application) for service in upstream.services]


class _Application(ConnectASGIApplication[Upstream]):
    """The methods of all services, and what comes before each: who calls, and how long it waits."""

    def __init__(self, upstream: Upstream) -> None:
        super().__init__(
            service=upstream,
            endpoints=_endpoints,  # type: ignore[arg-type] # its own type of them is private
            interceptors=(_Door(upstream),),
            read_max_bytes=upstream.max_message_bytes,
            codecs=(_Codec("proto"), _Codec(JSON)),
        )

    @property
    def path(self) -> str:
        return "/"


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
            self._upstream.check_token(ctx.request_headers)
            self._upstream.options(ctx.request_headers)
        except (InvalidTokenError, MalformedRequestError) as error:
            raise self._refusal(failure_of(error), ctx, 0.0) from None
        return began_s

    async def on_end(self, token: float, ctx: Context, error: Exception | None, /) -> None:
        if error is None:
            return
        if isinstance(error, aio.AioRpcError):
            # The server has counted it.
            raise _connect_error(failure_of(error), ctx) from None
        if isinstance(error, ConnectError):
            failure = made_up(_STATUSES[error.code], error.message)
            if error.code in (Code.CANCELED, Code.DEADLINE_EXCEEDED):
                # The server has seen it end.
                raise _connect_error(failure, ctx) from None
        else:
            failure = failure_of(error)
        raise self._refusal(failure, ctx, time.monotonic() - token) from None

    def _refusal(self, failure: Failure, ctx: Context, spent_s: float) -> ConnectError:
        """The error of a call that never came to the server, and is counted here."""
        self._upstream.count_refusal(ctx.method.name, failure, spent_s)
        return _connect_error(failure, ctx)


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


def _endpoints(upstream: Upstream) -> Mapping[str, Endpoint[Piece, Piece]]:
    pool = descriptor_pool.Default()
    methods = (
        method for name in upstream.services for method in pool.FindServiceByName(name).methods
    )
    return {path(method): _endpoint(method, upstream) for method in methods}


def path(method: MethodDescriptor) -> str:
    """Where a method is, over gRPC as over HTTP."""
    return f"/{method.containing_service.full_name}/{method.name}"


def _endpoint(method: MethodDescriptor, upstream: Upstream) -> Endpoint[Piece, Piece]:
    at = path(method)
    request_type = message_factory.GetMessageClass(method.input_type)
    response_type = message_factory.GetMessageClass(method.output_type)

    async def unary(request: Piece, ctx: Context) -> Piece:
        data = await _binary(request, request_type)
        response = await upstream.unary(at, data, _options(upstream, ctx))
        return await _as_asked(response, response_type, request.codec)

    async def stream(request: Piece, ctx: Context) -> AsyncGenerator[Piece]:
        data = await _binary(request, request_type)
        messages = upstream.stream(at, data, _options(upstream, ctx))
        async with contextlib.aclosing(messages):
            async for message in messages:
                yield await _as_asked(message, response_type, request.codec)

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


def _options(upstream: Upstream, ctx: Context) -> CallOptions:
    """What the server is told of the call; what receiving the request took is gone by now."""
    options = upstream.options(ctx.request_headers)
    left_ms = ctx.timeout_ms
    options["timeout"] = None if left_ms is None else max(left_ms, 0.0) / 1000
    return options


async def _binary(request: Piece, kind: type[Message]) -> bytes:
    """A request as the server takes it. Raises MalformedRequestError."""
    if request.codec != JSON:
        return request.data
    if len(request.data) < LARGE_BYTES:
        return _from_json(request.data, kind)
    return await asyncio.to_thread(_from_json, request.data, kind)


async def _as_asked(response: bytes, kind: type[Message], codec: str) -> Piece:
    """A response in the codec of its request."""
    if codec != JSON:
        return Piece(response, codec)
    if len(response) < LARGE_BYTES:
        return Piece(_to_json(response, kind), codec)
    return Piece(await asyncio.to_thread(_to_json, response, kind), codec)


def _to_json(data: bytes, kind: type[Message]) -> bytes:
    # Who reads JSON by hand is not to wonder whether a field that is missing is false.
    text = json_format.MessageToJson(
        kind.FromString(data),
        always_print_fields_with_no_presence=True,
        indent=None,
        ensure_ascii=False,
    )
    return text.encode()


def _from_json(data: bytes, kind: type[Message]) -> bytes:
    """The bytes of the message that JSON describes. Raises MalformedRequestError."""
    try:
        value = json.loads(data or b"{}")
    except UnicodeDecodeError:
        raise MalformedRequestError("", "the body is not valid UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise MalformedRequestError("", f"the body is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise MalformedRequestError("", "the body has to be a JSON object")
    _check_count(value)
    try:
        return json_format.ParseDict(value, kind()).SerializeToString()
    except json_format.ParseError as error:
        raise MalformedRequestError("", str(error)) from None


def _check_count(value: object) -> None:
    """Refuse what holds more values than a request can need, before each becomes a field."""
    left = MAX_MESSAGE_FIELDS
    waiting = [value]
    while waiting:
        value = waiting.pop()
        inner = value.values() if isinstance(value, dict) else value
        if isinstance(inner, (list, type({}.values()))):
            left -= len(inner)
            if left < 0:
                raise MalformedRequestError(
                    "",
                    f"the body holds more than {MAX_MESSAGE_FIELDS:,} values: send a smaller one",
                )
            waiting.extend(inner)
