"""The way from a door to the calls of this process, and what each does before and after a call."""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import grpc

from groundwire_server.access.callers import CALLER
from groundwire_server.access.logins import Logins
from groundwire_server.access.round_robin import RoundRobin
from groundwire_server.doors.failures import Failure, RequestTooLargeError, failure_of
from groundwire_server.rpc.dispatch import Answer, Arrived, Dispatch, Sent
from groundwire_server.rpc.interceptors import OPEN_SERVICES
from groundwire_server.rpc.status import (
    CallFailedError,
    InvalidTokenError,
    MalformedRequestError,
    log_bug,
)
from groundwire_verifier.domain.tasks import in_thread

Made = TypeVar("Made")

OPEN_BYTES = 4096
"""A message of a service that is open to all: room for any name of a service."""

LARGE_BYTES = 1 << 16
"""From here on JSON is read and written in a thread, beside which other calls go on."""

TIMEOUT_HEADERS = {"connect-timeout-ms": 10, "grpc-timeout": 8}
"""What says how long a call may take, each with its most digits."""

_UNITS_S = {"H": 3600.0, "M": 60.0, "S": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}


@dataclass(frozen=True, slots=True)
class Upstream:
    """The way to the calls. `services` are full names; `logins` is None where all are let in.
    `max_claims` is the most that a request may ask to have verified."""

    dispatch: Dispatch
    services: tuple[str, ...]
    logins: Logins | None
    max_claims: int
    # What comes of hostile JSON takes many times its bytes: one at a time.
    _turns: RoundRobin = field(default_factory=RoundRobin, init=False)

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

    def failure(self, method: str, error: Exception, spent_s: float) -> Failure:
        """What to say of what ended a call after so many seconds.

        What dispatch said, it has counted. The rest is counted here, and logged if it is a bug.
        """
        failure = failure_of(error)
        if not isinstance(error, CallFailedError):
            self.count(method, failure, spent_s)
            if failure.code is grpc.StatusCode.INTERNAL:
                log_bug(method, error)
        return failure

    def count(self, method: str, failure: Failure, spent_s: float) -> None:
        """Count a call that a door refused, so that dispatch has not seen it."""
        calls = self.dispatch.calls
        calls.telemetry.record_call(method, failure.code.name, spent_s, calls.admission.tenant)
        calls.telemetry.record_refusal(failure.reason)

    async def made_of(self, data: bytes, make: Callable[[bytes], Made]) -> Made:
        """What `make` makes of a body for a call; the body's bytes count until it is made.

        Raises what `make` raises, or QueueFullError where too many wait.
        """
        with self.dispatch.calls.admission.admit_text(len(data)):
            if len(data) < LARGE_BYTES:
                return make(data)
            async with self._turns.one():
                return await in_thread(make, data)

    def most_bytes(self, path: str) -> int:
        """The most bytes of a message that is sent there. Who needs no token sends small ones."""
        return OPEN_BYTES if path.startswith(OPEN_SERVICES) else self.dispatch.limits.message_bytes

    async def unary(self, method: str, sent: Sent, arrived: Arrived) -> Answer:
        """The response of a method, such as `/package.Service/Method`.

        Raises RequestTooLargeError or CallFailedError.
        """
        self._check_size(method, sent)
        return await self.dispatch.unary(method, sent, arrived)

    def stream(self, method: str, sent: Sent, arrived: Arrived) -> AsyncGenerator[Answer]:
        """The responses of a method that has many. Raises as `unary`."""
        self._check_size(method, sent)
        return self.dispatch.stream(method, sent, arrived)

    def _check_size(self, method: str, sent: Sent) -> None:
        if len(sent.data) > (most := self.most_bytes(method)):
            raise RequestTooLargeError(most)


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
