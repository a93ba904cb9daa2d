"""From the verdict on a fact to the decision on it, and the confidence to store it with."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.domain.claims import ConfidenceSource
from groundwire_verifier.numbers.budget import budget
from groundwire_verifier.verdicts.facts import (
    FactDecision,
    GateDecision,
    GateReason,
    GateRules,
    decide_fact,
    grounded_confidence,
    leave_unverified,
)
from groundwire_verifier.verdicts.judging import unread_verdict
from groundwire_verifier.verdicts.policy import Observation, Policy, Thresholds, decide
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import CitationStatus, ClaimVerdict, Reason, Stance, Verdict

RULES = GateRules()
LENIENT = replace(RULES, reject_unsupported=False)
NO = Stance(yes=0.05, no=0.9, unsure=0.05, label_mass=0.9)
TASK = ClaimTask("x", (), 0.8, ConfidenceSource.REQUEST, "en")

shares = st.floats(0.0, 1.0)
gaps = st.sampled_from([0.0, 0.5, 3.0, 1e6])
stances = st.sampled_from([None, NO])


def judged(
    p1: float,
    p0: float,
    stated: float,
    *,
    max_gap_bits: float = 0.0,
    stance: Stance | None = None,
) -> ClaimVerdict:
    """The verdict that the verifier gives to these numbers."""
    observed = Observation(p1, p0, stated, citing=True, stance=stance)
    thresholds = Thresholds(max_gap_bits=max_gap_bits)
    decision = decide(observed, Policy.BUDGET, thresholds)
    return ClaimVerdict(
        verdict=decision.verdict,
        reason=decision.reason,
        reason_text="the numbers",
        grounded=decision.verdict is Verdict.SUPPORTED,
        warning="",
        citation_status=CitationStatus.KNOWN,
        cited_ids=("S0",),
        unknown_ids=(),
        confidence=stated,
        confidence_source=ConfidenceSource.REQUEST,
        budget=decision.budget,
        evidence_use=p1 - p0,
    )


def said(decision: FactDecision) -> tuple[GateDecision, GateReason]:
    return decision.decision, decision.reason


@given(shares, shares, shares, gaps, stances)
def test_a_confidence_is_in_its_range_and_never_above_the_stated_one(
    p1: float, p0: float, stated: float, max_gap_bits: float, stance: Stance | None
) -> None:
    verdict = judged(p1, p0, stated, max_gap_bits=max_gap_bits, stance=stance)
    for rules in (RULES, LENIENT):
        decision = decide_fact(verdict, rules, "en")
        assert 0.0 <= decision.confidence <= stated


@given(shares, shares, shares, gaps, stances)
def test_only_what_the_verifier_supports_is_accepted(
    p1: float, p0: float, stated: float, max_gap_bits: float, stance: Stance | None
) -> None:
    verdict = judged(p1, p0, stated, max_gap_bits=max_gap_bits, stance=stance)
    accepted = decide_fact(verdict, RULES, "en").decision is GateDecision.ACCEPTED
    assert accepted == (verdict.verdict is Verdict.SUPPORTED)
    if p1 <= p0:
        assert not accepted


@given(shares, shares, shares)
def test_a_confidence_is_the_smaller_of_the_stated_one_and_observed_over_required(
    p1: float, p0: float, stated: float
) -> None:
    found = budget(p1, p0, stated)
    observed, required = float(found.observed_bits), float(found.required_bits)
    if p1 > p0 and observed > 0.0 and required > 0.0:
        expected = min(stated, observed / required if required > observed else 1.0)
        assert grounded_confidence(judged(p1, p0, stated)) == expected


@given(shares, shares, shares)
def test_evidence_that_speaks_against_a_fact_gives_it_no_confidence(
    p1: float, p0: float, stated: float
) -> None:
    low, high = sorted((p1, p0))
    assert grounded_confidence(judged(low, high, stated)) == 0.0


@given(shares, shares, shares, shares)
def test_more_belief_with_the_evidence_never_lowers_the_confidence(
    p1: float, more: float, p0: float, stated: float
) -> None:
    low, high = sorted((p1, more))
    lower, higher = (grounded_confidence(judged(p, p0, stated)) for p in (low, high))
    # The divergence rises with the distance but for the last digits of its sum.
    assert lower <= higher + 1e-9


@given(st.floats(0.01, 0.99), st.floats(0.0, 1.0))
def test_where_nothing_is_required_any_support_gives_the_stated_confidence(
    stated: float, p1: float
) -> None:
    verdict = judged(p1, stated, stated)
    assert verdict.budget is not None
    assert verdict.budget.required_bits == 0.0
    supports = p1 > stated and verdict.budget.observed_bits > 0.0
    assert grounded_confidence(verdict) == (stated if supports else 0.0)


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (judged(0.6, 0.1, 0.95), GateReason.FACT_NOT_GROUNDED),  # too little is observed
        (judged(0.97, 0.96, 0.95), GateReason.FACT_NOT_GROUNDED),  # known without the evidence
        (judged(0.55, 0.95, 0.9), GateReason.FACT_NOT_GROUNDED),  # against, and far
        (judged(0.9, 0.1, 0.4), GateReason.BELOW_MIN_CONFIDENCE),
        (unread_verdict(TASK, Reason.UNKNOWN_CITATION, "S9"), GateReason.FACT_NOT_GROUNDED),
        (unread_verdict(TASK, Reason.LABEL_MASS_BELOW_FLOOR, ""), GateReason.FACT_NOT_GROUNDED),
    ],
)
def test_what_is_rejected_is_let_through_and_marked_where_the_operator_wants_that(
    verdict: ClaimVerdict, reason: GateReason
) -> None:
    strict, lenient = replace(RULES, min_confidence=0.5), replace(LENIENT, min_confidence=0.5)
    assert said(decide_fact(verdict, strict, "en")) == (GateDecision.REJECTED, reason)
    passed = decide_fact(verdict, lenient, "en")
    assert said(passed) == (GateDecision.ACCEPTED_UNSUPPORTED, reason)
    assert passed.reason_text.startswith("let through, marked: ")


@pytest.mark.parametrize("rules", [RULES, LENIENT])
def test_what_the_evidence_contradicts_is_never_let_through(rules: GateRules) -> None:
    decision = decide_fact(judged(0.02, 0.5, 0.5, stance=NO), rules, "en")
    assert said(decision) == (GateDecision.REJECTED, GateReason.CONTRADICTED)


@pytest.mark.parametrize(
    ("why", "reason"),
    [
        (Reason.OUT_OF_TIME, GateReason.OUT_OF_TIME),
        (Reason.BACKEND_FAILED, GateReason.BACKEND_UNAVAILABLE),
    ],
)
def test_a_fact_that_nobody_read_passes_with_a_reduced_confidence(
    why: Reason, reason: GateReason
) -> None:
    rules = replace(RULES, min_confidence=0.9)
    decision = decide_fact(unread_verdict(TASK, why, ""), rules, "en")
    assert said(decision) == (GateDecision.ACCEPTED_UNVERIFIED, reason)
    assert decision.confidence == 0.8 * 0.5


@pytest.mark.parametrize(
    "reason",
    [GateReason.OUT_OF_TIME, GateReason.OVERLOADED, GateReason.BACKEND_UNAVAILABLE],
)
def test_what_is_left_unverified_has_a_verdict_that_says_so(reason: GateReason) -> None:
    decision = leave_unverified(TASK, reason)
    assert said(decision) == (GateDecision.ACCEPTED_UNVERIFIED, reason)
    assert decision.verdict.verdict is Verdict.NOT_VERIFIED
    assert decision.confidence == 0.4
