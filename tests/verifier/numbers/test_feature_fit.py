"""Whether features help, judged on sources that their weights were not fitted on."""

import numpy as np
import pytest

from groundwire_verifier.numbers.calibration import CalibrationError, log_odds, sigmoid
from groundwire_verifier.numbers.feature_fit import fit_weights, judge
from groundwire_verifier.numbers.metrics import Bools, Floats

SOURCES, ROWS = 4, 300


def drawn(
    weights: list[float], rows: int = ROWS, seed: int = 4
) -> tuple[Floats, Floats, Bools, np.ndarray]:
    """Sources whose labels follow the raw log-odds and one feature, by a weight of each source."""
    rng = np.random.default_rng(seed)
    count = rows * len(weights)
    raw = sigmoid(rng.normal(0.0, 1.0, count))
    values = rng.normal(0.0, 1.0, (count, 1))
    sources = np.repeat(np.arange(len(weights)), rows)
    odds = log_odds(raw) + np.array(weights)[sources] * values[:, 0]
    return raw, values, rng.random(count) < sigmoid(odds), sources


def test_the_weight_is_what_the_feature_moves_the_log_odds_by() -> None:
    raw, values, labels, _ = drawn([1.5], rows=4000)
    assert fit_weights(raw, values, labels) == pytest.approx([1.5], abs=0.2)


def test_the_weight_of_what_tells_nothing_is_near_zero() -> None:
    raw, values, labels, _ = drawn([0.0], rows=4000)
    assert fit_weights(raw, values, labels) == pytest.approx([0.0], abs=0.1)


def test_a_feature_that_tells_the_same_on_every_source_is_used() -> None:
    judgement = judge(*drawn([1.0] * SOURCES))
    assert judgement.against == ""
    assert judgement.auroc_gained > 0.05
    assert judgement.log_loss_saved > 0.0
    assert [each.source for each in judgement.sources] == list(range(SOURCES))


@pytest.mark.parametrize("seed", range(4, 9))
def test_a_feature_that_tells_nothing_is_left_out(seed: int) -> None:
    assert "does not" in judge(*drawn([0.0] * SOURCES, seed=seed)).against


def test_a_large_source_that_loses_is_guarded() -> None:
    judgement = judge(*drawn([1.5, 1.5, 1.5, 1.5, 0.0]))
    assert judgement.auroc_gained > 0.0
    assert "1 guarded sources lose more than 0.01 AUROC" in judgement.against


@pytest.mark.parametrize(("guarded", "is_used"), [([], True), ([4], False)])
def test_a_small_source_that_loses_is_guarded_only_by_name(
    guarded: list[int], is_used: bool
) -> None:
    large, small = drawn([1.5] * SOURCES), drawn([0.0], rows=100, seed=5)
    raw, values, labels = (np.concatenate([large[i], small[i]]) for i in range(3))
    sources = np.concatenate([large[3], np.full(100, SOURCES)])
    assert (judge(raw, values, labels, sources, guarded).against == "") is is_used


def test_a_source_of_one_label_is_judged_by_no_figure_of_its_own() -> None:
    raw, values, labels, sources = drawn([1.0] * SOURCES)
    labels = labels | (sources == 0)
    assert [each.source for each in judge(raw, values, labels, sources).sources] == [1, 2, 3]


def test_too_few_sources_are_refused_with_what_is_missing() -> None:
    with pytest.raises(CalibrationError, match="2 sources are too few: give at least 3"):
        judge(*drawn([1.0, 1.0]))
