"""Verdicts on what was not read exactly: SUPPORTED only where it would be all over the ranges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.numbers.budget import gap_range_bits
from groundwire_verifier.numbers.intervals import Interval, wilson
from groundwire_verifier.verdicts.explanations import WARNINGS, claim_warning, reason_text
from groundwire_verifier.verdicts.policy import (
    Decision,
    Observation,
    Policy,
    Thresholds,
    decide,
)
from groundwire_verifier.verdicts.types import Reason, Verdict

DEFAULTS = Thresholds()
shares = st.floats(0.0, 1.0)
intervals = st.tuples(shares, shares).map(lambda ends: Interval(min(ends), max(ends)))


def observed(
    p1: Interval | float, p0: Interval | float, confidence: float, *, citing: bool = True
) -> Observation:
    """An observation of ranges, each with its middle as the value, or of exact values."""
    first, second = (p if isinstance(p, Interval) else None for p in (p1, p0))
    return Observation(
        p1.center if isinstance(p1, Interval) else p1,
        p0.center if isinstance(p0, Interval) else p0,
        confidence,
        citing,
        p1_interval=first,
        p0_interval=second,
    )


def decided(
    p1: Interval | float, p0: Interval | float, confidence: float, policy: Policy = Policy.BUDGET
) -> Decision:
    return decide(observed(p1, p0, confidence), policy, DEFAULTS)


@pytest.mark.parametrize(
    ("p1", "p0", "confidence", "verdict"),
    [
        (Interval(0.96, 0.99), Interval(0.02, 0.1), 0.95, Verdict.SUPPORTED),
        # At its low end p1 does not pay for the confidence.
        (Interval(0.94, 0.99), Interval(0.02, 0.1), 0.95, Verdict.NOT_VERIFIED),
        # At its high end p0 leaves nothing for the evidence to add.
        (Interval(0.96, 0.99), Interval(0.02, 0.85), 0.95, Verdict.NOT_VERIFIED),
        # Exact on one side.
        (0.97, Interval(0.02, 0.1), 0.95, Verdict.SUPPORTED),
        (Interval(0.9, 1.0), 0.05, 0.92, Verdict.NOT_VERIFIED),
    ],
)
def test_a_claim_is_supported_where_it_is_in_all_of_its_ranges(
    p1: Interval | float, p0: Interval | float, confidence: float, verdict: Verdict
) -> None:
    found = decided(p1, p0, confidence)
    assert found.verdict is verdict
    assert (found.reason is Reason.INTERVAL_TOO_WIDE) == (verdict is Verdict.NOT_VERIFIED)


@given(
    st.tuples(intervals, shares),
    st.tuples(intervals, shares),
    shares,
    st.tuples(st.booleans(), st.sampled_from(Policy)),
)
def test_what_is_supported_is_so_at_each_point_of_its_ranges(
    p1: tuple[Interval, float],
    p0: tuple[Interval, float],
    confidence: float,
    rule: tuple[bool, Policy],
) -> None:
    citing, policy = rule
    ranges = observed(p1[0], p0[0], confidence, citing=citing)
    if decide(ranges, policy, DEFAULTS).verdict is not Verdict.SUPPORTED:
        return
    inside = [min(p.high, p.low + along * (p.high - p.low)) for p, along in (p1, p0)]
    # Of a confidence that p1 just reaches the gap is 0 but for rounding.
    point = observed(inside[0], inside[1], max(0.0, confidence - 1e-9), citing=citing)
    assert decide(point, policy, DEFAULTS).verdict is Verdict.SUPPORTED


@given(intervals, intervals, shares)
def test_no_range_makes_a_claim_supported_that_is_not(
    p1: Interval, p0: Interval, confidence: float
) -> None:
    if decided(p1, p0, confidence).verdict is Verdict.SUPPORTED:
        assert decided(p1.center, p0.center, confidence).verdict is Verdict.SUPPORTED


def test_the_budget_has_the_range_of_its_gap() -> None:
    p1, p0 = wilson(15, 16), wilson(2, 16)
    low, high = gap_range_bits(p1.low, p1.high, p0.low, p0.high, 0.9)
    bits = decided(p1, p0, 0.9).budget
    assert bits.gap_range_bits == pytest.approx((float(low), float(high)))
    assert low <= bits.gap_bits <= high


@pytest.mark.parametrize(("samples", "confidence"), [(8, 0.67), (16, 0.80), (32, 0.89), (73, 0.95)])
def test_samples_bear_a_confidence_by_their_number(samples: int, confidence: float) -> None:
    # The table of docs/choose-a-verifier.md#backends.
    p1, p0 = wilson(samples, samples), wilson(0, samples)
    assert decided(p1, p0, confidence).verdict is Verdict.SUPPORTED
    assert decided(p1, p0, confidence + 0.01).verdict is not Verdict.SUPPORTED


def test_the_reason_has_the_ranges_in_words() -> None:
    seen = observed(Interval(0.9, 1.0), Interval(0.0, 0.1), 0.94)
    decision = decide(seen, Policy.BUDGET, DEFAULTS)
    text = reason_text(seen, decision, Policy.BUDGET, DEFAULTS, language="en")
    assert "with the sources it lies in [0.90, 1.00], without in [0.00, 0.10]" in text
    assert "more samples" in text


@pytest.mark.parametrize("language", WARNINGS)
@pytest.mark.parametrize("reason", [Reason.INTERVAL_TOO_WIDE, Reason.TOO_FEW_SAMPLES])
def test_a_reader_is_told_that_it_could_not_be_verified(language: str, reason: Reason) -> None:
    words = WARNINGS[language]
    assert claim_warning(Verdict.NOT_VERIFIED, reason, language) == words.not_verified
    assert words.unverified[reason].of(2) != words.unverified[reason].of(1)
