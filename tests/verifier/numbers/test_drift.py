"""Drift: found where a mean moves, and seldom where nothing does."""

import numpy as np
import numpy.typing as npt
import pytest

from groundwire_verifier.numbers import drift as module
from groundwire_verifier.numbers.drift import LEAST_DETECTIONS, LEVEL, Values, find_drift

CLAIMS = 5
WEEKS = 8
RECORDS = 60


def made(random: np.random.Generator, shares: list[float], detections: int = 60) -> list[Values]:
    """Periods whose detections have CLAIMS claims, each right with the period's probability."""
    periods = []
    for share in shares:
        values = Values()
        for right in random.binomial(CLAIMS, share, detections):
            values.add(right / CLAIMS)
        periods.append(values)
    return periods


def values(right: int, detections: int) -> Values:
    """So many of the detections have the value 1, the others 0."""
    values = Values()
    for at in range(detections):
        values.add(float(at < right))
    return values


@pytest.mark.parametrize("share", [0.5, 0.9, 0.995])
def test_a_record_without_drift_is_seldom_called_drifting(share: float) -> None:
    random = np.random.default_rng(7)
    alarms = 0
    for _ in range(RECORDS):
        found = find_drift([made(random, [share] * WEEKS), made(random, [share] * WEEKS)], (0, 0))
        alarms += any(drift for series in found for drift in series)
    # Three deviations above what is promised.
    assert alarms <= RECORDS * LEVEL + 3 * (RECORDS * LEVEL) ** 0.5


@pytest.mark.parametrize(("before", "after"), [(0.9, 0.7), (0.7, 0.9), (0.99, 0.85)])
def test_a_mean_that_moves_is_found_in_the_period_in_which_it_does(
    before: float, after: float
) -> None:
    random = np.random.default_rng(3)
    (found,) = find_drift([made(random, [before] * 6 + [after] * 2)], (0.05,))
    assert found[:6] == [None] * 6
    drift = found[6]
    assert drift is not None
    assert drift.difference == pytest.approx(after - before, abs=0.06)
    assert drift.before == pytest.approx(before, abs=0.03)
    assert drift.chance <= LEVEL / 7


def test_a_difference_that_is_too_small_to_matter_is_no_drift() -> None:
    random = np.random.default_rng(3)
    series = made(random, [0.9] * 4 + [0.86], detections=20_000)
    assert find_drift([series], (0.05,)) == [[None] * 5]
    assert find_drift([series], (0.02,))[0][4] is not None


def test_a_period_of_few_detections_is_not_looked_at() -> None:
    random = np.random.default_rng(3)
    few = made(random, [0.0], detections=LEAST_DETECTIONS - 1)
    assert find_drift([made(random, [1.0] * 3) + few], (0.05,)) == [[None] * 4]


class Counting(np.random.Generator):
    """Counts what is drawn."""

    drawn = 0

    def multivariate_hypergeometric(  # type: ignore[override]
        self, colors: npt.NDArray[np.int64], nsample: int, size: int
    ) -> npt.NDArray[np.int64]:
        Counting.drawn += size
        return super().multivariate_hypergeometric(colors, nsample, size)


@pytest.mark.parametrize("move", [0.04, 0.06])
def test_hundreds_of_periods_that_drift_take_a_bounded_number_of_draws(
    move: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_DRAWS", 600_000)
    monkeypatch.setattr(Counting, "drawn", 0)
    monkeypatch.setattr(np.random, "default_rng", lambda seed: Counting(np.random.PCG64(seed)))
    random = np.random.Generator(np.random.PCG64(5))
    shares = [0.8 + (move if at // 9 % 2 else -move) for at in range(200)]
    (found,) = find_drift([made(random, shares, detections=150)], (0.02,))
    assert Counting.drawn <= 600_000
    assert sum(drift is not None for drift in found) > 10
