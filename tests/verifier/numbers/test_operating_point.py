"""Operating points and folds, on rows whose answer is known."""

import numpy as np
import pytest

from groundwire_verifier.numbers.calibration import CalibrationError, fit_isotonic, fit_platt
from groundwire_verifier.numbers.operating_point import (
    ISOTONIC_FROM_ROWS,
    LabelledReadings,
    Rate,
    best_form,
    keeping_to,
    most_balanced,
    operating_point,
    out_of_fold,
    recalling,
)

# Twenty rows of each label; the higher the probability, the more of them are supported.
PROBABILITIES = np.repeat([0.1, 0.3, 0.6, 0.9], 10)
LABELS = np.array(
    [False] * 9
    + [True]
    + [False] * 7
    + [True] * 3
    + [False] * 3
    + [True] * 7
    + [False]
    + [True] * 9
)
CONTEXTS = np.arange(40) % 20


@pytest.mark.parametrize(
    ("rate", "wanted", "threshold"),
    [
        (Rate.FALSE_POSITIVES, 0.2, 0.6),
        (Rate.FALSE_POSITIVES, 0.1, 0.9),
        (Rate.RISK, 0.25, 0.6),
        (Rate.RISK, 0.15, 0.9),
        (Rate.RISK, 0.05, None),
    ],
)
def test_the_lowest_threshold_that_keeps_to_the_rate_is_taken(
    rate: Rate, wanted: float, threshold: float | None
) -> None:
    assert keeping_to(PROBABILITIES, LABELS, rate, wanted) == threshold


@pytest.mark.parametrize(("lowest", "threshold"), [(0.0, 0.6), (0.6, 0.6), (0.7, 0.9), (1.0, None)])
def test_the_most_balanced_threshold_tells_most_of_both_labels_right(
    lowest: float, threshold: float | None
) -> None:
    assert most_balanced(PROBABILITIES, LABELS, lowest) == threshold


@pytest.mark.parametrize(
    ("wanted", "threshold"), [(0.45, 0.9), (0.5, 0.6), (0.8, 0.6), (0.9, 0.3), (1.0, 0.1)]
)
def test_the_highest_threshold_with_this_recall_is_taken(wanted: float, threshold: float) -> None:
    assert recalling(PROBABILITIES, LABELS, wanted) == threshold


def test_rows_that_no_confidence_accepts_bound_the_recall() -> None:
    scores = np.where(PROBABILITIES < 0.5, 0.0, PROBABILITIES)
    assert recalling(scores, LABELS, 0.9) == 0.6
    assert recalling(np.zeros(40), LABELS, 0.9) is None
    assert most_balanced(np.zeros(40), LABELS, 0.0) is None


def test_a_point_says_what_it_does() -> None:
    point = operating_point(0.6, PROBABILITIES, LABELS, CONTEXTS)
    assert point.false_positive_rate.value == pytest.approx(4 / 20)
    assert point.recall.value == pytest.approx(16 / 20)
    assert point.precision.value == pytest.approx(16 / 20)
    assert point.balanced_accuracy.value == pytest.approx(16 / 20)


def test_its_interval_holds_its_value_and_is_wider_for_fewer_contexts() -> None:
    widths = []
    for contexts in (np.arange(40), CONTEXTS // 4):
        found = operating_point(0.6, PROBABILITIES, LABELS, contexts).false_positive_rate
        assert found.low is not None
        assert found.high is not None
        assert found.value is not None
        assert found.low <= found.value <= found.high
        widths.append(found.high - found.low)
    assert widths[0] != widths[1]


def test_a_row_is_calibrated_by_a_fit_that_did_not_see_its_context() -> None:
    random = np.random.default_rng(2)
    raw = random.uniform(0.01, 0.99, 400)
    labels = random.uniform(size=400) < raw
    contexts = np.arange(400) // 20
    values = np.empty((400, 0))
    before = out_of_fold(LabelledReadings(raw, values, labels, contexts))
    flipped = labels.copy()
    flipped[contexts == 3] ^= True
    after = out_of_fold(LabelledReadings(raw, values, flipped, contexts))
    np.testing.assert_array_equal(before[contexts == 3], after[contexts == 3])
    assert not np.array_equal(before, after)


def test_the_form_is_the_one_that_foretells_new_contexts_better() -> None:
    random = np.random.default_rng(3)
    rows = 2 * ISOTONIC_FROM_ROWS
    raw, values = random.uniform(0.01, 0.99, rows), np.empty((rows, 0))
    # Platt scaling can make the first of itself, and no such step as the second.
    straight = random.uniform(size=rows) < raw
    step = random.uniform(size=rows) < np.where(raw < 0.8, 0.4, 0.95)
    for labels, form in ((straight, fit_platt), (step, fit_isotonic)):
        assert best_form(LabelledReadings(raw, values, labels, np.arange(rows))) is form
    few = slice(ISOTONIC_FROM_ROWS - 1)
    short = LabelledReadings(raw[few], values[few], step[few], np.arange(rows)[few])
    assert best_form(short) is fit_platt


def test_too_few_contexts_are_refused() -> None:
    with pytest.raises(CalibrationError, match="4 contexts are too few"):
        out_of_fold(LabelledReadings(PROBABILITIES, np.empty((40, 0)), LABELS, np.arange(40) % 4))
