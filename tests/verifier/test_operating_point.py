"""Operating points and folds, on rows whose answer is known."""

import numpy as np
import pytest

from groundwire_verifier.numbers.calibration import CalibrationError
from groundwire_verifier.numbers.operating_point import Rate, operating_point, out_of_fold

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
    ("rate", "wanted", "threshold", "found"),
    [
        (Rate.FALSE_POSITIVES, 0.2, 0.6, 4 / 20),
        (Rate.FALSE_POSITIVES, 0.1, 0.9, 1 / 20),
        (Rate.RISK, 0.25, 0.6, 4 / 20),
        (Rate.RISK, 0.15, 0.9, 1 / 10),
    ],
)
def test_the_lowest_threshold_that_keeps_to_the_rate_is_taken(
    rate: Rate, wanted: float, threshold: float, found: float
) -> None:
    point = operating_point(PROBABILITIES, LABELS, CONTEXTS, rate, wanted)
    assert point is not None
    assert point.threshold == threshold
    assert point.found.value == pytest.approx(found)


def test_a_point_says_how_much_is_accepted() -> None:
    point = operating_point(PROBABILITIES, LABELS, CONTEXTS, Rate.RISK, 0.15)
    assert point is not None
    assert point.supported_accepted.value == pytest.approx(9 / 20)
    assert point.all_accepted.value == pytest.approx(10 / 40)


def test_its_interval_holds_its_value_and_is_wider_for_fewer_contexts() -> None:
    widths = []
    for contexts in (np.arange(40), CONTEXTS // 4):
        point = operating_point(PROBABILITIES, LABELS, contexts, Rate.FALSE_POSITIVES, 0.2)
        assert point is not None
        found = point.found
        assert found.low is not None
        assert found.high is not None
        assert found.value is not None
        assert found.low <= found.value <= found.high
        widths.append(found.high - found.low)
    assert widths[0] != widths[1]


def test_there_is_no_point_where_nothing_keeps_to_the_rate() -> None:
    assert operating_point(PROBABILITIES, LABELS, CONTEXTS, Rate.RISK, 0.05) is None


def test_a_row_is_calibrated_by_a_fit_that_did_not_see_its_context() -> None:
    random = np.random.default_rng(2)
    raw = random.uniform(0.01, 0.99, 400)
    labels = random.uniform(size=400) < raw
    contexts = np.arange(400) // 20
    before = out_of_fold(raw, labels, contexts)
    flipped = labels.copy()
    flipped[contexts == 3] ^= True
    after = out_of_fold(raw, flipped, contexts)
    np.testing.assert_array_equal(before[contexts == 3], after[contexts == 3])
    assert not np.array_equal(before, after)


def test_too_few_contexts_are_refused() -> None:
    with pytest.raises(CalibrationError, match="4 contexts are too few"):
        out_of_fold(PROBABILITIES, LABELS, np.arange(40) % 4)
