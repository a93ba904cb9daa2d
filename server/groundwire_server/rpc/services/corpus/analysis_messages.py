"""Analyses of texts as messages of the contract."""

from dataclasses import asdict

from groundwire.v1 import corpus_verification_pb2 as pb
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire_server.rpc.services import detection_messages as messages
from groundwire_server.rpc.services.detection_messages import name_in
from groundwire_verifier.corpus import findings
from groundwire_verifier.corpus.risk import RiskRules
from groundwire_verifier.verdicts.types import Stance


def claim_analysis(value: findings.ClaimAnalysis) -> pb.ClaimAnalysis:
    """A claim with its evidence and what that makes of it."""
    return pb.ClaimAnalysis(
        claim=messages.claim(value.claim),
        verdict=name_in(pb.EvidenceVerdict, value.verdict),
        reason=name_in(pb.EvidenceReason, value.reason),
        reason_text=value.reason_text,
        is_uncertain=value.is_uncertain,
        evidence=[_passage(each) for each in value.evidence],
        numbers=None if value.numbers is None else _numbers(value.numbers),
        budget=None if value.budget is None else messages.claim_verdict(value.budget),
        contradictions=[name_in(pb.Contradiction, each) for each in value.contradictions],
        explanation=value.explanation,
    )


def risk_rules(value: RiskRules) -> pb.RiskRules:
    """The operator's numbers."""
    return pb.RiskRules(**asdict(value))


def _passage(value: findings.RelatedPassage) -> pb.RelatedPassage:
    passage, type_ = value.passage, value.contradiction
    return pb.RelatedPassage(
        document=passage.document,
        title=passage.title,
        text=passage.text,
        start=passage.start,
        end=passage.end,
        similarity=passage.similarity,
        dated="" if passage.dated is None else passage.dated.isoformat(),
        dated_by=passage.dated_by,
        is_old=value.is_old,
        relation=name_in(pb.Relation, value.relation),
        sentence=value.sentence,
        decided_by=name_in(pb.RelationDecidedBy, value.decided_by),
        contradiction=None if type_ is None else name_in(pb.Contradiction, type_),
        detail=value.detail,
        stance=None if value.stance is None else _stance(value.stance),
    )


def _stance(value: Stance) -> detection_pb.Stance:

    return detection_pb.Stance(**asdict(value))


def _numbers(value: findings.RiskNumbers) -> pb.RiskNumbers:
    return pb.RiskNumbers(
        evidence_strength=value.evidence_strength,
        strength_low=value.strength_interval.low,
        strength_high=value.strength_interval.high,
        raw_confidence=value.raw_confidence,
        raw_source=name_in(pb.RawConfidenceSource, value.raw_source),
        penalties=[
            pb.AppliedPenalty(penalty=name_in(pb.Penalty, each.penalty), points=each.points)
            for each in value.penalties
        ],
        calibrated_confidence=value.calibrated_confidence,
        risk=value.risk,
    )
