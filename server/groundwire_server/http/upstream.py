"""The server itself, as a door reaches it: gRPC over a socket that nobody else can open.

So a call that comes by HTTP passes the same interceptors, limits, tokens, admission and telemetry
as any other.
"""

import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypedDict, TypeVar

import grpc
from grpc import aio

from groundwire_server.access.callers import CALLER
from groundwire_server.access.logins import Logins
from groundwire_server.access.turns import Turns
from groundwire_server.http.failures import Failure, failure_of
from groundwire_server.rpc.admission import Admission
from groundwire_server.rpc.interceptors import OPEN_SERVICES
from groundwire_server.rpc.status import InvalidTokenError, MalformedRequestError, log_bug
from groundwire_server.rpc.telemetry import Telemetry
from groundwire_verifier.domain.threads import in_thread

Made = TypeVar("Made")

FORWARDED = ("authorization", "traceparent", "tracestate", "x-request-id")
"""Headers that become metadata as they are, beside all that begin with FORWARDED_PREFIX."""

FORWARDED_PREFIX = "x-groundwire-"
MAX_FORWARDED_BYTES = 4096
"""All of them together. gRPC refuses calls from 8 KiB of metadata on, and cannot say why."""

_NAME = re.compile(r"[a-z0-9_.-]+(?<!-bin)")
_VALUE = re.compile(r"[ -~]*")
"""What gRPC takes as metadata that is text. For the rest it has no status, and HTTP allows more."""

OPEN_BYTES = 4096
"""A message of a service that is open to all: room for any name of a service."""

LARGE_BYTES = 1 << 16
"""From here on JSON is read and written in a thread, beside which other calls go on."""

TIMEOUT_HEADERS = {"connect-timeout-ms": 10, "grpc-timeout": 8}
"""What says how long a call may take, each with its most digits."""

_UNITS_S = {"H": 3600.0, "M": 60.0, "S": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}


class CallOptions(TypedDict):
    """What a call of a stub is given beside its request. `timeout` is in seconds."""

    metadata: tuple[tuple[str, str], ...]
    timeout: float | None


class Connections:
    """Channels with a connection of their own each, which carries `most` calls at one time.

    gRPC keeps further ones back, unseen by the server, which could neither count nor refuse them.
    """

    def __init__(self, channels: Sequence[aio.Channel], most: int) -> None:
        self._channels = tuple(channels)
        self._most = most
        self._used = [0] * len(self._channels)

    @contextmanager
    def one(self) -> Iterator[aio.Channel]:
        """The channel of one call, which a stub takes: the first with room, so that there is seldom
        another."""
        with_room = (place for place, used in enumerate(self._used) if used < self._most)
        place = next(with_room, self._used.index(min(self._used)))
        self._used[place] += 1
        try:
            yield self._channels[place]
        finally:
            self._used[place] -= 1


