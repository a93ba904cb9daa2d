"""How much the server takes on at one time, and what it tells those it refuses."""

import pytest

from groundwire_server.rpc import admission as module
from groundwire_server.rpc.admission import (
    MAX_RETRY_S,
    MIN_RETRY_S,
    RATE_WINDOW_CALLS,
    PendingLimit,
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


def refused(places: PendingLimit, claims: int) -> QueueFullError:
    with pytest.raises(QueueFullError) as caught, places.hold(claims):
        pass
    return caught.value


def end_calls(places: PendingLimit, clock: Clock, *, every_s: float, claims: int = 1) -> None:
    for _ in range(RATE_WINDOW_CALLS + 1):
        with places.hold(claims):
            clock.now_s += every_s


def test_calls_count_as_long_as_they_last() -> None:
    places = PendingLimit("claims", 10)
    with places.hold(4):
        with places.hold(6):
            assert places.pending == 10
        assert places.pending == 4
    assert places.pending == 0


def test_a_call_that_fails_gives_its_place_back() -> None:
    places = PendingLimit("claims", 10)
    with pytest.raises(ZeroDivisionError), places.hold(10):
        raise ZeroDivisionError
    assert places.pending == 0


def test_what_can_never_fit_is_not_told_to_come_again() -> None:
    places = PendingLimit("claims", 10)
    with pytest.raises(ValueError, match="11 claims never fit into 10"), places.hold(11):
        pass


def test_the_first_refused_are_told_a_fixed_time() -> None:
    places = PendingLimit("claims", 2)
    with places.hold(1):
        assert refused(places, 2).retry_s == 1.0


def test_the_advice_follows_the_rate_of_recent_calls(clock: Clock) -> None:
    places = PendingLimit("claims", 10)
    end_calls(places, clock, every_s=0.25)
    with places.hold(10):
        # 32 claims in the 7.75 s since the first of them ended: 8 more take about 2 s.
        assert refused(places, 8).retry_s == pytest.approx(8 * 7.75 / 32)


@pytest.mark.parametrize(("every_s", "retry_s"), [(0.0, MIN_RETRY_S), (1000.0, MAX_RETRY_S)])
def test_the_advice_is_bounded(clock: Clock, every_s: float, retry_s: float) -> None:
    places = PendingLimit("claims", 10)
    end_calls(places, clock, every_s=every_s)
    with places.hold(10):
        assert refused(places, 5).retry_s == retry_s
