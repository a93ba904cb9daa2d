"""Calls to an endpoint: their places, their tries, the breaker, and what they may spend."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from groundwire_server.endpoints.spending import Spending
from groundwire_verifier.domain.errors import (
    BackendBusyError,
    BackendRefusedError,
    BackendUnreachableError,
)
from groundwire_verifier.domain.tasks import in_thread
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.engine.endpoints.backend import MOST_TOKENS
from groundwire_verifier.engine.queue.slots import EndpointSlots


class CircuitBreaker:
    """Opens after `most_failures` in a row, for `open_s` seconds; then one trial decides.

    Every `enter` is followed by one of `succeeded`, `failed` or `left`.
    """

    def __init__(
        self, most_failures: int, open_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most_failures = most_failures
        self._open_s = open_s
        self._clock = clock
        self._failures = 0
        self._opened_s: float | None = None
        self._on_trial = False

    @property
    def blocked_s(self) -> float:
        """Seconds after which it is worth coming again; 0 if a call may go now."""
        if self._opened_s is None:
            return 0.0
        left_s = self._opened_s + self._open_s - self._clock()
        if left_s > 0.0:
            return left_s
        return self._open_s if self._on_trial else 0.0

    def enter(self) -> None:
        """A call goes, where `blocked_s` is 0."""
        self._on_trial = self._opened_s is not None

    def succeeded(self) -> None:
        """It was answered: the breaker is closed."""
        self._failures = 0
        self._opened_s = None
        self._on_trial = False

    def failed(self) -> None:
        """It failed. A trial that fails opens the breaker anew."""
        self._failures += 1
        if self._failures >= self._most_failures:
            self._opened_s = self._clock()
        self._on_trial = False

    def left(self) -> None:
        """It ended without saying anything of the endpoint, as when it was cancelled."""
        self._on_trial = False


T = TypeVar("T")

FIRST_BACKOFF_S = 0.5
"""The longest pause before the first retry; each next one is up to twice as long."""


MOST_DOUBLINGS = 10
LONGEST_BACKOFF_S = 2.0
"""The longest of these pauses in a call that waits for the end of a rate limit."""


class Failure(Enum):
    """What kind of failure an attempt ended with, and so what is done next."""

    TRANSIENT = "tried again; many in a row open the breaker"
    RATE_LIMITED = "tried again after the time that the endpoint names"
    REFUSED = "not tried again: it would be refused again"


class FailedAttemptError(Exception):
    """One attempt failed. The text says why, and holds nothing of request, response or key.

    `retry_after_s` is what the endpoint asks for, `billed` whether the attempt may have cost.
    """

    def __init__(
        self,
        cause: str,
        failure: Failure,
        *,
        retry_after_s: float | None = None,
        billed: bool = False,
    ) -> None:
        super().__init__(cause)
        self.failure = failure
        self.retry_after_s = retry_after_s
        self.billed = billed


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What an attempt brought, and the tokens that it is billed for; None if that is not told."""

    value: T
    tokens: int | None


@dataclass(frozen=True, slots=True)
class AttemptLimits:
    """Times in seconds: of one attempt, and the longest pause before a retry."""

    timeout_s: float
    retries: int
    longest_pause_s: float


