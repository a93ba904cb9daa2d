"""Operating points and folds, on rows whose answer is known."""

import numpy as np
import pytest

from groundwire_verifier.numbers.calibration import (
    Strictness,
    fit_isotonic,
    fit_platt,
)
from groundwire_verifier.numbers.finding_bars import (
    NEVER,
    Contradictions,
    contradiction_bar,
    unsupported_bar,
)
from groundwire_verifier.numbers.metrics import Bools, Floats
from groundwire_verifier.numbers.operating_point import (
    ISOTONIC_FROM_ROWS,
    PROMISES,
    LabelledReadings,
    Rate,
    best_form,
    choose_points,
    equal_sets,
    keeping_to,
    operating_point,
    out_of_fold,
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
ONCE = np.ones(40)


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
    assert keeping_to(PROBABILITIES, LABELS, ONCE, (rate, wanted)) == threshold


def test_each_point_keeps_its_promise_with_the_most_recall() -> None:
    """One unsupported row in a hundred at each confidence from .01 to 1; supported ones at .97."""
    scores = np.append(np.arange(1, 101) / 100, np.full(50, 0.97))
    labels = np.append(np.zeros(100, dtype=np.bool_), np.ones(50, dtype=np.bool_))
    chosen = choose_points(scores, labels, np.ones(150), 0.5, {})
    assert chosen == {
        Strictness.BALANCED: 0.86,
        Strictness.STRICT: 0.96,
        Strictness.LENIENT: 0.71,
    }
    for name, promise in PROMISES.items():
        point = operating_point(chosen[name], scores, labels, np.arange(150), np.ones(150))
        assert point.false_positive_rate.value == pytest.approx(promise)


def test_a_large_set_does_not_decide() -> None:
    """The large set has no false positive above .5, the small one has them up to .8."""
    large = np.append(np.full(900, 0.1), np.full(100, 0.9))
    small = np.append(np.full(20, 0.8), np.full(20, 0.95))
    scores = np.append(large, small)
    labels = np.append(np.arange(1000) >= 900, np.arange(40) >= 20)
    sources = np.append(np.zeros(1000, dtype=np.int64), np.ones(40, dtype=np.int64))
    by_rows = choose_points(scores, labels, np.ones(1040), 0.5, {})
    by_sets = choose_points(scores, labels, equal_sets(sources, labels), 0.5, {})
    assert by_rows[Strictness.BALANCED] == 0.8
    assert by_sets[Strictness.BALANCED] == 0.9


def test_sets_weigh_the_same_among_the_rows_of_each_label_and_tiny_ones_together() -> None:
    sources = np.append(np.repeat([0, 1], [60, 20]), np.arange(2, 22))
    labels = np.tile([True, False], 50)
    weights = equal_sets(sources, labels)
    for of in (labels, ~labels):
        sums = [weights[of & at].sum() for at in (sources == 0, sources == 1, sources > 1)]
        np.testing.assert_allclose(sums, 50 / 3)


def test_its_interval_holds_its_value_and_is_wider_for_fewer_contexts() -> None:
    widths = []
    for contexts in (np.arange(40), CONTEXTS // 4):
        found = operating_point(0.6, PROBABILITIES, LABELS, contexts, ONCE).false_positive_rate
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
    before = out_of_fold(LabelledReadings(raw, labels, contexts))
    flipped = labels.copy()
    flipped[contexts == 3] ^= True
    after = out_of_fold(LabelledReadings(raw, flipped, contexts))
    np.testing.assert_array_equal(before[contexts == 3], after[contexts == 3])
    assert not np.array_equal(before, after)


def test_the_form_is_the_one_that_foretells_new_contexts_better() -> None:
    random = np.random.default_rng(3)
    rows = 2 * ISOTONIC_FROM_ROWS
    raw = random.uniform(0.01, 0.99, rows)
    # Platt scaling can make the first of itself, and no such step as the second.
    straight = random.uniform(size=rows) < raw
    step = random.uniform(size=rows) < np.where(raw < 0.8, 0.4, 0.95)
    for labels, form in ((straight, fit_platt), (step, fit_isotonic)):
        assert best_form(LabelledReadings(raw, labels, np.arange(rows))) is form
    few = slice(ISOTONIC_FROM_ROWS - 1)
    short = LabelledReadings(raw[few], step[few], np.arange(rows)[few])
    assert best_form(short) is fit_platt


def rows(*levels: tuple[float, int, int]) -> tuple[Floats, Bools]:
    """Scores and labels: so many supported and unsupported rows at each level."""
    scores = np.concatenate([np.full(good + bad, level) for level, good, bad in levels])
    labels = [np.append(np.ones(good), np.zeros(bad)) for _, good, bad in levels]
    return scores, np.concatenate(labels).astype(np.bool_)


def told(says_no: Floats, contradicted: Bools) -> Contradictions:
    return Contradictions(says_no, contradicted, np.ones(len(says_no), dtype=np.bool_))


def test_unsupported_is_told_up_to_where_half_are_when_one_claim_in_five_is_wrong() -> None:
    # An unsupported row counts a quarter of a supported one: 40 against 10 at .1, 50 against 40 at
    # .2 as well, which is too few.
    p1, labels = rows((0.1, 10, 40), (0.2, 30, 10), (0.9, 60, 50))
    bar = unsupported_bar(p1, labels, np.arange(200), np.ones(200), 0.5)
    assert (bar.at, bar.rows) == (0.1, 50)
    assert bar.right.value == pytest.approx(0.8)
    assert bar.right_in_use.value == pytest.approx(0.5)
    assert bar.right_in_use.low is not None
    assert bar.right_in_use.low < 0.5


def test_no_claim_that_the_evidence_speaks_for_is_found_unsupported() -> None:
    p1, labels = rows((0.1, 0, 60), (0.6, 20, 0), (0.9, 80, 0))
    assert unsupported_bar(p1, labels, np.arange(160), np.ones(160), 0.5).at == 0.1
    assert unsupported_bar(p1, labels, np.arange(160), np.ones(160), 0.7).at == 0.6


def test_contradicted_is_told_from_where_nine_of_ten_are_not_supported() -> None:
    says_no, labels = rows((0.9, 1, 19), (0.8, 1, 9), (0.6, 5, 5), (0.0, 50, 50))
    bar = contradiction_bar(told(says_no, ~labels), labels, np.arange(140), np.ones(140))
    assert (bar.at, bar.rows) == (0.8, 30)
    assert bar.right.value == pytest.approx(28 / 30)


def test_most_contradicted_claims_have_to_be_such_by_the_rows() -> None:
    says_no, labels = rows((0.9, 0, 20), (0.8, 0, 20))
    contradicted = np.arange(40) < 20
    for is_told, at in ((np.ones(40, dtype=np.bool_), 0.9), (contradicted, 0.8)):
        contradictions = Contradictions(says_no, contradicted, is_told)
        bar = contradiction_bar(contradictions, labels, np.arange(40), np.ones(40))
        assert bar.at == at


@pytest.mark.parametrize("says_no", [(0.9, 5, 15), (0.9, 0, 9), (0.0, 0, 40)])
def test_where_contradictions_cannot_be_believed_none_is_told(
    says_no: tuple[float, int, int],
) -> None:
    scores, labels = rows(says_no)
    count = len(labels)
    bar = contradiction_bar(told(scores, ~labels), labels, np.arange(count), np.ones(count))
    assert (bar.at, bar.rows) == (NEVER, 0)
