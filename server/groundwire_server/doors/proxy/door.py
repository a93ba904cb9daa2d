"""The proxy's routes: a chat endpoint in front of another one."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Collection, Coroutine, Iterator
from dataclasses import dataclass
from http import HTTPStatus

import httpx2
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from groundwire import AsyncClient, GroundwireError, ServerState, VerifyOptions
from groundwire_server.access.logins import Logins, network_of
from groundwire_server.doors.edge import ANY, PROBES, media_type, name_in, peer_of
from groundwire_server.doors.json_messages import check_size
from groundwire_server.doors.proxy.answering import (
    EVENT_STREAM,
    HEADER,
    Answering,
    RefusedError,
    Treatment,
    pass_on,
)
from groundwire_server.doors.proxy.checking import Checking, Fault, Status
from groundwire_server.doors.proxy.grounds import FIELDS, Grounds, grounds
from groundwire_server.doors.proxy.upstream import ChatEndpoint, is_plain, media_type_of
from groundwire_server.doors.upstream import LARGE_BYTES
from groundwire_server.rpc.admission import QueueFullError
from groundwire_server.rpc.reception import Incoming
from groundwire_server.rpc.status import CallTimeoutError, MalformedRequestError, log_bug
from groundwire_verifier.domain.tasks import in_thread

CHAT, MODELS = "/chat/completions", "/models"
PREFIX = "/v1"
JSON_TYPE = "application/json"

MAX_REQUEST_BYTES = 16 << 20
MAX_REQUEST_VALUES = 100_000
"""The most values in the JSON of a request: while they are made, no other request goes on."""
RECEIVE_TIMEOUT_S = 60.0
"""How long a request may take to come."""
SEND_TIMEOUT_S = 60.0
"""How long a client may take none of its reply: it holds a place that others want."""
READY_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class Proxy:
    """What all requests share."""

    upstream: ChatEndpoint
    client: AsyncClient
    """Asks the Groundwire server."""
    check_timeout_s: float
    """How long a check may take from the end of a reply."""
    kinds: Collection[str]
    """What of a request is evidence: some of KINDS."""
    keeps_fields: bool
    """Whether the fields that hold evidence go upstream."""
    treatment: Treatment
    hosts: Collection[str]
    """The names that requests may be addressed to; "*" is any."""
    logins: Logins | None
    """Who is let in, by a token that goes no further; None: everyone is."""
    most_at_once: int
    """Requests at one time."""


def make_application(proxy: Proxy, incoming: Incoming) -> Starlette:
    """All routes. `incoming` bounds the bodies that have not come whole."""

    async def live(_: Request) -> Response:
        return PlainTextResponse("OK\n")

    async def ready(_: Request) -> Response:
        with contextlib.suppress(GroundwireError):
            info = await proxy.client.server_info(timeout_s=READY_TIMEOUT_S)
            if info.state is ServerState.SERVING:
                return PlainTextResponse("OK\n")
        fails = proxy.treatment.fails_closed
        status = HTTPStatus.SERVICE_UNAVAILABLE if fails else HTTPStatus.OK
        return PlainTextResponse("UNCHECKED\n", status)

    places = _Places(proxy.most_at_once)
    application = Starlette(
        routes=[
            Route(PREFIX + CHAT, _Chat(proxy, places, incoming), methods=["POST"]),
            Route(PREFIX + MODELS, _Models(proxy, places, incoming), methods=["GET"]),
            *(Route(path, probe) for path, probe in zip(PROBES, (live, live, ready), strict=True)),
        ],
        exception_handlers={HTTPStatus.NOT_FOUND: _nothing_here},
    )
    application.router.redirect_slashes = False
    return application


async def _nothing_here(_: Request, __: Exception) -> Response:
    words = (
        f"nothing is here but POST {PREFIX}{CHAT} and GET {PREFIX}{MODELS}: send other requests "
        "to the upstream itself"
    )
    return RefusedError(HTTPStatus.NOT_FOUND, "NOT_FOUND", words).response()


class _Places:
    """Bounds how many requests there are at one time."""

    def __init__(self, most: int) -> None:
        self._free = most

    @contextlib.contextmanager
    def one(self) -> Iterator[None]:
        """A place, if there is one. Raises RefusedError."""
        if not self._free:
            words = "too many requests at one time: try again soon, or raise --parallel"
            raise RefusedError(HTTPStatus.TOO_MANY_REQUESTS, "BUSY", words)
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1


class _Models:
    """Passes a request on, as an application of ASGI."""

    path = MODELS

    def __init__(self, proxy: Proxy, places: _Places, incoming: Incoming) -> None:
        self._proxy = proxy
        self._places = places
        self._incoming = incoming

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun, gone = False, asyncio.get_running_loop().create_future()

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            try:
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await send(message)
            except TimeoutError:
                # As one that has left: what makes the reply is cancelled, here too.
                gone.cancel()
                await asyncio.Event().wait()

        request = Request(scope, receive)
        try:
            self._check_host(request)
            await self._let_in(request)
            # Before it has a place: who sends half of one keeps nobody out.
            body = await self._body(request)
            with self._places.one():
                await _while_there(receive, gone, self._answer(request, body, sending))
            return
        except ClientDisconnect:
            return
        except RefusedError as error:
            refused = error
        except Exception as error:  # noqa: BLE001 - the edge of this door
            log_bug("proxy", error)
            words = "an internal error; the log has it"
            refused = RefusedError(HTTPStatus.INTERNAL_SERVER_ERROR, "INTERNAL", words)
        if not begun:
            await refused.response()(scope, receive, send)

    def _check_host(self, request: Request) -> None:
        """Raise RefusedError for a name that is not ours.

        A web page can give a name of its own our address, and its browser would then let it read
        what we answer.
        """
        hosts = self._proxy.hosts
        if ANY not in hosts and name_in(request.headers.get("host", "")) not in hosts:
            words = "the proxy has no such name as the request's Host: call it by its address"
            raise RefusedError(HTTPStatus.MISDIRECTED_REQUEST, "MISDIRECTED", words)

    async def _let_in(self, request: Request) -> None:
        """Raise RefusedError for a request without a token of ours, before its body is read."""
        logins = self._proxy.logins
        sent = [("authorization", request.headers.get("authorization", ""))]
        if logins is None or logins.caller(sent) is not None:
            return
        await logins.refuse("proxy", peer_of(request.scope))
        words = "the proxy asks for a token: send the header authorization: Bearer TOKEN"
        raise RefusedError(HTTPStatus.UNAUTHORIZED, "UNAUTHENTICATED", words)

    async def _body(self, request: Request) -> bytes:
        """The request's body. Raises RefusedError or ClientDisconnect."""
        data = bytearray()
        announced = request.headers.get("content-length", "")
        until_s = asyncio.get_running_loop().time() + RECEIVE_TIMEOUT_S
        try:
            whose = network_of(peer_of(request.scope))
            async with self._incoming.within(until_s, RECEIVE_TIMEOUT_S, whose):
                _check_size(int(announced) if announced.isdecimal() else 0)
                async for part in request.stream():
                    data += part
                    _check_size(len(data))
        except CallTimeoutError as error:
            raise RefusedError(HTTPStatus.REQUEST_TIMEOUT, "TIMEOUT", str(error)) from None
        except QueueFullError as error:
            raise RefusedError(HTTPStatus.TOO_MANY_REQUESTS, "BUSY", str(error)) from None
        return bytes(data)

    async def _answer(self, request: Request, body: bytes, send: Send) -> None:
        async with self._asked(request, body) as response:
            await pass_on(response, send)

    @contextlib.asynccontextmanager
    async def _asked(self, request: Request, body: bytes) -> AsyncIterator[httpx2.Response]:
        """The upstream's response, closed at the end. Raises RefusedError."""
        headers = request.scope["headers"]
        if self._proxy.logins is not None:
            headers = [each for each in headers if each[0] != b"authorization"]
        try:
            response = await self._proxy.upstream.ask(
                request.method, self.path, request.scope["query_string"], headers, body
            )
        except httpx2.InvalidURL:
            words = "the address of the request has a query that cannot be passed on"
            raise RefusedError(HTTPStatus.BAD_REQUEST, "MALFORMED_REQUEST", words) from None
        except httpx2.TimeoutException:
            words = "the upstream did not answer in time"
            raise RefusedError(HTTPStatus.GATEWAY_TIMEOUT, Fault.UPSTREAM_STALLED, words) from None
        except httpx2.TransportError:
            words = "the upstream cannot be reached"
            raise RefusedError(HTTPStatus.BAD_GATEWAY, "UPSTREAM_UNREACHABLE", words) from None
        try:
            if response.has_redirect_location:
                # A client that follows would get a reply that nobody has verified.
                words = "the upstream redirects: give --upstream the address that it redirects to"
                raise RefusedError(HTTPStatus.BAD_GATEWAY, "UPSTREAM_REDIRECTS", words)
            yield response
        finally:
            await response.aclose()


