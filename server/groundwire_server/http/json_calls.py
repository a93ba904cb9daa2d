"""Routes whose request and response are JSON of a shape of their own.

Each has its body read within bounds, checked by a model of pydantic, and answered by way of the
server; who leaves cancels the call. Knows HTTP's side of such a call. Does not know any shape.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Generic, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from groundwire_server.http.edge import media_type
from groundwire_server.http.upstream import CallOptions, Upstream
from groundwire_server.rpc.status import MalformedRequestError

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
    return Route(path, _JsonEndpoint(model, answer, upstream), methods=["POST"])


def require_json(request: Request) -> None:
    """Refuse what says that it is anything else.

    A browser asks nobody before it sends plain text or a form for the page of another site.
    """
    if media_type(request.scope) != "application/json":
        raise HTTPException(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send the header content-type: application/json"
        )


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

    def __init__(self, model: type[Body], answer: Answer[Body], upstream: Upstream) -> None:
        self._model = model
        self._answer = answer
        self._upstream = upstream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with contextlib.suppress(ClientDisconnect):
            response = await self._respond(Request(scope, receive))
            await response(scope, receive, send)

    async def _respond(self, request: Request) -> JSONResponse:
        upstream = self._upstream
        require_json(request)
        upstream.check_token(request.headers)
        options = upstream.options(request.headers)
        body = parse_body(await request.body(), self._model)
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


async def _left(request: Request) -> None:
    """Return once the client is gone. Its body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
