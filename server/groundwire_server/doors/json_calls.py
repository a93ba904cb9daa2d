"""Routes whose request and response are JSON of a shape of their own.

Each has its body read within bounds, checked by a model of pydantic, and answered by a call; who
leaves cancels it.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Generic, TypeVar

import grpc
from google.protobuf.message import Message
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from groundwire_server.doors.edge import media_type, peer_of
from groundwire_server.doors.failures import Failure, made_up, wrong_fields
from groundwire_server.doors.json_messages import json_object, sent
from groundwire_server.doors.upstream import Upstream, timeout_s
from groundwire_server.rpc.dispatch import Arrived
from groundwire_server.rpc.status import MalformedRequestError

Body = TypeVar("Body", bound=BaseModel)
Wanted = TypeVar("Wanted", bound=Message)
Told = TypeVar("Told", bound=Message)


@dataclass(frozen=True, slots=True)
class JsonCall(Generic[Body, Wanted]):
    """A call with its body, the message that was made of it, and the headers that it came with."""

    upstream: Upstream
    body: Body
    wanted: Wanted
    arrived: Arrived
    headers: Mapping[str, str]

    async def ask(self, method: str, request: Message, response: type[Told]) -> Told:
        """Call a method, such as `/package.Service/Method`. Raises CallFailedError."""
        answer = await self.upstream.unary(method, sent(request), self.arrived)
        assert isinstance(answer.message, response)  # noqa: S101 - so the contract has it
        return answer.message

    async def stream(
        self, method: str, request: Message, response: type[Told]
    ) -> AsyncGenerator[Told]:
        """Call a method that has many responses. Raises CallFailedError."""
        answers = self.upstream.stream(method, sent(request), self.arrived)
        async with contextlib.aclosing(answers):
            async for answer in answers:
                assert isinstance(answer.message, response)  # noqa: S101 - so the contract has it
                yield answer.message


Answer = Callable[[JsonCall[Body, Wanted]], Awaitable[Response]]
Refuse = Callable[[Failure], Response]


class JsonRoute(Route):
    """A POST route that answers JSON with JSON.

    `model` is what its bodies are, `told` its answers, and `failed` its failures.
    """

    model: type[BaseModel]
    told: type[BaseModel]
    failed: type[BaseModel]


def json_route(
    path: str,
    model: type[Body],
    answer: Answer[Body, Wanted],
    upstream: Upstream,
    *,
    refuse: Refuse,
    message: Callable[[Body], Wanted],
    told: type[BaseModel],
    failed: type[BaseModel],
) -> JsonRoute:
    """A POST route that answers JSON with JSON.

    `model` forbids what it does not know; its docstring says what the route does. `message`
    makes the server's request of a body, perhaps in a thread. `answer` asks with it,
    and lets what that raises through; both may raise what `rpc.status` has a
    status for. `refuse` gives failures the shape that callers of the route expect. `told` and
    `failed` describe both in the OpenAPI document.
    """

    def make(data: bytes) -> tuple[Body, Wanted]:
        body = parse_body(data, model)
        return body, message(body)

    endpoint = _JsonEndpoint(path, make, answer, upstream, refuse)
    route = JsonRoute(path, endpoint, methods=["POST"])
    route.model, route.told, route.failed = model, told, failed
    return route


def parse_body(data: bytes, model: type[Body]) -> Body:
    """A body as its model. Raises MalformedRequestError, which names the first wrong field."""
    # A model takes many times what a value does, so there must be few of them first.
    json_object(data)
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        field, what = wrong_fields(error, "is no field of this call; leave it out")[0]
        raise MalformedRequestError(field, what) from None


class _JsonEndpoint(Generic[Body, Wanted]):
    """One route, as an application of ASGI."""

    def __init__(
        self,
        name: str,
        make: Callable[[bytes], tuple[Body, Wanted]],
        answer: Answer[Body, Wanted],
        upstream: Upstream,
        refuse: Refuse,
    ) -> None:
        self._name = name
        self._make = make
        self._answer = answer
        self._upstream = upstream
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began_s = time.monotonic()
        try:
            response = await self._respond(Request(scope, receive))
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - the edge of this door
            spent_s = time.monotonic() - began_s
            response = self._refuse(self._upstream.failure(self._name, error, spent_s))
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        upstream = self._upstream
        # A browser asks nobody before it sends plain text or a form for the page of another site.
        if media_type(request.scope) != "application/json":
            words = "send the header content-type: application/json"
            response = self._refuse(made_up(grpc.StatusCode.UNIMPLEMENTED, words))
            response.status_code = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
            return response
        peer = peer_of(request.scope)
        await upstream.check_token(request.headers, peer)
        arrived = Arrived(request.headers.items(), peer, timeout_s(request.headers))
        data = await request.body()
        body, wanted = await upstream.made_of(data, self._make)
        del data
        call = JsonCall(upstream, body, wanted, arrived, request.headers)
        return await self._answered(call, request)

    async def _answered(self, call: JsonCall[Body, Wanted], request: Request) -> Response:
        """The answer of a call whose client waits for it. Raises ClientDisconnect."""
        working = asyncio.ensure_future(self._answer(call))
        leaving = asyncio.create_task(_left(request))
        try:
            await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise ClientDisconnect
            return working.result()
        finally:
            leaving.cancel()
            working.cancel()


async def _left(request: Request) -> None:
    """Return once the client is gone. Its body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