class _Chat(_Models):
    """The same for a chat, whose reply is checked."""

    path = CHAT

    async def _answer(self, request: Request, body: bytes, send: Send) -> None:
        # A browser asks nobody before it sends plain text or a form for the page of another site.
        if media_type(request.scope) != JSON_TYPE:
            words = f"send the header content-type: {JSON_TYPE}"
            raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "MALFORMED_REQUEST", words)
        proxy = self._proxy
        if len(body) < LARGE_BYTES:
            asked, sent, is_stream = _understood(body, proxy)
        else:
            asked, sent, is_stream = await in_thread(_understood, body, proxy)
        # A short answer may be all that there is, and where replies are held nothing passes unread.
        options = VerifyOptions(min_claim_characters=0 if proxy.treatment.blocks else None)
        checking = Checking(
            proxy.client,
            asked,
            options,
            proxy.check_timeout_s,
            corrects=proxy.treatment.corrects,
        )
        async with checking:
            if is_stream:
                # The server reads the evidence while the model still thinks.
                checking.expect(0)
            async with self._asked(request, sent) as response:
                await self._reply(response, Answering(checking, proxy.treatment), send)

    async def _reply(self, response: httpx2.Response, answering: Answering, send: Send) -> None:
        if not response.is_success:
            await pass_on(response, send)
        elif not is_plain(response):
            if self._proxy.treatment.fails_closed:
                words = "the upstream compressed its reply, which cannot be verified"
                fault = Fault.UPSTREAM_UNREADABLE
                raise RefusedError(HTTPStatus.BAD_GATEWAY, fault, words)
            await pass_on(response, send, (HEADER, Status.UNCHECKED.encode()))
        elif media_type_of(response) == EVENT_STREAM:
            await answering.streamed(response, send)
        else:
            await answering.whole(response, send)


