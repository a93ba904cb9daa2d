"""The metrics, against values by hand and against what must hold for any scores."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire_verifier.numbers import metrics

Rows = tuple[metrics.Floats, metrics.Bools]

# Few levels, so that most samples have ties.
levels = st.integers(-3, 3).map(float)
labelled = st.lists(st.tuples(levels, st.booleans()), min_size=2, max_size=30).filter(
    lambda rows: len({label for _, label in rows}) == 2
)
any_rows = settings(deadline=None)


def arrays(rows: list[tuple[float, bool]]) -> Rows:
    return np.array([s for s, _ in rows]), np.array([y for _, y in rows])


def by_pairs(scores: metrics.Floats, labels: metrics.Bools) -> float:
    pairs = list(itertools.product(scores[labels], scores[~labels]))
    return sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs) / len(pairs)


@pytest.mark.parametrize(
    ("scores", "labels", "expected"),
    [
        ([1, 2, 3, 4], [0, 0, 1, 1], 1.0),
        ([4, 3, 2, 1], [0, 0, 1, 1], 0.0),
        ([1, 2, 3, 4], [0, 1, 0, 1], 0.75),
        ([5, 5, 5, 5], [0, 1, 0, 1], 0.5),
        # Of four pairs one is won, one is tied, two are won: 3.5 of 4.
        ([1, 2, 2, 3], [0, 0, 1, 1], 0.875),
    ],
)
def test_auroc_counts_pairs_and_ties_half(
    scores: list[float], labels: list[int], expected: float
) -> None:
    assert metrics.auroc(np.array(scores, float), np.array(labels, bool)) == expected


@any_rows
@given(labelled)
def test_auroc_equals_the_count_over_all_pairs(rows: list[tuple[float, bool]]) -> None:
    scores, labels = arrays(rows)
    assert metrics.auroc(scores, labels) == pytest.approx(by_pairs(scores, labels))


@any_rows
@given(labelled, st.data())
def test_a_weight_counts_a_row_as_often(
    rows: list[tuple[float, bool]], data: st.DataObject
) -> None:
    scores, labels = arrays(rows)
    counts = data.draw(
        st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)).filter(
            lambda found: len(set(labels[np.array(found) > 0])) == 2
        )
    )
    repeated = np.repeat(np.arange(len(rows)), counts)
    weights = np.array([counts, [1] * len(rows)], float)

    found = metrics.auroc(scores, labels, weights)
    assert found[0] == pytest.approx(metrics.auroc(scores[repeated], labels[repeated]))
    assert found[1] == pytest.approx(metrics.auroc(scores, labels))
    said = scores > 0
    accuracy = metrics.balanced_accuracy(said, labels, weights)
    assert accuracy[0] == pytest.approx(metrics.balanced_accuracy(said[repeated], labels[repeated]))


def test_auroc_of_one_class_is_undefined() -> None:
    value = metrics.auroc(np.array([0.1, 0.2]), np.array([True, True]))
    assert np.isnan(value)
    assert metrics.interval(value, np.array([np.nan])) == metrics.Figure(None, None, None)


def test_balanced_accuracy_gives_both_classes_the_same_weight() -> None:
    labels = np.array([True, True, True, True, False])
    said = np.array([True, True, True, False, False])
    assert metrics.balanced_accuracy(said, labels) == pytest.approx((3 / 4 + 1) / 2)


def test_brier_is_the_mean_squared_distance_from_the_label() -> None:
    value = metrics.brier(np.array([0.8, 0.4]), np.array([True, False]))
    assert value == pytest.approx((0.04 + 0.16) / 2)


def test_ece_weighs_each_bin_by_its_rows() -> None:
    probabilities = np.array([0.11, 0.13, 0.9, 0.9])
    labels = np.array([False, True, True, True])
    # Two bins: mean .12 against .5, and .9 against 1, with half of the rows each.
    assert metrics.expected_calibration_error(probabilities, labels, bins=10) == pytest.approx(
        0.5 * 0.38 + 0.5 * 0.1
    )


def test_bins_have_equal_width_and_hold_every_row_once() -> None:
    probabilities = np.arange(16) / 15
    found = metrics.reliability(probabilities, np.zeros(16, bool))
    assert [b.rows for b in found] == [1] * 14 + [2]
    assert all(b.low <= b.mean_probability <= b.high for b in found)


def test_resamples_draw_whole_clusters() -> None:
    clusters = np.array([7, 7, 3, 3, 3, 9])
    weights = metrics.cluster_weights(clusters, 200, seed=1)
    assert weights.shape == (200, 6)
    assert np.array_equal(weights[:, 0], weights[:, 1])
    assert np.array_equal(weights[:, 2], weights[:, 4])
    assert np.all(weights[:, 0] + weights[:, 2] + weights[:, 5] == 3)
    assert np.array_equal(weights, metrics.cluster_weights(clusters, 200, seed=1))


def test_the_interval_holds_95_percent_of_the_resamples() -> None:
    found = metrics.interval(np.asarray(0.5), np.append(np.linspace(0, 1, 201), np.nan))
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.025, 0.975))
