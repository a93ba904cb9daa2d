"""Which work is taken for done in which time."""

import time

import pytest

from groundwire_verifier.scheduling.cost_model import Work
from groundwire_verifier.scheduling.window import OBSERVED_S, Window

STEP_S = OBSERVED_S
ONE = Work.of(10, 10)


@pytest.fixture
def began_s(monkeypatch: pytest.MonkeyPatch) -> float:
    """The moment at which the clock stands still."""
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    return 100.0


def test_all_readings_of_a_step_are_observed_together(began_s: float) -> None:
    window = Window()
    window.begin()
    assert window.add(ONE, began_s + STEP_S) is None
    assert window.add(ONE, began_s + STEP_S) is None
    assert window.add(ONE, began_s + 2 * STEP_S) == (ONE + ONE, 1, STEP_S)
    assert window.end() == (ONE, 1, STEP_S)


def test_short_steps_are_observed_as_one(began_s: float) -> None:
    window = Window()
    window.begin()
    for i in range(1, 5):
        assert window.add(ONE, began_s + i * STEP_S / 4) is None
    assert window.add(ONE, began_s + 2 * STEP_S) == (ONE + ONE + ONE + ONE, 4, STEP_S)


def test_idle_time_is_not_observed(began_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    window = Window()
    window.begin()
    window.add(ONE, began_s + 1.0)
    assert window.end() == (ONE, 1, 1.0)
    assert window.since_step_s == 0.0
    monkeypatch.setattr(time, "monotonic", lambda: began_s + 50.0)
    window.begin()
    window.add(ONE, began_s + 51.0)
    assert window.end() == (ONE, 1, 1.0)


def test_what_nobody_can_measure_is_left_out(began_s: float) -> None:
    window = Window()
    window.begin()
    window.add(ONE, began_s + 1.0)
    window.spoil()
    assert window.add(ONE, began_s + 2.0) is None
    assert window.end() == (ONE, 1, 1.0)


def test_it_knows_how_long_ago_a_step_ended(
    began_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = Window()
    window.begin()
    window.add(ONE, began_s + 1.0)
    monkeypatch.setattr(time, "monotonic", lambda: began_s + 1.5)
    assert window.since_step_s == 0.5