def _check_size(size_bytes: int) -> None:
    if size_bytes > MAX_REQUEST_BYTES:
        words = f"the request is beyond {MAX_REQUEST_BYTES:,} bytes: send a smaller one"
        raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "TOO_LARGE", words)


def _understood(data: bytes, proxy: Proxy) -> tuple[Grounds, bytes, bool]:
    """What a reply is judged by, the body that goes upstream, and whether it asks for a stream.

    Raises RefusedError.
    """
    try:
        check_size(data, MAX_REQUEST_VALUES)
        asked = grounds(body := _object(data), proxy.kinds)
    except MalformedRequestError as error:
        raise RefusedError(HTTPStatus.BAD_REQUEST, "MALFORMED_REQUEST", str(error)) from None
    is_stream = body.get("stream") is True
    if proxy.keeps_fields or "fields" not in proxy.kinds or body.keys().isdisjoint(FIELDS):
        return asked, data, is_stream
    kept = {name: value for name, value in body.items() if name not in FIELDS}
    return asked, json.dumps(kept).encode(), is_stream


def _object(data: bytes) -> dict[str, object]:
    """Raises MalformedRequestError."""
    try:
        body = json.loads(data.decode())
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise MalformedRequestError("", "the body has to be a JSON object in UTF-8")
    return body


async def _while_there(
    receive: Receive, gone: asyncio.Future[None], work: Coroutine[object, object, None]
) -> None:
    """Do work for a client until it is done; once the client leaves, or `gone` is done, the work is
    cancelled.

    Raises ClientDisconnect, or what the work raises.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.create_task(_left(receive))
    try:
        await asyncio.wait((working, leaving, gone), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
        # The place of this request is taken until what it began has ended.
        await asyncio.wait((working, leaving))


async def _left(receive: Receive) -> None:
    """Return once the client is gone. Its body has been read."""
    while (await receive())["type"] != "http.disconnect":
        pass
