"""Whether features help, judged on sources that their weights were not fitted on."""

import numpy as np
import pytest

from groundwire_verifier.numbers.calibration import log_odds, sigmoid
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


def test_a_feature_that_tells_the_same_on_every_source_is_used() -> None:
    judgement = judge(*drawn([1.0] * SOURCES))
    assert judgement.against == ""
    assert judgement.auroc_gained > 0.05
    assert judgement.log_loss_saved > 0.0
    assert [each.source for each in judgement.sources] == list(range(SOURCES))


def test_a_large_source_that_loses_is_guarded() -> None:
    judgement = judge(*drawn([1.5, 1.5, 1.5, 1.5, 0.0]))
    assert judgement.auroc_gained > 0.0
    assert "1 guarded sources lose more than 0.01 AUROC" in judgement.against


def test_a_source_of_one_label_is_judged_by_no_figure_of_its_own() -> None:
    raw, values, labels, sources = drawn([1.0] * SOURCES)
    labels = labels | (sources == 0)
    assert [each.source for each in judge(raw, values, labels, sources).sources] == [1, 2, 3]
