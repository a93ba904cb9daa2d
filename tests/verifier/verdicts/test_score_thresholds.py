"""The thresholds of the grounding score, as they are chosen on labelled claims."""

import numpy as np
import pytest

from groundwire_verifier.verdicts.policy import Thresholds
from groundwire_verifier.verdicts.score_thresholds import ScoreThresholds, choose_score_thresholds

ROWS = 300


def chosen(supported_p1: float, unsupported_p1: float, p0: float) -> ScoreThresholds:
    """On claims of two kinds, each with a little spread, two on each context."""
    rng = np.random.default_rng(2)
    labels = np.arange(ROWS) % 2 == 0
    p1 = np.where(labels, supported_p1, unsupported_p1) + rng.uniform(-0.02, 0.02, ROWS)
    contexts = np.arange(ROWS) // 2
    return choose_score_thresholds(p1, np.full(ROWS, p0), labels, contexts, Thresholds())


def test_the_defaults_stay_where_they_tell_all_apart() -> None:
    found, defaults = chosen(0.95, 0.15, 0.1), Thresholds()
    assert found.min_evidence_use.value == pytest.approx(defaults.min_evidence_use)
    assert found.min_grounding_score.value == pytest.approx(defaults.min_grounding_score)
    assert found.balanced_accuracy.value == pytest.approx(1.0)
    assert not found.is_better


def test_a_lower_line_is_chosen_for_a_model_that_is_moved_little() -> None:
    found, defaults = chosen(0.22, 0.1, 0.1), Thresholds()
    assert found.min_evidence_use.value is not None
    assert found.min_evidence_use.value < 0.12 < defaults.min_evidence_use
    assert found.balanced_accuracy.value == pytest.approx(1.0)
    assert found.is_better


def test_what_tells_nothing_is_no_better_than_the_defaults() -> None:
    assert not chosen(0.5, 0.5, 0.1).is_better


def test_intervals_hold_their_values() -> None:
    found = chosen(0.22, 0.1, 0.1)
    for figure in (found.min_evidence_use, found.min_grounding_score, found.gained):
        assert None not in (figure.low, figure.value, figure.high)
        assert figure.low <= figure.value <= figure.high  # type: ignore[operator]
