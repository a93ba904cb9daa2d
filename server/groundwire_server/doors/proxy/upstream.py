"""Somebody's own chat endpoint, which the proxy asks in its client's name.

Goes nowhere but to the address of its operator: no redirects, no proxy of the environment's, and no
cookie of one client with the request of another.
"""

from collections.abc import Iterable

import httpx2

CONNECT_TIMEOUT_S = 10.0

Headers = list[tuple[bytes, bytes]]

_OF_A_HOP = frozenset(
    (
        b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization",
        b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade",
    )
)  # fmt: skip
"""What is said between two neighbours, and not passed on."""

_OF_A_REQUEST = frozenset((b"host", b"content-length", b"accept-encoding", b"expect"))
"""What the proxy says itself."""


class ChatEndpoint:
    """The endpoint at an address, up to `/v1`."""

    def __init__(self, url: str, key: str, silence_s: float) -> None:
        """`key` goes in place of what a client sends; empty: theirs does. `silence_s` is how long
        the endpoint may send nothing."""
        self._url = url.rstrip("/")
        self._key = key
        self._timeouts = {
            "connect": CONNECT_TIMEOUT_S,
            "read": silence_s,
            "write": silence_s,
            "pool": silence_s,
        }
        # How many requests there are at one time is bounded before they come here.
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
        self._transport = httpx2.AsyncHTTPTransport(trust_env=False, limits=limits)

    async def ask(
        self, method: str, path: str, query: bytes, headers: Headers, body: bytes
    ) -> httpx2.Response:
        """The response to a request, whose body is still to come: close it.

        Raises httpx2.TransportError.
        """
        sent = [each for each in end_to_end(headers) if each[0].lower() not in _OF_A_REQUEST]
        if self._key:
            sent = [each for each in sent if each[0].lower() != b"authorization"]
            sent.append((b"authorization", b"Bearer " + self._key.encode()))
        # What is compressed could not be read as it comes.
        sent.append((b"accept-encoding", b"identity"))
        request = httpx2.Request(
            method,
            httpx2.URL(self._url + path, query=query) if query else self._url + path,
            headers=sent,
            content=body,
            extensions={"timeout": self._timeouts},
        )
        return await self._transport.handle_async_request(request)

    async def close(self) -> None:
        await self._transport.aclose()


def end_to_end(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """The headers that are passed on: all but those between two neighbours, named or known."""
    kept = list(headers)
    named = {
        name.strip().lower()
        for header, value in kept
        if header.lower() == b"connection"
        for name in value.split(b",")
    }
    return [each for each in kept if each[0].lower() not in _OF_A_HOP | named]


def is_plain(response: httpx2.Response) -> bool:
    """Whether a response's body is not compressed."""
    return response.headers.get("content-encoding", "identity").strip().lower() in ("", "identity")


def media_type_of(response: httpx2.Response) -> str:
    """What a response says that its body is, without parameters."""
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()
