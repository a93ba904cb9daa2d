"""The decision table: from numbers to verdicts, under both policies."""

import csv
import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.numbers.intervals import Interval
from groundwire_verifier.verdicts.explanations import WARNINGS, claim_warning, reason_text
from groundwire_verifier.verdicts.policy import (
    Observation,
    Policy,
    Thresholds,
    decide,
    grounding_score,
    supported_up_to,
)
from groundwire_verifier.verdicts.types import Reason, Stance, Verdict

DEFAULTS = Thresholds()
NO = Stance(yes=0.1, no=0.8, unsure=0.1, label_mass=0.9)
UNSURE = Stance(yes=0.1, no=0.3, unsure=0.6, label_mass=0.9)
YES = Stance(yes=0.7, no=0.2, unsure=0.1, label_mass=0.9)
FLOOR = 0.05


def decided(
    p1: float,
    p0: float,
    confidence: float = 0.95,
    stance: Stance | None = None,
    *,
    policy: Policy = Policy.BUDGET,
    citing: bool = True,
    closed_book: float | None = None,
    cited_alone: float | None = None,
    thresholds: Thresholds = DEFAULTS,
) -> tuple[Verdict, Reason]:
    observed = Observation(p1, p0, confidence, citing, stance, FLOOR, closed_book, cited_alone)
    decision = decide(observed, policy, thresholds)
    return decision.verdict, decision.reason


@pytest.mark.parametrize(
    ("p1", "p0", "confidence", "verdict", "reason"),
    [
        (0.97, 0.05, 0.95, Verdict.SUPPORTED, Reason.BUDGET_COVERED),
        (0.95, 0.05, 0.95, Verdict.SUPPORTED, Reason.BUDGET_COVERED),
        (0.90, 0.05, 0.95, Verdict.UNCERTAIN, Reason.BUDGET_EXCEEDED),
        (0.90, 0.30, 0.80, Verdict.SUPPORTED, Reason.BUDGET_COVERED),
        (0.97, 0.96, 0.95, Verdict.PRIOR_KNOWLEDGE, Reason.HIGH_PRIOR),
        (0.97, 0.86, 0.95, Verdict.PRIOR_KNOWLEDGE, Reason.HIGH_PRIOR),
        # Covered, but moved by too little to say that the evidence carries it.
        (0.97, 0.84, 0.95, Verdict.PRIOR_KNOWLEDGE, Reason.HIGH_PRIOR),
        (0.60, 0.49, 0.58, Verdict.UNCERTAIN, Reason.EVIDENCE_UNUSED),
        # To ask for less makes no claim fail, however high the prior is.
        (0.97, 0.70, 0.95, Verdict.SUPPORTED, Reason.BUDGET_COVERED),
        (0.97, 0.70, 0.735, Verdict.SUPPORTED, Reason.BUDGET_COVERED),
        (0.97, 0.70, 0.10, Verdict.SUPPORTED, Reason.BUDGET_COVERED),
        (0.60, 0.70, 0.95, Verdict.UNSUPPORTED, Reason.EVIDENCE_AGAINST),
        (0.50, 0.99, 0.95, Verdict.UNSUPPORTED, Reason.EVIDENCE_AGAINST),
        (0.52, 0.45, 0.44, Verdict.UNCERTAIN, Reason.EVIDENCE_UNUSED),
        (0.90, 0.45, 0.30, Verdict.SUPPORTED, Reason.BUDGET_COVERED),
        (0.10, 0.10, 0.95, Verdict.UNSUPPORTED, Reason.LOW_POSTERIOR),
        # The bare rule passes these: far more bits are observed than required.
        (0.10, 0.60, 0.90, Verdict.UNSUPPORTED, Reason.LOW_POSTERIOR),
        (0.01, 0.99, 0.95, Verdict.UNSUPPORTED, Reason.LOW_POSTERIOR),
    ],
)
def test_the_budgets_table(
    p1: float, p0: float, confidence: float, verdict: Verdict, reason: Reason
) -> None:
    assert decided(p1, p0, confidence) == (verdict, reason)


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize(
    ("p0", "closed_book", "verdict"),
    [
        (0.94, None, Verdict.PRIOR_KNOWLEDGE),
        (0.94, 0.90, Verdict.PRIOR_KNOWLEDGE),
        (0.94, 0.50, Verdict.PRIOR_KNOWLEDGE),
        (0.94, 0.49, Verdict.MISCITED),
        (0.94, 0.01, Verdict.MISCITED),
        # The evidence is used, or not believed: no high prior has to be explained.
        (0.05, 0.01, Verdict.SUPPORTED),
    ],
)
def test_a_high_prior_is_that_of_other_sources_if_it_goes_with_them(
    p0: float, closed_book: float | None, verdict: Verdict, policy: Policy
) -> None:
    found = decided(0.96, p0, closed_book=closed_book, cited_alone=0.01, policy=policy)
    assert found[0] is verdict


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize(
    ("cited_alone", "closed_book", "verdict", "reason"),
    [
        (0.95, 0.02, Verdict.SUPPORTED, Reason.CORROBORATED),
        # The model half believes it anyway, and the cited sources still add to that.
        (0.97, 0.60, Verdict.SUPPORTED, Reason.CORROBORATED),
        # They carry it, but not with the confidence that it is asked for.
        (0.94, 0.02, Verdict.UNCERTAIN, Reason.EVIDENCE_UNUSED),
        # They add nothing to what the model believes without any.
        (0.97, 0.83, Verdict.PRIOR_KNOWLEDGE, Reason.HIGH_PRIOR),
        # They do not carry it.
        (0.49, 0.02, Verdict.MISCITED, Reason.OTHER_SOURCE),
        # Nobody knows whether they do: the model did not answer.
        (None, 0.02, Verdict.UNCERTAIN, Reason.EVIDENCE_UNUSED),
    ],
)
def test_a_right_citation_stays_right_where_other_sources_say_the_same(
    cited_alone: float | None,
    closed_book: float,
    verdict: Verdict,
    reason: Reason,
    policy: Policy,
) -> None:
    found = decided(0.96, 0.94, closed_book=closed_book, cited_alone=cited_alone, policy=policy)
    assert found == (verdict, reason)