class Attempts:
    """Runs the calls to one endpoint, which `name` names in errors."""

    def __init__(
        self,
        name: str,
        limits: AttemptLimits,
        places: EndpointSlots,
        breaker: CircuitBreaker,
        spending: Spending,
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._name = name
        self._limits = limits
        self._places = places
        self._breaker = breaker
        self._spending = spending
        self._clock = clock
        self._pause = pause
        self._held_until_s = 0.0

    async def run(
        self, attempt: Callable[[], Awaitable[Answer[T]]], tokens: int, urgency: Urgency
    ) -> T:
        """Call until there is an answer, or no use in another try. A call takes about `tokens`.

        Who leaves a call that was sent pays for it: by leaving, its answer would cost a tenant
        nothing. Who waits for its place pays nothing.

        Raises BackendBusyError, SpendingLimitError, BackendUnreachableError or BackendRefusedError.
        """
        tries = 0
        while True:
            async with self._places.place(urgency):
                await self._until_open(urgency)
                try:
                    return await self._attempt(attempt, tokens, urgency)
                except FailedAttemptError as error:
                    failed = error
            tries += 1
            # Out of its place, so that others can be served meanwhile.
            await self._pause(self._pause_s(failed, tries, urgency))

    def close(self) -> None:
        """Close the file of what is spent."""
        self._spending.close()

    async def _until_open(self, urgency: Urgency) -> None:
        """Wait as long as the endpoint has asked for; what is longer is told instead."""
        held_s = self._held_until_s - self._clock()
        if held_s > 0.0:
            if self._is_too_long(held_s, urgency, is_limit=True):
                raise self._busy(held_s)
            await self._pause(held_s)
        blocked_s = self._breaker.blocked_s
        if blocked_s > 0.0:
            raise BackendBusyError(
                f"the endpoint {self._name} has failed too often and is left alone for another "
                f"{blocked_s:.1f} s",
                blocked_s,
            )

    async def _attempt(
        self, attempt: Callable[[], Awaitable[Answer[T]]], tokens: int, urgency: Urgency
    ) -> T:
        await self._spend(self._spending.reserve, tokens)
        self._breaker.enter()
        settled = False
        try:
            async with asyncio.timeout(self._limits.timeout_s):
                answer = await attempt()
            self._breaker.succeeded()
            settled = True
        except TimeoutError:
            settled = True
            raise await self._failed(
                FailedAttemptError(
                    f"no answer within {self._limits.timeout_s:g} s",
                    Failure.TRANSIENT,
                    billed=True,
                ),
                tokens,
            ) from None
        except FailedAttemptError as error:
            settled = True
            raise await self._failed(error, tokens) from None
        except asyncio.CancelledError:
            urgency.tenant.pay(tokens)
            raise
        finally:
            if not settled:
                self._breaker.left()
        if answer.tokens is not None and 0 <= answer.tokens <= MOST_TOKENS:
            await self._spend(self._spending.settle, answer.tokens - tokens)
        return answer.value

    async def _failed(self, error: FailedAttemptError, tokens: int) -> FailedAttemptError:
        """The error, once spending and breaker know of it."""
        if error.failure is Failure.TRANSIENT:
            self._breaker.failed()
        else:
            # It lives, and says what it wants.
            self._breaker.succeeded()
        if not error.billed:
            await self._spend(self._spending.settle, -tokens)
        return error

    async def _spend(self, work: Callable[[int], None], tokens: int) -> None:
        """Write down what is spent, in a thread: another process may hold the file for a second."""
        if self._spending.is_counted:
            await in_thread(work, tokens)

    def _pause_s(self, failed: FailedAttemptError, tries: int, urgency: Urgency) -> float:
        """How long to wait before the next try. Raises if there is to be none."""
        if failed.failure is Failure.REFUSED:
            raise BackendRefusedError(f"the endpoint {self._name} refuses: {failed}")
        asked_s = failed.retry_after_s
        is_limit = failed.failure is Failure.RATE_LIMITED
        is_patient = is_limit and urgency.waits_until_s is not None
        most_s = FIRST_BACKOFF_S * 2.0 ** min(tries - 1, MOST_DOUBLINGS)
        # Spread out, so that calls which failed together do not come again together.
        pause_s = random.uniform(  # noqa: S311
            0.0, min(most_s, LONGEST_BACKOFF_S) if is_patient else most_s
        )
        if asked_s is not None:
            self._held_until_s = max(self._held_until_s, self._clock() + asked_s)
            # Who asks for no pause again and again gets one.
            pause_s = asked_s if tries <= self._limits.retries else max(asked_s, pause_s)
        may_try = is_patient or tries <= self._limits.retries
        if may_try and not self._is_too_long(pause_s, urgency, is_limit=is_limit):
            return pause_s
        if is_limit or asked_s is not None:
            raise self._busy(max(pause_s, FIRST_BACKOFF_S))
        raise BackendUnreachableError(
            f"the endpoint {self._name} gave no usable answer in {tries} tries; the last: {failed}"
        )

    def _is_too_long(self, pause_s: float, urgency: Urgency, *, is_limit: bool) -> bool:
        ends_s = self._clock() + pause_s
        if is_limit and urgency.waits_until_s is not None:
            return ends_s >= urgency.waits_until_s
        return pause_s > self._limits.longest_pause_s or ends_s >= urgency.deadline_s

    def _busy(self, retry_s: float) -> BackendBusyError:
        return BackendBusyError(
            f"the endpoint {self._name} takes no more calls now; try again in {retry_s:.1f} s",
            retry_s,
        )
