"""Tries, pauses, places, the breaker: what is done when an endpoint fails. No time passes."""

import asyncio
import contextlib
import sqlite3
from pathlib import Path

import pytest

from groundwire_server.endpoints.attempts import (
    Answer,
    AttemptLimits,
    Attempts,
    CircuitBreaker,
    FailedAttemptError,
    Failure,
)
from groundwire_server.endpoints.spending import FILE_NAME, Spending
from groundwire_verifier.domain.errors import (
    BackendBusyError,
    BackendRefusedError,
    BackendUnavailableError,
    BackendUnreachableError,
)
from groundwire_verifier.domain.urgency import WHENEVER, Tenant, Urgency
from groundwire_verifier.engine.queue.slots import EndpointSlots

TRANSIENT = FailedAttemptError("HTTP 500", Failure.TRANSIENT)
REFUSED = FailedAttemptError("HTTP 401; check the key of external", Failure.REFUSED)


def limited(retry_after_s: float | None) -> FailedAttemptError:
    return FailedAttemptError("HTTP 429", Failure.RATE_LIMITED, retry_after_s=retry_after_s)


class Clock:
    """A clock that only pauses move."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now_s

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now_s += seconds


class Scripted:
    """Attempts that end as they are told to, one after the other, the last again and again."""

    def __init__(self, *ends: str | FailedAttemptError) -> None:
        self._ends = ends
        self.calls = 0

    async def __call__(self) -> Answer[str]:
        end = self._ends[min(self.calls, len(self._ends) - 1)]
        self.calls += 1
        if isinstance(end, FailedAttemptError):
            raise end
        return Answer(end, None)


def attempts_with(
    clock: Clock,
    *,
    retries: int = 2,
    longest_pause_s: float = 10.0,
    timeout_s: float = 20.0,
    parallel: int = 8,
    most_failures: int = 100,
) -> Attempts:
    return Attempts(
        "external",
        AttemptLimits(timeout_s, retries, longest_pause_s),
        EndpointSlots(parallel),
        CircuitBreaker(most_failures, 30.0, clock),
        Spending("external", Path("unused"), None, None),
        clock=clock,
        pause=clock.pause,
    )


async def test_a_failure_is_tried_again() -> None:
    clock, attempt = Clock(), Scripted(TRANSIENT, TRANSIENT, "answer")
    assert await attempts_with(clock).run(attempt, 1, WHENEVER) == "answer"
    assert attempt.calls == 3
    first, second = clock.pauses
    assert 0.0 <= first <= 0.5
    assert 0.0 <= second <= 1.0


async def test_the_tries_have_an_end() -> None:
    attempt = Scripted(TRANSIENT)
    with pytest.raises(
        BackendUnreachableError, match=r"external .* in 3 tries; the last: HTTP 500"
    ):
        await attempts_with(Clock()).run(attempt, 1, WHENEVER)
    assert attempt.calls == 3


async def test_a_refusal_is_not_tried_again() -> None:
    attempt = Scripted(REFUSED)
    with pytest.raises(BackendRefusedError, match="check the key of external"):
        await attempts_with(Clock()).run(attempt, 1, WHENEVER)
    assert attempt.calls == 1


async def test_the_time_that_the_endpoint_names_is_waited() -> None:
    clock, attempt = Clock(), Scripted(limited(3.0), "answer")
    assert await attempts_with(clock).run(attempt, 1, WHENEVER) == "answer"
    assert clock.pauses == [3.0]


async def test_a_longer_time_than_the_setting_is_told_instead_of_waited() -> None:
    clock, attempt = Clock(), Scripted(limited(600.0))
    with pytest.raises(BackendBusyError, match=r"try again in 600\.0 s") as caught:
        await attempts_with(clock).run(attempt, 1, WHENEVER)
    assert caught.value.retry_s == 600.0
    assert (attempt.calls, clock.pauses) == (1, [])


async def test_nothing_is_waited_for_beyond_the_deadline() -> None:
    clock, attempt = Clock(), Scripted(limited(3.0))
    urgency = Urgency(clock.now_s + 1.0, deadline_s=clock.now_s + 2.0)
    with pytest.raises(BackendBusyError):
        await attempts_with(clock).run(attempt, 1, urgency)
    assert (attempt.calls, clock.pauses) == (1, [])


async def test_a_call_that_waits_asks_again_until_the_rate_limit_ends() -> None:
    clock = Clock()
    attempt = Scripted(*[limited(None)] * 6, limited(30.0), "answer")
    urgency = Urgency(clock.now_s + 1.0, waits_until_s=clock.now_s + 60.0)
    assert await attempts_with(clock).run(attempt, 1, urgency) == "answer"
    assert attempt.calls == 8
    assert clock.pauses[-1] == 30.0
    assert max(clock.pauses[:-1]) <= 2.0


@pytest.mark.parametrize("retry_after_s", [None, 0.0, 3.0])
async def test_it_gives_up_once_its_time_is_over(retry_after_s: float | None) -> None:
    clock, attempt = Clock(), Scripted(limited(retry_after_s))
    until_s = clock.now_s + 20.0
    with pytest.raises(BackendBusyError):
        await attempts_with(clock).run(attempt, 1, Urgency(until_s, waits_until_s=until_s))
    assert until_s - 3.0 <= clock.now_s < until_s
    assert 5 < attempt.calls < 1000


async def test_it_does_not_wait_for_an_end_that_comes_too_late_for_it() -> None:
    clock, attempt = Clock(), Scripted(limited(3.0))
    until_s = clock.now_s + 2.0
    with pytest.raises(BackendBusyError):
        await attempts_with(clock).run(attempt, 1, Urgency(until_s, waits_until_s=until_s))
    assert (attempt.calls, clock.pauses) == (1, [])


async def test_what_one_call_is_told_to_wait_others_wait_too() -> None:
    clock = Clock()
    attempts = attempts_with(clock, retries=0, longest_pause_s=5.0)
    with pytest.raises(BackendBusyError):
        await attempts.run(Scripted(limited(60.0)), 1, WHENEVER)
    other = Scripted("answer")
    with pytest.raises(BackendBusyError):
        await attempts.run(other, 1, WHENEVER)
    assert other.calls == 0
    clock.now_s += 57.0
    assert await attempts.run(other, 1, WHENEVER) == "answer"
    assert clock.pauses == [pytest.approx(3.0)]


async def test_an_attempt_that_takes_too_long_is_a_failure() -> None:
    ended = False

    async def stuck() -> Answer[str]:
        nonlocal ended
        try:
            await asyncio.Event().wait()
        finally:
            ended = True
        raise AssertionError

    attempts = attempts_with(Clock(), timeout_s=0.01, retries=0)
    with pytest.raises(BackendUnreachableError, match=r"no answer within 0\.01 s"):
        await attempts.run(stuck, 1, WHENEVER)
    assert ended


async def test_failures_in_a_row_open_the_breaker_and_one_trial_closes_it() -> None:
    clock = Clock()
    attempts = attempts_with(clock, retries=0, most_failures=3)
    failing, answering = Scripted(TRANSIENT), Scripted("answer")
    for _ in range(3):
        with pytest.raises(BackendUnreachableError):
            await attempts.run(failing, 1, WHENEVER)
    with pytest.raises(BackendBusyError, match=r"left alone for another 30\.0 s") as caught:
        await attempts.run(answering, 1, WHENEVER)
    assert caught.value.retry_s == pytest.approx(30.0)
    assert answering.calls == 0
    clock.now_s += 30.0
    assert await attempts.run(answering, 1, WHENEVER) == "answer"
    assert await attempts.run(answering, 1, WHENEVER) == "answer"


async def test_only_one_call_is_the_trial_and_a_cancelled_one_is_none() -> None:
    clock = Clock()
    breaker = CircuitBreaker(1, 30.0, clock)
    breaker.enter()
    breaker.failed()
    clock.now_s += 30.0
    assert breaker.blocked_s == 0.0
    breaker.enter()
    assert breaker.blocked_s == 30.0
    breaker.left()
    assert breaker.blocked_s == 0.0


@pytest.mark.parametrize("end", ["answer", REFUSED, limited(0.0)])
async def test_an_endpoint_that_says_anything_lives(end: str | FailedAttemptError) -> None:
    attempts = attempts_with(Clock(), retries=0, most_failures=2)
    for attempt in (Scripted(TRANSIENT), Scripted(end), Scripted(TRANSIENT)):
        with contextlib.suppress(BackendUnavailableError):
            await attempts.run(attempt, 1, WHENEVER)
    assert await attempts.run(Scripted("answer"), 1, WHENEVER) == "answer"


async def test_no_more_calls_than_places_are_under_way_and_the_most_urgent_goes_first() -> None:
    attempts, order = attempts_with(Clock(), parallel=2), list[float]()
    at_once = most_at_once = 0
    gate, full = asyncio.Event(), asyncio.Event()

    async def call(rank_s: float) -> None:
        async def attempt() -> Answer[str]:
            nonlocal at_once, most_at_once
            order.append(rank_s)
            at_once += 1
            most_at_once = max(most_at_once, at_once)
            if at_once == 2:
                full.set()
            await gate.wait()
            at_once -= 1
            return Answer("answer", None)

        await attempts.run(attempt, 1, Urgency(rank_s))

    async with asyncio.TaskGroup() as group:
        for rank_s in (5.0, 6.0, 9.0, 1.0, 4.0):
            group.create_task(call(rank_s))
        await full.wait()
        gate.set()
    assert most_at_once == 2
    assert order == [5.0, 6.0, 1.0, 4.0, 9.0]


async def test_who_has_fewer_places_for_its_weight_is_let_in_first() -> None:
    places, order = EndpointSlots(2), []
    gate = asyncio.Event()

    async def hold(tenant: Tenant, rank_s: float) -> None:
        async with places.place(Urgency(rank_s, tenant=tenant)):
            order.append((tenant.key, rank_s))
            await gate.wait()

    many, few = Tenant("many"), Tenant("few")
    async with asyncio.TaskGroup() as group:
        for tenant, rank_s in ((many, 1.0), (many, 2.0), (many, 3.0), (few, 9.0), (few, 8.0)):
            group.create_task(hold(tenant, rank_s))
        await asyncio.sleep(0)
        gate.set()
    assert order == [("many", 1.0), ("many", 2.0), ("few", 8.0), ("many", 3.0), ("few", 9.0)]
    assert not places._all._lines


async def test_a_file_of_spending_that_another_process_holds_keeps_nobody_else_waiting(
    tmp_path: Path,
) -> None:
    clock = Clock()
    spending = Spending("external", tmp_path, 10, None)
    attempts = Attempts(
        "external",
        AttemptLimits(20.0, 0, 10.0),
        EndpointSlots(8),
        CircuitBreaker(100, 30.0, clock),
        spending,
        clock=clock,
        pause=clock.pause,
    )
    with contextlib.closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        call = asyncio.create_task(attempts.run(Scripted("answer"), 1, WHENEVER))
        # The loop goes round while the call waits for the file.
        for _ in range(100):
            await asyncio.sleep(0)
        assert not call.done()
        other.execute("ROLLBACK")
        assert await call == "answer"
    attempts.close()
