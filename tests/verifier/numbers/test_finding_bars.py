"""Bars of findings, on readings of which the right bar is known."""

import numpy as np
import pytest

from groundwire_verifier.numbers.finding_bars import (
    NEVER,
    Contradictions,
    contradiction_bar,
    unsupported_bar,
)
from groundwire_verifier.numbers.metrics import Bools, Floats


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