def test_the_cited_sources_alone_have_to_reach_the_score_too_where_it_decides() -> None:
    # 1.5 x (0.60 - 0.35) is 0.375.
    for policy, verdict in (
        (Policy.BUDGET, Verdict.SUPPORTED),
        (Policy.GROUNDING_SCORE, Verdict.UNCERTAIN),
    ):
        found = decided(0.62, 0.60, 0.51, policy=policy, closed_book=0.35, cited_alone=0.60)
        assert found[0] is verdict


def test_a_corroborated_claim_has_the_formulas_bits_and_the_score_of_what_it_cites() -> None:
    observed = Observation(
        0.96, 0.94, 0.95, citing=True, closed_book=0.1, cited_alone=0.95, label_mass_floor=FLOOR
    )
    found = decide(observed, Policy.GROUNDING_SCORE, DEFAULTS)
    plain = decide(Observation(0.96, 0.94, 0.95, True), Policy.GROUNDING_SCORE, DEFAULTS)
    assert found.reason is Reason.CORROBORATED
    assert found.budget == plain.budget
    assert found.score == grounding_score(0.95, 0.1, True, DEFAULTS) > plain.score


@pytest.mark.parametrize(
    ("alone", "without", "verdict"),
    [
        (Interval(0.95, 0.99), Interval(0.0, 0.1), Verdict.SUPPORTED),
        (Interval(0.90, 0.99), Interval(0.0, 0.1), Verdict.NOT_VERIFIED),
        (Interval(0.95, 0.99), Interval(0.0, 0.9), Verdict.NOT_VERIFIED),
    ],
)
def test_sources_that_were_read_roughly_corroborate_only_at_their_worst(
    alone: Interval, without: Interval, verdict: Verdict
) -> None:
    observed = Observation(
        0.96,
        0.94,
        0.95,
        citing=True,
        closed_book=0.05,
        cited_alone=0.97,
        cited_alone_interval=alone,
        closed_book_interval=without,
    )
    assert decide(observed, Policy.BUDGET, DEFAULTS).verdict is verdict


