"""How many claims the server takes on at one time, and what it tells those it refuses."""

import pytest

from server import admission as module
from server.admission import (
    MAX_RETRY_S,
    MIN_RETRY_S,
    RATE_WINDOW_CALLS,
    Admission,
    DrainingError,
    QueueFullError,
)


class Clock:
    """Stands for the time module; moves only when a test says so."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def refused(admission: Admission, claims: int) -> QueueFullError:
    with pytest.raises(QueueFullError) as caught, admission.admit(claims):
        pass
    return caught.value


def end_calls(admission: Admission, clock: Clock, *, every_s: float, claims: int = 1) -> None:
    for _ in range(RATE_WINDOW_CALLS + 1):
        with admission.admit(claims):
            clock.now_s += every_s


def test_calls_count_as_long_as_they_last() -> None:
    admission = Admission(10)
    with admission.admit(4):
        with admission.admit(6):
            assert admission.pending == 10
        assert admission.pending == 4
    assert admission.pending == 0


def test_a_call_beyond_the_limit_is_refused_and_not_counted() -> None:
    admission = Admission(10)
    with admission.admit(7):
        error = refused(admission, 4)
        assert admission.pending == 7
    assert str(error).startswith("7 of at most 10 claims wait or run already")


def test_a_call_that_fails_gives_its_place_back() -> None:
    admission = Admission(10)
    with pytest.raises(ZeroDivisionError), admission.admit(10):
        raise ZeroDivisionError
    assert admission.pending == 0


def test_a_draining_server_takes_no_call() -> None:
    admission = Admission(10)
    with admission.admit(1):
        admission.draining = True
        with pytest.raises(DrainingError), admission.admit(1):
            pass
        assert admission.pending == 1


def test_the_first_refused_are_told_a_fixed_time() -> None:
    assert refused(Admission(1), 2).retry_s == 1.0


def test_the_advice_follows_the_rate_of_recent_calls(clock: Clock) -> None:
    admission = Admission(10)
    end_calls(admission, clock, every_s=0.25)
    with admission.admit(10):
        # 32 claims in the 7.75 s since the first of them ended: 8 more take about 2 s.
        assert refused(admission, 8).retry_s == pytest.approx(8 * 7.75 / 32)


@pytest.mark.parametrize(("every_s", "retry_s"), [(0.0, MIN_RETRY_S), (1000.0, MAX_RETRY_S)])
def test_the_advice_is_bounded(clock: Clock, every_s: float, retry_s: float) -> None:
    admission = Admission(10)
    end_calls(admission, clock, every_s=every_s)
    with admission.admit(10):
        assert refused(admission, 5).retry_s == retry_s


def test_calls_without_claims_do_not_break_the_advice(clock: Clock) -> None:
    admission = Admission(1)
    end_calls(admission, clock, every_s=0.5, claims=0)
    with admission.admit(1):
        assert MIN_RETRY_S <= refused(admission, 1).retry_s <= MAX_RETRY_S
