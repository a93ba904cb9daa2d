"""Relations, strength, penalties, risk and the verdict."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from groundwire_verifier.checks.corpus.comparison import Comparison, Difference
from groundwire_verifier.checks.corpus.findings import (
    Contradiction,
    DecidedBy,
    EvidenceReason,
    EvidenceVerdict,
    Penalty,
    RawConfidenceSource,
    RelatedPassage,
    Relation,
    RiskNumbers,
)
from groundwire_verifier.checks.corpus.passages import Passage
from groundwire_verifier.checks.corpus.relations import is_old, relate
from groundwire_verifier.checks.corpus.risk import (
    RiskRules,
    decide,
    evidence_strength,
    is_uncertain,
    risk_numbers,
    strength_interval,
)
from groundwire_verifier.numbers.intervals import Interval
from groundwire_verifier.verdicts.types import Stance

RULES = RiskRules()
PASSAGE = Passage("p", "notes.md", "The tower is red.", 0, 17, 0.8, dated=date(2020, 1, 1))
SAME = Comparison("The tower is red.", 1.0, 1.0, None)
YEAR = replace(SAME, difference=Difference(Contradiction.TEMPORAL, "1912 and 1921"))
FAR = replace(SAME, alike=0.1, held=0.2)


def stance(yes: float, no: float) -> Stance:
    return Stance(yes, no, 1.0 - yes - no, 1.0)


def related(yes: float, no: float, compared: Comparison = SAME) -> RelatedPassage:
    return relate(PASSAGE, compared, stance(yes, no), is_old=False)


def numbers(*evidence: RelatedPassage, raw: float = 0.9, is_vague: bool = False) -> RiskNumbers:
    return risk_numbers(evidence, raw, RawConfidenceSource.TEXT, RULES, is_vague=is_vague)


SUPPORT, WEAK, AGAINST, BESIDE = (
    related(0.95, 0.03),
    related(0.5, 0.2),
    related(0.02, 0.97),
    (related(0.05, 0.1)),
)


def test_the_shares_of_the_models_choice_say_what_a_passage_is() -> None:
    found = [each.relation for each in (SUPPORT, WEAK, AGAINST, BESIDE)]
    assert found == [
        Relation.SUPPORTS, Relation.WEAK_SUPPORT, Relation.CONTRADICTS, Relation.UNRELATED
    ]  # fmt: skip
    assert AGAINST.contradiction is Contradiction.DIRECT_NEGATION
    assert AGAINST.decided_by is DecidedBy.MODEL


def test_a_no_to_a_passage_on_something_else_contradicts_nothing() -> None:
    assert related(0.02, 0.97, FAR).relation is Relation.UNRELATED


def test_a_rule_decides_over_a_reading_that_is_not_firm_and_says_so() -> None:
    found = related(0.88, 0.08, YEAR)
    assert found.relation is Relation.CONTRADICTS
    assert found.decided_by is DecidedBy.RULE
    assert found.contradiction is Contradiction.TEMPORAL
    assert found.detail == "1912 and 1921"


def test_no_rule_overrules_a_firm_reading() -> None:
    assert related(0.96, 0.02, YEAR).relation is Relation.SUPPORTS
    assert related(0.02, 0.96, SAME).relation is Relation.CONTRADICTS


def test_a_no_that_is_not_firm_to_a_sentence_with_all_its_words_is_none() -> None:
    assert related(0.45, 0.51, SAME).relation is Relation.WEAK_SUPPORT


def test_what_was_not_read_is_unread_whatever_differs() -> None:
    found = relate(PASSAGE, YEAR, None, is_old=False)
    assert (found.relation, found.contradiction) == (Relation.UNREAD, None)


def test_a_document_is_old_after_two_years() -> None:
    assert PASSAGE.dated is not None
    assert not is_old(PASSAGE, PASSAGE.dated + timedelta(days=730))
    assert is_old(PASSAGE, PASSAGE.dated + timedelta(days=731))
    assert not is_old(replace(PASSAGE, dated=None), date(2031, 1, 1))


def test_strength_is_the_best_support_less_the_worst_contradiction() -> None:
    assert evidence_strength([]) == 0.0
    assert evidence_strength([SUPPORT, WEAK]) == pytest.approx(0.95)
    assert evidence_strength([SUPPORT, AGAINST]) == pytest.approx(0.95 * 0.03)
    assert evidence_strength([SUPPORT, related(0.3, 0.05, YEAR)]) == pytest.approx(0.95 * 0.1)
    assert evidence_strength([BESIDE]) == 0.0


def test_the_interval_counts_what_is_left_open_against_the_claim_and_for_it() -> None:
    open_ = strength_interval([related(0.6, 0.1)])
    assert (open_.low, open_.high) == pytest.approx((0.6, 0.9))
    divided = strength_interval([SUPPORT, related(0.1, 0.6, replace(SAME, held=0.7))])
    assert divided.low == pytest.approx(0.95 * 0.1)
    assert divided.high == pytest.approx(0.97 * 0.4)


@pytest.mark.parametrize(
    ("evidence", "is_vague", "penalties", "calibrated"),
    [
        ((SUPPORT,), False, [], 0.9),
        ((), False, [Penalty.NO_EVIDENCE], 0.5),
        ((BESIDE,), False, [Penalty.NO_EVIDENCE], 0.5),
        ((WEAK,), False, [Penalty.WEAK_EVIDENCE], 0.75),
        ((WEAK, SUPPORT), False, [], 0.9),
        ((AGAINST, WEAK), False, [Penalty.CONTRADICTION], 0.3),
        ((SUPPORT,), True, [Penalty.VAGUE_LANGUAGE], 0.7),
        ((AGAINST,), True, [Penalty.CONTRADICTION, Penalty.VAGUE_LANGUAGE], 0.1),
    ],
)
def test_one_penalty_on_evidence_applies_and_that_of_vague_language_is_added(
    evidence: tuple[RelatedPassage, ...],
    is_vague: bool,
    penalties: list[Penalty],
    calibrated: float,
) -> None:
    found = numbers(*evidence, is_vague=is_vague)
    assert [each.penalty for each in found.penalties] == penalties
    assert found.calibrated_confidence == pytest.approx(calibrated)


def test_a_calibrated_confidence_is_never_below_0() -> None:
    assert numbers(AGAINST, raw=0.4, is_vague=True).calibrated_confidence == 0.0


def test_risk_weighs_raw_confidence_and_missing_strength() -> None:
    assert numbers(raw=0.92).risk == pytest.approx(0.4 * 0.92 + 0.6)
    assert numbers(SUPPORT, raw=0.9).risk == pytest.approx(0.4 * 0.9 + 0.6 * 0.05)


@pytest.mark.parametrize(
    ("evidence", "verdict", "reason"),
    [
        ((SUPPORT,), EvidenceVerdict.GROUNDED, EvidenceReason.STRONG_EVIDENCE),
        ((WEAK,), EvidenceVerdict.WEAK, EvidenceReason.PARTIAL_EVIDENCE),
        ((), EvidenceVerdict.HALLUCINATED, EvidenceReason.NO_EVIDENCE),
        ((AGAINST, SUPPORT), EvidenceVerdict.HALLUCINATED, EvidenceReason.CONTRADICTED),
        (
            (SUPPORT, related(0.05, 0.6, SAME)),
            EvidenceVerdict.GROUNDED,
            EvidenceReason.STRONG_EVIDENCE,
        ),
        (
            (SUPPORT, related(0.1, 0.55, replace(SAME, held=0.7))),
            EvidenceVerdict.WEAK,
            EvidenceReason.EVIDENCE_DIVIDED,
        ),
    ],
)
def test_the_verdict_follows_strength_and_contradictions(
    evidence: tuple[RelatedPassage, ...], verdict: EvidenceVerdict, reason: EvidenceReason
) -> None:
    assert decide(evidence, numbers(*evidence), RULES) == (verdict, reason)


def test_a_strong_claim_with_a_contradiction_is_never_grounded() -> None:
    rules = replace(RULES, grounded_threshold=0.3, hallucination_threshold=0.1)
    evidence = (SUPPORT, related(0.1, 0.55, replace(SAME, held=0.7)))
    found = risk_numbers(evidence, 0.9, RawConfidenceSource.TEXT, rules, is_vague=False)
    assert found.evidence_strength > rules.grounded_threshold
    assert decide(evidence, found, rules)[0] is EvidenceVerdict.WEAK


def test_a_person_should_look_where_nothing_is_firm() -> None:
    assert is_uncertain(EvidenceVerdict.WEAK, Interval(0.5, 0.5), RULES)
    assert is_uncertain(EvidenceVerdict.NOT_VERIFIED, None, RULES)
    assert is_uncertain(EvidenceVerdict.HALLUCINATED, Interval(0.1, 0.4), RULES)
    assert is_uncertain(EvidenceVerdict.GROUNDED, Interval(0.6, 0.8), RULES)
    assert not is_uncertain(EvidenceVerdict.GROUNDED, Interval(0.8, 0.95), RULES)
    assert not is_uncertain(EvidenceVerdict.HALLUCINATED, Interval(0.0, 0.0), RULES)
