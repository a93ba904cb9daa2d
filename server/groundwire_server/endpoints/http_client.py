"""An HTTP client for endpoints: no redirects, no environment, no compression, bounded bodies."""

import math
import ssl
import time
from collections.abc import AsyncIterator
from datetime import UTC
from email.utils import parsedate_to_datetime
from pathlib import Path

import httpx2

from groundwire_server.config.sources import ConfigError
from groundwire_server.endpoints.attempts import FailedAttemptError, Failure

MAX_RESPONSE_BYTES = 1 << 20
"""An answer of a few tokens with its list of log-probabilities takes some thousands."""

LONGEST_RETRY_AFTER_S = 86400.0

_BAD_REQUEST = (400, 413, 422)
_UNAUTHORIZED = (401, 403)
_TRANSIENT = (408, 409, 425)


class TooLargeError(httpx2.ProtocolError):
    """A response is beyond MAX_RESPONSE_BYTES, or compressed, which could hide how large it is."""


def make_client(parallel: int, timeout_s: float, ca_file: Path | None) -> httpx2.AsyncClient:
    """A client for one endpoint. `ca_file` replaces the machine's authorities.

    Raises ConfigError if that cannot be read.
    """
    verify: ssl.SSLContext | bool = True
    if ca_file is not None:
        try:
            verify = ssl.create_default_context(cafile=str(ca_file.expanduser()))
        except OSError as error:
            raise ConfigError(f"ca_file: {ca_file} cannot be read: {error}") from error
    limits = httpx2.Limits(max_connections=parallel, max_keepalive_connections=parallel)
    transport = httpx2.AsyncHTTPTransport(verify=verify, trust_env=False, limits=limits)
    return httpx2.AsyncClient(
        transport=_Bounded(transport),
        # What proxies and passwords the environment names is nobody's setting.
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(timeout_s),
        headers={"accept-encoding": "identity"},
    )


def failure_of(error: httpx2.HTTPError) -> FailedAttemptError:
    """A call that had no whole response. Its text could hold an address; its type cannot."""
    billed = not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
    if isinstance(error, TooLargeError):
        cause = f"the response is compressed or beyond {MAX_RESPONSE_BYTES:,} bytes"
    else:
        cause = f"no whole response ({type(error).__name__})"
    return FailedAttemptError(cause, Failure.TRANSIENT, billed=billed)


def failure_of_status(status: int, retry_after: str | None, name: str) -> FailedAttemptError:
    """A response with an error status. What it says is not repeated: it may hold anything.

    `name` is that of the endpoint.
    """
    after_s = retry_after_s(retry_after)
    if status == httpx2.codes.TOO_MANY_REQUESTS:
        return FailedAttemptError(
            "HTTP 429, too many requests", Failure.RATE_LIMITED, retry_after_s=after_s
        )
    if status in _TRANSIENT or status >= 500:  # noqa: PLR2004 - the server's errors
        return FailedAttemptError(f"HTTP {status}", Failure.TRANSIENT, retry_after_s=after_s)
    if status in _UNAUTHORIZED:
        advice = f"check the key of {name}"
    elif status in _BAD_REQUEST:
        advice = f"is the text longer than its window? Then lower window_tokens of {name}"
    elif 300 <= status < 400:  # noqa: PLR2004 - redirects
        advice = f"it redirects, which is not followed: set the url of {name} to where it leads"
    else:
        advice = f"check the url of {name} and the name of the model"
    return FailedAttemptError(f"HTTP {status}; {advice}", Failure.REFUSED)


def retry_after_s(value: str | None) -> float | None:
    """The seconds of a Retry-After, a number or a date; None if there is none that can be read."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            at = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = at.replace(tzinfo=at.tzinfo or UTC).timestamp() - time.time()
    return min(max(seconds, 0.0), LONGEST_RETRY_AFTER_S) if math.isfinite(seconds) else None


class _Bounded(httpx2.AsyncBaseTransport):
    """Refuses responses that are too large, before they are held."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; the response's body is counted as it is read."""
        response = await self._inner.handle_async_request(request)
        encoding = response.headers.get("content-encoding", "identity")
        if encoding.strip().lower() not in ("", "identity"):
            await response.aclose()
            raise TooLargeError("compressed")
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - by the transport
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_Counted(response.stream),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._inner:
            size += len(part)
            if size > MAX_RESPONSE_BYTES:
                raise TooLargeError("too large")
            yield part

    async def aclose(self) -> None:
        """Close the response."""
        await self._inner.aclose()
