"""Calibration curves: what they map to, and what they are fitted to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.numbers.calibration import (
    CalibrationError,
    Isotonic,
    Platt,
    fit_isotonic,
    fit_platt,
    log_odds,
)

PROBABILITIES = st.lists(st.floats(0.0, 1.0), min_size=2, max_size=40)
CURVES = (Platt(2.0, -0.5), Isotonic((-2.0, 0.0, 1.0), (0.1, 0.4, 0.9)))


def drawn(slope: float, intercept: float, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Raw probabilities, and labels that are true as often as this Platt curve says."""
    random = np.random.default_rng(1)
    raw = random.uniform(0.01, 0.99, rows)
    return raw, random.uniform(size=rows) < Platt(slope, intercept).apply(raw)


@pytest.mark.parametrize("curve", CURVES)
@given(raw=PROBABILITIES)
def test_a_curve_keeps_the_order_and_the_range(curve: Platt | Isotonic, raw: list[float]) -> None:
    calibrated = curve.apply(sorted(raw))
    assert np.all(np.diff(calibrated) >= 0)
    assert np.all((calibrated >= 0) & (calibrated <= 1))


def test_isotonic_is_linear_in_log_odds_between_its_points_and_constant_beyond() -> None:
    curve = Isotonic((-1.0, 1.0), (0.2, 0.6))
    assert curve.apply([0.5, 1e-9, 1 - 1e-9]) == pytest.approx([0.4, 0.2, 0.6])


def test_platt_finds_the_curve_that_the_labels_follow() -> None:
    found = fit_platt(*drawn(1.7, -0.8, 20_000))
    assert found.slope == pytest.approx(1.7, abs=0.1)
    assert found.intercept == pytest.approx(-0.8, abs=0.1)


def test_platt_stays_finite_on_rows_that_a_threshold_separates() -> None:
    raw = np.linspace(0.01, 0.99, 60)
    found = fit_platt(raw, raw > 0.5)
    assert np.isfinite([found.slope, found.intercept]).all()
    assert found.apply(0.99) < 1.0


def test_isotonic_pools_what_falls() -> None:
    raw = np.repeat([0.2, 0.4, 0.6], 20)
    labels = np.array(
        [False] * 18 + [True] * 2 + [True] * 12 + [False] * 8 + [True] * 8 + [False] * 12
    )
    found = fit_isotonic(raw, labels)
    assert found.probabilities == pytest.approx((0.1, 0.5))
    assert found.log_odds[1] == pytest.approx(log_odds([0.4, 0.6]).mean())


def test_isotonic_is_never_certain() -> None:
    raw = np.repeat([0.2, 0.8], 25)
    found = fit_isotonic(raw, raw > 0.5)
    assert found.probabilities == pytest.approx((0.02, 0.98))


def test_a_model_that_is_no_better_than_chance_backwards_is_refused() -> None:
    raw = np.linspace(0.01, 0.99, 100)
    with pytest.raises(CalibrationError, match="supported claims do not get higher"):
        fit_platt(raw, raw < 0.5)
