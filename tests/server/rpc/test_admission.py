"""How much the server takes on at one time, and what it tells those it refuses."""

import pytest

from groundwire_server.rpc import admission as module
from groundwire_server.rpc.admission import (
    MAX_RETRY_S,
    MIN_RETRY_S,
    RATE_WINDOW_CALLS,
    Admission,
    DrainingError,
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


def enter(admission: Admission, size_bytes: int) -> None:
    with admission.admit_request(size_bytes):
        pass


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


def test_a_call_beyond_the_limit_is_refused_and_not_counted() -> None:
    places = PendingLimit("claims", 10)
    with places.hold(7):
        error = refused(places, 4)
        assert places.pending == 7
    assert str(error).startswith("7 of at most 10 claims wait or run already")


def test_a_call_that_fails_gives_its_place_back() -> None:
    places = PendingLimit("claims", 10)
    with pytest.raises(ZeroDivisionError), places.hold(10):
        raise ZeroDivisionError
    assert places.pending == 0


def test_what_can_never_fit_is_not_told_to_come_again() -> None:
    places = PendingLimit("claims", 10)
    with pytest.raises(ValueError, match="11 claims never fit into 10"), places.hold(11):
        pass


def test_a_draining_server_takes_no_call() -> None:
    admission = Admission(max_calls=10, max_bytes=10, max_claims=10)
    with admission.admit(1):
        admission.draining = True
        with pytest.raises(DrainingError), admission.admit(1):
            pass
        assert admission.claims.pending == 1


def test_a_request_holds_a_call_and_its_bytes() -> None:
    admission = Admission(max_calls=2, max_bytes=100, max_claims=10)
    with admission.admit_request(60):
        with pytest.raises(QueueFullError, match="60 of at most 100 bytes of requests"):
            enter(admission, 41)
        assert admission.calls.pending == 1
        with admission.admit_request(40):
            with pytest.raises(QueueFullError, match="2 of at most 2 calls"):
                enter(admission, 0)
            assert (admission.calls.pending, admission.bytes.pending) == (2, 100)
    assert (admission.calls.pending, admission.bytes.pending) == (0, 0)


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


def test_calls_without_claims_do_not_break_the_advice(clock: Clock) -> None:
    places = PendingLimit("claims", 1)
    end_calls(places, clock, every_s=0.5, claims=0)
    with places.hold(1):
        assert MIN_RETRY_S <= refused(places, 1).retry_s <= MAX_RETRY_S