@dataclass(frozen=True, slots=True)
class Upstream:
    """The way to the server. `services` are full names; `logins` is None where all are let in.
    `max_claims` is the most that a request may ask to have verified."""

    connections: Connections
    services: tuple[str, ...]
    logins: Logins | None
    telemetry: Telemetry
    admission: Admission
    max_message_bytes: int
    max_claims: int
    # What comes of hostile JSON takes many times its bytes: one at a time.
    _turns: Turns = field(default_factory=Turns, init=False)

    async def check_token(self, headers: Mapping[str, str], peer: str) -> None:
        """Raise InvalidTokenError for a call that would be refused, before its body is read.

        Who calls is known from then on, as to the server. `peer` is its client's address with its
        port; one that is often wrong is told so late.
        """
        if self.logins is None:
            return
        caller = self.logins.caller(headers.items())
        if caller is None:
            await self.logins.refuse("http", peer)
            raise InvalidTokenError
        CALLER.set(caller)

    def options(self, headers: Mapping[str, str]) -> CallOptions:
        """Who calls and for how long it waits, by its headers, whose names are in lower case.

        Raises MalformedRequestError.
        """
        return {"metadata": forwarded(headers), "timeout": timeout_s(headers)}

    def failure(self, method: str, error: Exception, spent_s: float) -> Failure:
        """What to say of what ended a call after so many seconds.

        What the server said, it has counted. The rest is counted here, and logged if it is a bug.
        """
        failure = failure_of(error)
        if not isinstance(error, aio.AioRpcError):
            self.count(method, failure, spent_s)
            if failure.code is grpc.StatusCode.INTERNAL:
                log_bug(method, error)
        return failure

    def count(self, method: str, failure: Failure, spent_s: float) -> None:
        """Count a call that a door refused, so that the server has not seen it."""
        self.telemetry.record_call(method, failure.code.name, spent_s, self.admission.tenant)
        self.telemetry.record_refusal(failure.reason)

    async def made_of(self, data: bytes, make: Callable[[bytes], Made]) -> Made:
        """What `make` makes of a body for the server; the body's bytes count until it is made.

        Raises what `make` raises, or QueueFullError where too many wait.
        """
        with self.admission.admit_text(len(data)):
            if len(data) < LARGE_BYTES:
                return make(data)
            async with self._turns.one():
                return await in_thread(make, data)

    def most_bytes(self, path: str) -> int:
        """The most bytes of a message that is sent there. Who needs no token sends small ones."""
        return OPEN_BYTES if path.startswith(OPEN_SERVICES) else self.max_message_bytes

    async def unary(self, method: str, request: bytes, options: CallOptions) -> bytes:
        """Call a method, as `/package.Service/Method`, with bytes. Raises aio.AioRpcError."""
        with self.connections.one() as channel:
            call: aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(method)
            return await call(request, **options)

    async def stream(
        self, method: str, request: bytes, options: CallOptions
    ) -> AsyncGenerator[bytes]:
        """The messages of a method that answers with many. Raises aio.AioRpcError."""
        with self.connections.one() as channel:
            stub: aio.UnaryStreamMultiCallable[bytes, bytes] = channel.unary_stream(method)
            call = stub(request, **options)
            try:
                async for message in call:
                    yield message
            finally:
                call.cancel()


def forwarded(headers: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The headers that go along. Raises MalformedRequestError if gRPC would not take them."""
    kept = tuple(
        (name, value)
        for name, value in headers.items()
        if name in FORWARDED or name.startswith(FORWARDED_PREFIX)
    )
    size = sum(len(name) + len(value) for name, value in kept)
    if size > MAX_FORWARDED_BYTES:
        names = ", ".join(sorted(name for name, _ in kept))
        raise MalformedRequestError(
            "", f"the headers {names} have {size:,} bytes; the limit is {MAX_FORWARDED_BYTES:,}"
        )
    for name, value in kept:
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            raise MalformedRequestError(
                "",
                f"the header {name[:64]} cannot go along: its name takes letters, digits and "
                "'-_.', without -bin at the end, and its value visible ASCII and blanks",
            )
    return kept


def timeout_s(headers: Mapping[str, str]) -> float | None:
    """How many seconds the client waits; None where it does not say.

    Raises MalformedRequestError.
    """
    for name, most_digits in TIMEOUT_HEADERS.items():
        value = headers.get(name)
        if value is None:
            continue
        unit_s = 1e-3 if name == "connect-timeout-ms" else _UNITS_S.get(value[-1:])
        digits = value if name == "connect-timeout-ms" else value[:-1]
        if unit_s and digits.isascii() and digits.isdigit() and len(digits) <= most_digits:
            return int(digits) * unit_s
        what = "milliseconds" if name == "connect-timeout-ms" else "digits and one of H M S m u n"
        raise MalformedRequestError(
            "", f"the header {name} has to be {what}, of at most {most_digits} digits"
        )
    return None
