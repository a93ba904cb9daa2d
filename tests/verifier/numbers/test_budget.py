"""The budget: the golden vectors, and what has to hold for all probabilities."""

import csv
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from groundwire_verifier.numbers.budget import CLIP, budget, gap_range_bits

GOLDEN_TOLERANCE = 1e-9
shares = st.floats(0.0, 1.0)
inner = st.floats(0.001, 0.999)


def rows(shared: Path, name: str) -> Iterator[dict[str, str]]:
    with (shared / "golden" / name).open(newline="") as file:
        yield from csv.DictReader(file)


def entropy_nats(p: float) -> float:
    return -sum(q * math.log(q) for q in (p, 1.0 - p))


def clipped(p: float) -> float:
    return min(max(p, CLIP), 1.0 - CLIP)


def test_the_golden_vectors_hold(shared: Path) -> None:
    golden = list(rows(shared, "budget_gap.csv"))
    assert len(golden) == 28
    columns = {name: np.array([float(row[name]) for row in golden]) for name in list(golden[0])[:6]}
    found = budget(columns["p1"], columns["p0"], columns["target"])
    for name in ("required_bits", "observed_bits", "gap_bits"):
        values = {
            "required_bits": found.required_bits,
            "observed_bits": found.observed_bits,
            "gap_bits": found.gap_bits,
        }[name]
        np.testing.assert_allclose(values, columns[name], rtol=0, atol=GOLDEN_TOLERANCE)
    flags = [row["required_exceeds_observed"] == "True" for row in golden]
    assert found.required_exceeds_observed.tolist() == flags


def test_the_golden_intervals_hold(shared: Path) -> None:
    for row in rows(shared, "budget_gap_intervals.csv"):
        value = {name: float(text) for name, text in row.items()}
        low, high = gap_range_bits(
            value["p1_lo"], value["p1_hi"], value["p0_lo"], value["p0_hi"], value["target"]
        )
        assert low == pytest.approx(float(row["gap_bits_min"]), abs=GOLDEN_TOLERANCE)
        assert high == pytest.approx(float(row["gap_bits_max"]), abs=GOLDEN_TOLERANCE)


@given(shares, shares, shares)
def test_the_gap_is_the_difference_of_entropies_and_logits(p1: float, p0: float, t: float) -> None:
    found = budget(p1, p0, t)
    q1, q0, s = (clipped(p) for p in (p1, p0, t))
    identity = entropy_nats(q1) - entropy_nats(s) + (q1 - s) * math.log(q0 / (1.0 - q0))
    assert float(found.gap_nats) == pytest.approx(identity, abs=1e-9)


@given(shares, shares)
def test_evidence_that_changes_nothing_is_no_information(p: float, t: float) -> None:
    assert budget(p, p, t).observed_bits == 0.0


@given(shares, shares)
def test_a_posterior_at_the_confidence_pays_for_it_exactly(t: float, p0: float) -> None:
    assert budget(t, p0, t).gap_bits == 0.0


def test_the_divergence_is_of_the_stated_from_the_prior_and_not_the_other_way() -> None:
    # KL(.9 || .5) is .531 bits, KL(.5 || .9) .737.
    assert float(budget(0.5, 0.5, 0.9).required_bits) == pytest.approx(0.5310044, abs=1e-6)
    assert float(budget(0.9, 0.5, 0.5).observed_bits) == pytest.approx(0.5310044, abs=1e-6)


@given(inner, inner)
def test_the_direction_shows_wherever_the_two_divergences_differ(a: float, b: float) -> None:
    def kl_bits(p: float, q: float) -> float:
        return p * math.log2(p / q) + (1 - p) * math.log2((1 - p) / (1 - q))

    assume(abs(kl_bits(a, b) - kl_bits(b, a)) > 1e-6)
    assert float(budget(a, b, a).observed_bits) == pytest.approx(kl_bits(a, b), abs=1e-9)
    assert float(budget(a, b, a).required_bits) == pytest.approx(kl_bits(a, b), abs=1e-9)


@pytest.mark.parametrize("bad", [-0.001, 1.001, math.nan, math.inf])
def test_what_is_no_probability_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match=r"outside \[0, 1\]"):
        budget([0.5, bad], 0.5, 0.5)


def test_an_empty_range_is_refused() -> None:
    with pytest.raises(ValueError, match="low end"):
        gap_range_bits(0.6, 0.5, 0.1, 0.2, 0.9)


@given(
    st.tuples(shares, shares).map(sorted),
    st.tuples(shares, shares).map(sorted),
    shares,
    st.tuples(shares, shares),
)
def test_no_gap_in_the_box_is_outside_the_range(
    p1: list[float], p0: list[float], t: float, at: tuple[float, float]
) -> None:
    low, high = gap_range_bits(p1[0], p1[1], p0[0], p0[1], t)
    inside = [
        ends[0] + share * (ends[1] - ends[0]) for ends, share in zip((p1, p0), at, strict=True)
    ]
    gap = float(budget(min(inside[0], p1[1]), min(inside[1], p0[1]), t).gap_bits)
    assert low - 1e-9 <= gap <= high + 1e-9