@pytest.mark.parametrize(
    ("p0", "verdict", "reason"),
    [
        (0.94, Verdict.MISCITED, Reason.OTHER_SOURCE),
        (0.60, Verdict.UNCERTAIN, Reason.BUDGET_EXCEEDED),
        (0.85, Verdict.UNCERTAIN, Reason.EVIDENCE_UNUSED),
    ],
)
def test_other_sources_have_to_carry_a_claim_clearly_for_it_to_be_miscited(
    p0: float, verdict: Verdict, reason: Reason
) -> None:
    thresholds = Thresholds(min_miscitation=0.8, prior_margin=0.4)
    found = decided(0.93, p0, 0.95, closed_book=0.1, cited_alone=0.1, thresholds=thresholds)
    assert found == (verdict, reason)


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize(
    ("p1", "bar", "verdict"),
    [
        (0.30, 0.30, Verdict.UNSUPPORTED),
        (0.31, 0.30, Verdict.UNCERTAIN),
        (0.01, 0.00, Verdict.UNCERTAIN),
        (0.55, 0.60, Verdict.UNSUPPORTED),
        (0.55, 0.50, Verdict.UNCERTAIN),
    ],
)
def test_a_claim_that_is_not_confirmed_is_found_unsupported_up_to_a_bar(
    p1: float, bar: float, verdict: Verdict, policy: Policy
) -> None:
    thresholds = Thresholds(max_unsupported_posterior=bar)
    assert decided(p1, p1, policy=policy, thresholds=thresholds)[0] is verdict


def test_evidence_against_a_claim_is_a_finding_whatever_the_bar_is() -> None:
    thresholds = Thresholds(max_unsupported_posterior=0.0)
    found = decided(0.60, 0.80, thresholds=thresholds)
    assert found == (Verdict.UNSUPPORTED, Reason.EVIDENCE_AGAINST)


def test_what_was_not_read_exactly_is_found_unsupported_only_below_the_bar_throughout() -> None:
    for high, verdict in ((0.5, Verdict.UNSUPPORTED), (0.6, Verdict.UNCERTAIN)):
        observed = Observation(0.3, 0.3, 0.95, True, p1_interval=Interval(0.1, high))
        assert decide(observed, Policy.BUDGET, DEFAULTS).verdict is verdict


def test_a_contradiction_has_to_reach_its_bar() -> None:
    for bar, verdict in ((0.8, Verdict.CONTRADICTED), (0.81, Verdict.UNSUPPORTED)):
        thresholds = Thresholds(min_contradiction=bar)
        assert decided(0.02, 0.1, stance=NO, thresholds=thresholds)[0] is verdict


@pytest.mark.parametrize(
    ("stance", "verdict"),
    [
        (NO, Verdict.CONTRADICTED),
        (UNSURE, Verdict.UNSUPPORTED),
        (YES, Verdict.UNSUPPORTED),
        (None, Verdict.UNSUPPORTED),
        (dataclasses.replace(NO, label_mass=FLOOR / 2), Verdict.UNSUPPORTED),
    ],
    ids=["no", "unsure", "yes", "not asked", "no mass"],
)
@pytest.mark.parametrize("policy", Policy)
def test_a_contradiction_is_what_the_model_says(
    stance: Stance | None, verdict: Verdict, policy: Policy
) -> None:
    assert decided(0.02, 0.1, stance=stance, policy=policy)[0] is verdict


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.sampled_from([NO, UNSURE, None]))
def test_no_claim_is_supported_against_its_evidence(
    p1: float, p0: float, confidence: float, stance: Stance | None
) -> None:
    for policy in Policy:
        verdict, _ = decided(p1, p0, confidence, stance, policy=policy)
        if verdict is Verdict.SUPPORTED:
            assert p1 > p0
            assert policy is Policy.GROUNDING_SCORE or p1 >= DEFAULTS.min_posterior


