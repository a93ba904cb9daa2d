"""What holds for every request of HTTP, before any route sees it.

Who it is addressed to, how large its body may be and how long that may take, and what a client is
told of a bug.
"""

import asyncio
import contextlib
import time
from collections.abc import Collection
from http import HTTPStatus
from urllib.parse import urlsplit

import grpc
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from groundwire_server.access.logins import network_of
from groundwire_server.doors.failures import RequestTooLargeError, made_up, refusal
from groundwire_server.doors.upstream import Upstream
from groundwire_server.rpc.reception import RECEIVE_TIMEOUT_S, Incoming

ENVELOPE_BYTES = 5
"""What Connect and gRPC-Web put before the message of a stream."""

ANY = "*"
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")

PROBES = ("/healthz", "/livez", "/readyz")
"""What supervisors ask, by whichever name or address. No page learns anything from them."""

REST_BYTES, REST_TIMEOUT_S = 1 << 16, 1.0
"""How large a body may be that is still received when its request is refused, and how long."""


class Edge:
    """Lets requests through to an application."""

    def __init__(
        self,
        app: ASGIApp,
        upstream: Upstream,
        hosts: Collection[str],
        incoming: Incoming,
    ) -> None:
        """`hosts` are the names that requests may be addressed to, in lower case; "*" is any.

        `incoming` bounds the bodies that have not come whole.
        """
        self._app = app
        self._upstream = upstream
        self._hosts = hosts
        self._incoming = incoming

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        # What no client of ours sends, and Connect cannot read.
        kept = [(name, value) for name, value in scope["headers"] if value.isascii()]
        scope = {**scope, "headers": kept}
        headers = Headers(scope=scope)
        if scope["path"] not in PROBES and not self._goes_by(headers.get("host", "")):
            words = "this server has no such name as the request's Host: name it in http_hosts"
            failure = made_up(grpc.StatusCode.INVALID_ARGUMENT, words)
            await refusal(failure, HTTPStatus.MISDIRECTED_REQUEST)(scope, receive, send)
            return
        most_bytes = self._upstream.most_bytes(scope["path"])
        body = _Body(scope, receive, most_bytes + ENVELOPE_BYTES, self._incoming)
        began_s = time.monotonic()
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            if not begun and not await body.is_done():
                # What is left of it would be read for ever, and thrown away.
                message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            begun = True
            await send(message)

        try:
            await self._app(scope, body, sending)
        except Exception as error:  # noqa: BLE001 - the edge of this door
            spent_s = time.monotonic() - began_s
            failure = self._upstream.failure("http", error, spent_s)
            if not begun:
                await refusal(failure)(scope, receive, sending)

    def _goes_by(self, host: str) -> bool:
        """Whether a request is for this server.

        A web page can give a name of its own our address, and its browser would take what we answer
        for the page's own.
        """
        return "*" in self._hosts or name_in(host) in self._hosts


def name_in(host: str) -> str:
    """The name in a host with or without a port, in lower case and without the dot that may end it;
    empty if it is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").removesuffix(".")
    except ValueError:
        return ""


def peer_of(scope: Scope) -> str:
    """The address of a request's client, with its port."""
    host, port = scope.get("client") or ("", 0)
    return f"{host}:{port}"


def media_type(scope: Scope) -> str:
    """What a request says that its body is, without parameters."""
    return Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower()


class _Body:
    """Receives a request: its body within bounds of bytes and time, then what follows."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        limit_bytes: int,
        incoming: Incoming,
    ) -> None:
        headers = Headers(scope=scope)
        self._whose = network_of(peer_of(scope))
        self._receive = receive
        self._incoming = incoming
        self._limit_bytes = limit_bytes
        announced = headers.get("content-length", "")
        # Known to be too large, none of it is read.
        self._size_bytes = int(announced) if announced.isdecimal() else 0
        self._come_bytes = 0
        self._is_whole = not self._size_bytes and "transfer-encoding" not in headers
        self._until_s = asyncio.get_running_loop().time() + RECEIVE_TIMEOUT_S

    async def __call__(self) -> Message:
        if self._is_whole:
            return await self._receive()
        self._check_size()
        async with self._incoming.within(self._until_s, RECEIVE_TIMEOUT_S, self._whose):
            message = await self._receive()
        if message["type"] == "http.request":
            self._come_bytes += len(message.get("body", b""))
            self._size_bytes = max(self._size_bytes, self._come_bytes)
            self._check_size()
            self._is_whole = not message.get("more_body", False)
        return message

    async def is_done(self) -> bool:
        """Whether all of it has come. What is left of a small one is waited for, for a moment.

        A client whose body was not read to its end may see its connection break before it sees what
        it is told.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(REST_TIMEOUT_S):
                while not self._is_whole and self._size_bytes <= REST_BYTES:
                    message = await self._receive()
                    if message["type"] != "http.request":
                        break
                    self._size_bytes += len(message.get("body", b""))
                    self._is_whole = not message.get("more_body", False)
        return self._is_whole

    def _check_size(self) -> None:
        if self._size_bytes > self._limit_bytes:
            raise RequestTooLargeError(self._limit_bytes - ENVELOPE_BYTES)


def hosts(named: str | None, address: str, *, guarded: bool) -> Collection[str]:
    """The names that requests may be addressed to.

    `named` are those of the settings. `guarded` says that calls need a token or a certificate.
    """
    if named is not None:
        return [name_in(name) or name.lower() for name in listed(named)]
    own = name_in(address)
    return LOOPBACK_NAMES if own in LOOPBACK_NAMES and not guarded else (ANY,)


def listed(value: str | None) -> list[str]:
    """The parts of a setting that has commas between them."""
    return [part.strip() for part in (value or "").split(",") if part.strip()]
