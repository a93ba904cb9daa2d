"""From the relations of a claim's evidence to its numbers and its verdict.

The numbers are heuristics that an operator tunes, and no probabilities: the penalties, weights and
thresholds are settings.

- Evidence strength is S x (1 - C). S is the largest share of YES that the model gives to a passage
  which supports the claim, strongly or weakly, and 0 without one. C is the largest share of NO of
  one that contradicts it; where a rule found the contradiction C is at least RULE_STRENGTH.
- The interval of the strength counts the share of UNSURE, which the model leaves open, once against
  the claim and once for it: each share of YES lies in [YES, YES + UNSURE], and each of NO likewise.
- Raw confidence is what the text states, in words or as a number; else the model's own P(YES)
  without any evidence.
- Calibrated confidence is the raw one less the penalties, at least 0. Of the three on evidence (no
  evidence, contradiction, weak evidence only) the first that applies in the order contradiction, no
  evidence, weak evidence counts alone; that of vague language is added to it.
- Risk is w raw + (1 - w) (1 - strength), with w = 0.4.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from groundwire_verifier.checks.corpus.findings import (
    AppliedPenalty,
    DecidedBy,
    EvidenceReason,
    EvidenceVerdict,
    Penalty,
    RawConfidenceSource,
    RelatedPassage,
    Relation,
    RiskNumbers,
)
from groundwire_verifier.numbers.intervals import Interval

RULE_STRENGTH = 0.9
"""How strong a contradiction is, in [0, 1], that a rule has found."""
SUPPORTING = frozenset({Relation.SUPPORTS, Relation.WEAK_SUPPORT})


@dataclass(frozen=True, slots=True)
class RiskRules:
    """The numbers of risk, all in [0, 1]; `raw_weight` is that of raw confidence in it."""

    no_evidence_penalty: float = 0.4
    contradiction_penalty: float = 0.6
    weak_evidence_penalty: float = 0.15
    vague_language_penalty: float = 0.2
    hallucination_threshold: float = 0.3
    grounded_threshold: float = 0.7
    raw_weight: float = 0.4


def evidence_strength(evidence: Sequence[RelatedPassage]) -> float:
    """How far the evidence carries a claim, in [0, 1]; 0 without any."""
    return _strength(evidence, open_for=0.0, open_against=0.0)


def strength_interval(evidence: Sequence[RelatedPassage]) -> Interval:
    """From the strength with all that is left open against the claim, to that with all for it."""
    low = _strength(evidence, open_for=0.0, open_against=1.0)
    return Interval(low, _strength(evidence, open_for=1.0, open_against=0.0))


def risk_numbers(
    evidence: Sequence[RelatedPassage],
    raw: float,
    raw_source: RawConfidenceSource,
    rules: RiskRules,
    *,
    is_vague: bool,
) -> RiskNumbers:
    """The numbers of a claim whose evidence was read. `raw` is in [0, 1]."""
    strength = evidence_strength(evidence)
    penalties = tuple(_penalties(evidence, rules, is_vague=is_vague))
    taken = sum(penalty.points for penalty in penalties)
    return RiskNumbers(
        evidence_strength=strength,
        strength_interval=strength_interval(evidence),
        raw_confidence=raw,
        raw_source=raw_source,
        penalties=penalties,
        calibrated_confidence=max(0.0, raw - taken),
        risk=rules.raw_weight * raw + (1.0 - rules.raw_weight) * (1.0 - strength),
    )


def decide(
    evidence: Sequence[RelatedPassage], numbers: RiskNumbers, rules: RiskRules
) -> tuple[EvidenceVerdict, EvidenceReason]:
    """The verdict on a claim whose evidence was read, and how it came about."""
    contradicted = _has(evidence, Relation.CONTRADICTS)
    supported = any(each.relation in SUPPORTING for each in evidence)
    if numbers.evidence_strength < rules.hallucination_threshold:
        if contradicted:
            return EvidenceVerdict.HALLUCINATED, EvidenceReason.CONTRADICTED
        reason = EvidenceReason.WEAK_EVIDENCE if supported else EvidenceReason.NO_EVIDENCE
        return EvidenceVerdict.HALLUCINATED, reason
    if contradicted:
        return EvidenceVerdict.WEAK, EvidenceReason.EVIDENCE_DIVIDED
    if numbers.evidence_strength > rules.grounded_threshold:
        return EvidenceVerdict.GROUNDED, EvidenceReason.STRONG_EVIDENCE
    return EvidenceVerdict.WEAK, EvidenceReason.PARTIAL_EVIDENCE


def is_uncertain(verdict: EvidenceVerdict, interval: Interval | None, rules: RiskRules) -> bool:
    """Whether a person should look: nothing firm is known, or too much is left open.

    So it is of WEAK and NOT_VERIFIED, and where the interval of the strength reaches over one of
    the thresholds.
    """
    if interval is None or verdict in (EvidenceVerdict.WEAK, EvidenceVerdict.NOT_VERIFIED):
        return True
    edges = rules.hallucination_threshold, rules.grounded_threshold
    return any(interval.low < edge <= interval.high for edge in edges)


def _penalties(
    evidence: Sequence[RelatedPassage], rules: RiskRules, *, is_vague: bool
) -> list[AppliedPenalty]:
    found: list[AppliedPenalty] = []
    if _has(evidence, Relation.CONTRADICTS):
        found.append(AppliedPenalty(Penalty.CONTRADICTION, rules.contradiction_penalty))
    elif not any(each.relation in SUPPORTING for each in evidence):
        found.append(AppliedPenalty(Penalty.NO_EVIDENCE, rules.no_evidence_penalty))
    elif not _has(evidence, Relation.SUPPORTS):
        found.append(AppliedPenalty(Penalty.WEAK_EVIDENCE, rules.weak_evidence_penalty))
    if is_vague:
        found.append(AppliedPenalty(Penalty.VAGUE_LANGUAGE, rules.vague_language_penalty))
    return found


def _has(evidence: Sequence[RelatedPassage], relation: Relation) -> bool:
    return any(each.relation is relation for each in evidence)


def _strength(evidence: Sequence[RelatedPassage], *, open_for: float, open_against: float) -> float:
    """The strength where so much of each share of UNSURE, in [0, 1], is taken for YES and NO."""
    support = (_share_of_yes(each, open_for) for each in evidence)
    against = (_share_of_no(each, open_against) for each in evidence)
    return max(support, default=0.0) * (1.0 - max(against, default=0.0))


def _share_of_yes(each: RelatedPassage, of_open: float) -> float:
    stance = each.stance
    if each.relation not in SUPPORTING or stance is None:
        return 0.0
    return min(1.0, stance.yes + of_open * stance.unsure)


def _share_of_no(each: RelatedPassage, of_open: float) -> float:
    stance = each.stance
    if each.relation is not Relation.CONTRADICTS:
        return 0.0
    read = 0.0 if stance is None else min(1.0, stance.no + of_open * stance.unsure)
    return max(read, RULE_STRENGTH) if each.decided_by is DecidedBy.RULE else read
