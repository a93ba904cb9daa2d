"""Routes whose request and response are JSON of a shape of their own.

Each has its body read within bounds, checked by a model of pydantic, and answered by way of the
server; who leaves cancels the call. Knows HTTP's side of such a call. Does not know any shape.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from grpc import aio
from pydantic import BaseModel, JsonValue, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from groundwire_server.http.failures import Failure, failure_of
from groundwire_server.http.upstream import CallOptions, Upstream
from groundwire_server.rpc.interceptors import RECEIVE_TIMEOUT_S
from groundwire_server.rpc.status import CallTimeoutError, MalformedRequestError

Body = TypeVar("Body", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class JsonCall(Generic[Body]):
    """A call with its body, and what the calls that it leads to are given."""

    body: Body
    options: CallOptions


Answer = Callable[[JsonCall[Body]], Awaitable[Mapping[str, JsonValue]]]


def json_route(path: str, model: type[Body], answer: Answer[Body], upstream: Upstream) -> Route:
    """A POST route that answers JSON with JSON.

    `model` forbids what it does not know. `answer` calls the server with the call's options, and
    lets what that raises through; it may raise what `rpc.status` has a status for.
    """
    return Route(path, _JsonEndpoint(path, model, answer, upstream), methods=["POST"])


def too_large(limit_bytes: int) -> MalformedRequestError:
    """The error of a body that is beyond `max_message_bytes`."""
    return MalformedRequestError(
        "",
        f"the body has more than {limit_bytes:,} bytes, which is the limit (max_message_bytes): "
        "split the request",
    )


async def read_body(request: Request, limit_bytes: int) -> bytes:
    """A body, never more of it than its limit, within RECEIVE_TIMEOUT_S seconds.

    Raises MalformedRequestError, CallTimeoutError, or ClientDisconnect.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > limit_bytes:
        raise too_large(limit_bytes)
    body = bytearray()
    try:
        async with asyncio.timeout(RECEIVE_TIMEOUT_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit_bytes:
                    raise too_large(limit_bytes)
    except TimeoutError:
        raise CallTimeoutError(
            f"the body was not received within {RECEIVE_TIMEOUT_S:g} s; send it at once, or a "
            "smaller one"
        ) from None
    return bytes(body)


def parse_body(data: bytes, model: type[Body]) -> Body:
    """A body as its model. Raises MalformedRequestError, which names the first wrong field."""
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in first["loc"])
        raise MalformedRequestError(field.removeprefix("."), first["msg"]) from None


class _JsonEndpoint(Generic[Body]):
    """One route, as an application of ASGI."""

    def __init__(
        self, name: str, model: type[Body], answer: Answer[Body], upstream: Upstream
    ) -> None:
        self._name = name
        self._model = model
        self._answer = answer
        self._upstream = upstream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began_s = time.monotonic()
        try:
            response = await self._respond(Request(scope, receive))
        except ClientDisconnect:
            return
        except aio.AioRpcError as error:
            # The server has counted it.
            response = refusal(failure_of(error))
        except Exception as error:  # noqa: BLE001 - the edge of this door
            failure = failure_of(error)
            self._upstream.count_refusal(self._name, failure, time.monotonic() - began_s)
            response = refusal(failure)
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> JSONResponse:
        upstream = self._upstream
        upstream.check_token(request.headers)
        options = upstream.options(request.headers)
        body = parse_body(await read_body(request, upstream.max_message_bytes), self._model)
        working = asyncio.ensure_future(self._answer(JsonCall(body, options)))
        leaving = asyncio.create_task(_left(request))
        try:
            await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise ClientDisconnect
            return JSONResponse(working.result())
        finally:
            leaving.cancel()
            working.cancel()


def refusal(failure: Failure) -> JSONResponse:
    """A response that is nothing but a failure, in the shape of Connect."""
    return JSONResponse(
        failure.as_json(), status_code=failure.http_status, headers=dict(failure.headers())
    )


async def _left(request: Request) -> None:
    """Return once the client is gone. Its body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