@given(
    probabilities=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    confidences=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    stance=st.sampled_from([NO, UNSURE, YES, None]),
    readings=st.tuples(st.none() | st.floats(0, 1), st.none() | st.floats(0, 1)),
    thresholds=st.builds(
        Thresholds,
        min_posterior=st.floats(0, 1),
        prior_margin=st.floats(0, 1),
        max_gap_bits=st.floats(0, 4),
        min_evidence_use=st.floats(0, 1),
        max_unsupported_posterior=st.floats(0, 1),
        min_contradiction=st.floats(0, 1),
        min_miscitation=st.floats(0, 1),
    ),
)
def test_to_ask_for_less_confidence_makes_no_verdict_worse(
    probabilities: tuple[float, float],
    confidences: tuple[float, float],
    stance: Stance | None,
    readings: tuple[float | None, float | None],
    thresholds: Thresholds,
) -> None:
    better = {
        Verdict.CONTRADICTED: 0,
        Verdict.UNSUPPORTED: 1,
        Verdict.UNCERTAIN: 2,
        # Which of the two it is no confidence decides.
        Verdict.MISCITED: 3,
        Verdict.PRIOR_KNOWLEDGE: 3,
        Verdict.SUPPORTED: 4,
    }
    observations = [
        Observation(*probabilities, t, True, stance, FLOOR, *readings) for t in sorted(confidences)
    ]
    low, high = (decide(each, Policy.BUDGET, thresholds).verdict for each in observations)
    assert better[low] >= better[high]
    assert {low, high} != {Verdict.MISCITED, Verdict.PRIOR_KNOWLEDGE}


@given(
    probabilities=st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)),
    stance=st.sampled_from([NO, UNSURE, YES, None]),
    readings=st.tuples(st.none() | st.floats(0, 1), st.none() | st.floats(0, 1)),
    bars=st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)),
    policy=st.sampled_from(Policy),
)
def test_no_bar_of_a_finding_makes_a_claim_grounded_or_takes_that_away(
    probabilities: tuple[float, float, float],
    stance: Stance | None,
    readings: tuple[float | None, float | None],
    bars: tuple[float, float, float],
    policy: Policy,
) -> None:
    observed = Observation(*probabilities, True, stance, FLOOR, *readings)
    barred = Thresholds(
        max_unsupported_posterior=bars[0], min_contradiction=bars[1], min_miscitation=bars[2]
    )
    before, after = (decide(observed, policy, each).verdict for each in (DEFAULTS, barred))
    assert (before is Verdict.SUPPORTED) is (after is Verdict.SUPPORTED)
    assert (before is Verdict.PRIOR_KNOWLEDGE) is (after is Verdict.PRIOR_KNOWLEDGE)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_claim_is_supported_up_to_the_confidence_that_operating_points_are_chosen_by(
    p1: float, p0: float, confidence: float, lowest: float
) -> None:
    thresholds = Thresholds(min_posterior=min(lowest, confidence))
    verdict = decide(Observation(p1, p0, confidence, True), Policy.BUDGET, thresholds).verdict
    up_to = float(supported_up_to(np.array(p1), np.array(p0), thresholds))
    assert (verdict is Verdict.SUPPORTED) is (confidence <= up_to and up_to > 0.0)


@pytest.mark.parametrize(
    ("p1", "p0", "citing", "score"),
    [
        (0.9, 0.1, True, 1.0),
        (0.8, 0.6, True, 0.6),
        (0.7, 0.4, True, 0.45),
        (0.71, 0.51, True, 0.6),
        (0.2, 0.6, True, 0.0),
        (0.9, 0.1, False, 0.63),
        (0.7, 0.1, False, 0.28),
        (0.0, 0.0, False, 0.0),
    ],
)
def test_the_grounding_score(p1: float, p0: float, citing: bool, score: float) -> None:
    assert grounding_score(p1, p0, citing, DEFAULTS) == pytest.approx(score)


def test_the_golden_scores_hold(shared: Path) -> None:
    with (shared / "golden" / "grounding_score.csv").open(newline="") as file:
        golden = list(csv.DictReader(file))
    assert golden
    for row in golden:
        p1, p0, citing = float(row["p1"]), float(row["p0"]), row["cited"] == "1"
        assert grounding_score(p1, p0, citing, DEFAULTS) == pytest.approx(float(row["score"]))
        verdict, _ = decided(p1, p0, policy=Policy.GROUNDING_SCORE, citing=citing)
        assert (verdict is Verdict.SUPPORTED) is (row["grounded"] == "1"), row


