"""Intervals of shares, and that of Wilson."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.numbers.intervals import Interval, wilson

counts = st.integers(0, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    # By R's binom::binom.confint(x, n, methods = "wilson").
    [(0, 10, 0.0, 0.2775328), (8, 10, 0.4901625, 0.9433178), (10, 10, 0.7224672, 1.0)],
)
def test_it_is_the_interval_that_r_computes(
    successes: int, trials: int, low: float, high: float
) -> None:
    found = wilson(successes, trials)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-6)


def test_without_a_trial_nothing_is_known() -> None:
    assert wilson(0, 0) == Interval(0.0, 1.0)


@given(counts)
def test_the_share_lies_within_and_its_center_is_never_certain(count: tuple[int, int]) -> None:
    successes, trials = count
    found = wilson(successes, trials)
    assert 0.0 < found.center < 1.0
    if trials:
        assert found.low - 1e-12 <= successes / trials <= found.high + 1e-12


@given(counts)
def test_no_answers_are_the_mirror_of_yes_answers(count: tuple[int, int]) -> None:
    successes, trials = count
    found, mirrored = wilson(successes, trials), wilson(trials - successes, trials)
    assert (found.low, found.high) == pytest.approx((1.0 - mirrored.high, 1.0 - mirrored.low))


def test_more_samples_narrow_it() -> None:
    widths = [w.high - w.low for w in (wilson(n, n) for n in (4, 8, 16, 32, 64))]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize(
    ("low", "high"), [(0.5, 0.4), (-0.1, 0.5), (0.5, 1.1), (float("nan"), 1.0)]
)
def test_what_is_no_interval_is_refused(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="no interval"):
        Interval(low, high)


def test_more_successes_than_trials_are_refused() -> None:
    with pytest.raises(ValueError, match="3 successes in 2 trials"):
        wilson(3, 2)