@pytest.mark.parametrize(
    ("p1", "p0", "citing", "verdict", "reason"),
    [
        (0.80, 0.60, True, Verdict.SUPPORTED, Reason.SCORE_REACHED),
        (0.80, 0.66, True, Verdict.UNCERTAIN, Reason.EVIDENCE_UNUSED),
        (0.60, 0.40, True, Verdict.UNCERTAIN, Reason.SCORE_MISSED),
        (0.90, 0.10, False, Verdict.SUPPORTED, Reason.SCORE_REACHED),
        # Without citations the evidence counts as used.
        (0.90, 0.85, False, Verdict.SUPPORTED, Reason.SCORE_REACHED),
        (0.65, 0.10, False, Verdict.UNCERTAIN, Reason.SCORE_MISSED),
        (0.97, 0.95, True, Verdict.PRIOR_KNOWLEDGE, Reason.HIGH_PRIOR),
        # The score looks at no threshold of the posterior.
        (0.45, 0.05, True, Verdict.SUPPORTED, Reason.SCORE_REACHED),
        (0.45, 0.35, True, Verdict.UNSUPPORTED, Reason.LOW_POSTERIOR),
        (0.60, 0.80, True, Verdict.UNSUPPORTED, Reason.EVIDENCE_AGAINST),
    ],
)
def test_the_scores_table(
    p1: float, p0: float, citing: bool, verdict: Verdict, reason: Reason
) -> None:
    found = decided(p1, p0, citing=citing, policy=Policy.GROUNDING_SCORE)
    assert found == (verdict, reason)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_every_decision_has_words_with_its_numbers(
    p1: float, p0: float, confidence: float, citing: bool
) -> None:
    observed = Observation(p1, p0, confidence, citing, NO, FLOOR)
    for policy in Policy:
        decision = decide(observed, policy, DEFAULTS)
        words = reason_text(observed, decision, policy, DEFAULTS, language="en")
        assert f"probability {p1:.2f}" in words or f"probability {p1:.3f}" in words
        assert f"{p0:.2f} without" in words


def test_an_uncertain_claim_is_told_with_its_probability() -> None:
    observed = Observation(0.47, 0.4, 0.95, True)
    thresholds = Thresholds(max_unsupported_posterior=0.3)
    decision = decide(observed, Policy.BUDGET, thresholds)
    words = reason_text(observed, decision, Policy.BUDGET, thresholds, language="en")
    assert words.startswith("not confirmed: probability 0.47 with the sources, 0.40 without;")
    for language in WARNINGS:
        assert "0.47" in claim_warning(decision.verdict, decision.reason, language, observed.p1)


@pytest.mark.parametrize(
    ("observed", "policy", "words"),
    [
        (
            Observation(0.68, 0.16, 0.51, True),
            Policy.BUDGET,
            "probability 0.68 with the sources, 0.16 without; 0.51 is needed",
        ),
        # Two digits would say that it is reached.
        (
            Observation(0.508, 0.16, 0.512, True),
            Policy.BUDGET,
            "not confirmed: probability 0.508 with the sources, 0.16 without; 0.512 is needed",
        ),
        # However little a claim asks for, its sources have to speak for it.
        (
            Observation(0.68, 0.16, 0.3, True),
            Policy.BUDGET,
            "probability 0.68 with the sources, 0.16 without; 0.50 is needed",
        ),
        (
            Observation(0.6, 0.4, 0.51, True),
            Policy.GROUNDING_SCORE,
            "not confirmed: probability 0.60 with the sources, 0.40 without; "
            "a grounding score above 0.45 is needed, and it is 0.30",
        ),
        (
            Observation(0.6, 0.5, 0.7, True),
            Policy.GROUNDING_SCORE,
            "not confirmed: probability 0.60 with the sources, 0.50 without: "
            "the sources have to add more than 0.15",
        ),
        (
            Observation(0.6, 0.8, 0.95, True),
            Policy.BUDGET,
            "probability 0.60 with the sources, 0.80 without: the sources speak against it",
        ),
    ],
)
def test_a_reason_says_which_probability_is_needed(
    observed: Observation, policy: Policy, words: str
) -> None:
    decision = decide(observed, policy, DEFAULTS)
    assert reason_text(observed, decision, policy, DEFAULTS, language="en") == words
    assert "bits" not in words


def test_a_reader_is_warned_of_everything_but_support() -> None:
    for language in WARNINGS:
        for verdict in Verdict:
            words = claim_warning(verdict, Reason.LOW_POSTERIOR, language)
            assert bool(words) is (verdict is not Verdict.SUPPORTED)


def test_warnings_of_another_language_fall_back_to_english() -> None:
    assert claim_warning(Verdict.CONTRADICTED, Reason.MODEL_SAYS_NO, "fi") == (
        WARNINGS["en"].contradicted
    )
