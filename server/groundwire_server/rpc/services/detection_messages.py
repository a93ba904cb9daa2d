"""Verdicts and reports as messages of the contract."""

from collections.abc import Iterable
from dataclasses import asdict
from enum import Enum

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.rpc.services import messages
from groundwire_verifier.corrections.correction import Correction
from groundwire_verifier.domain import claims
from groundwire_verifier.domain.evidence import NonEvidence
from groundwire_verifier.verdicts import types as verdicts
from groundwire_verifier.verification import Verification, prompt_versions

MAX_NON_EVIDENCE = 10_000
"""The most sentences that a response lists, so that it has a size; all of them are left out."""
_UNEXPLAINED = verdicts.Explanation()


def claim(value: claims.Claim) -> pb.Claim:
    """A claim with its place in the text."""
    confidence = value.confidence
    return pb.Claim(
        content=value.content,
        span=_span(value.span),
        citations=[pb.Citation(span=_span(c.span), ids=c.ids) for c in value.citations],
        confidence=None if confidence is None else confidence.value,
        confidence_source=(
            None if confidence is None else name_in(pb.ConfidenceSource, confidence.source)
        ),
        non_assertive_reason=(
            None
            if value.non_assertive is None
            else name_in(pb.NonAssertiveReason, value.non_assertive)
        ),
        language=value.language,
    )


def answer_claim(value: verdicts.AnswerClaim) -> pb.AnswerClaim:
    """A claim of an answer, with its verdict if there is one."""
    verdict = None if value.verdict is None else claim_verdict(value.verdict)
    return pb.AnswerClaim(claim=claim(value.claim), verdict=verdict)


def claims_found(values: Iterable[verdicts.AnswerClaim]) -> pb.ClaimsFound:
    """The first piece of a stream."""
    return pb.ClaimsFound(claims=[answer_claim(value) for value in values])


def claim_known(index: int, verdict: verdicts.ClaimVerdict) -> pb.ClaimKnown:
    """A piece of a stream: the verdict of the claim at this index."""
    return pb.ClaimKnown(index=index, verdict=claim_verdict(verdict))


def claim_verdict(value: verdicts.ClaimVerdict) -> pb.ClaimVerdict:
    """A verdict with every number behind it."""
    why = value.explanation or _UNEXPLAINED
    return pb.ClaimVerdict(
        verdict=name_in(pb.Verdict, value.verdict),
        reason=name_in(pb.VerdictReason, value.reason),
        reason_text=value.reason_text,
        grounded=value.grounded,
        warning=value.warning,
        citation_status=name_in(pb.CitationStatus, value.citation_status),
        cited_ids=value.cited_ids,
        unknown_ids=value.unknown_ids,
        posterior=None if value.posterior is None else messages.estimate(value.posterior),
        prior=None if value.prior is None else messages.estimate(value.prior),
        confidence=value.confidence,
        confidence_source=name_in(pb.ConfidenceSource, value.confidence_source),
        budget=None if value.budget is None else _budget(value.budget),
        grounding_score=value.grounding_score,
        evidence_use=value.evidence_use,
        stance=None if value.stance is None else pb.Stance(**asdict(value.stance)),
        citation_roles=[_role(role) for role in value.citation_roles],
        closed_book=None if value.closed_book is None else messages.estimate(value.closed_book),
        cited_alone=None if value.cited_alone is None else messages.estimate(value.cited_alone),
        prior_title_ids=value.prior_title_ids,
        unstated_values=value.unstated_values,
        derived_values=[
            pb.DerivedValue(
                value=each.value,
                operation=name_in(pb.DerivedOperation, each.operation),
                operands=each.operands,
            )
            for each in value.derived_values
        ],
        other_sources=[pb.OtherSource(**asdict(other)) for other in value.other_sources],
        read_passages=[
            pb.ReadPassage(source_id=each.source_id, span=_span(each.span))
            for each in value.read_passages
        ],
        deciding_passages=[_passage(each) for each in why.passages],
        unsupported_spans=[
            pb.UnsupportedSpan(
                span=_span(each.span),
                kind=None if each.kind is None else name_in(pb.SpanKind, each.kind),
            )
            for each in why.spans
        ],
        conflicts=[
            pb.SourceConflict(passage=_passage(each.passage), newer_id=each.newer_id)
            for each in value.conflicts
        ],
        explained=why.complete,
    )


def summary(value: verdicts.AnswerSummary) -> pb.AnswerSummary:
    """An answer as a whole."""
    unverified = [
        pb.UnverifiedClaims(
            reason=name_in(pb.VerdictReason, each.reason),
            non_assertive_reason=(
                None
                if each.non_assertive is None
                else name_in(pb.NonAssertiveReason, each.non_assertive)
            ),
            claims=each.claims,
        )
        for each in value.unverified
    ]
    return pb.AnswerSummary(**(asdict(value) | {"unverified": unverified}))


def correction(value: Correction) -> pb.Correction:
    """An answer put right."""
    return pb.Correction(
        corrected_answer=value.text,
        edits=[
            pb.Edit(
                span=_span(each.span),
                replacement=each.replacement,
                kind=name_in(pb.EditKind, each.kind),
                source_id=each.source_id,
                source_span=None if each.source_span is None else _span(each.source_span),
                claim_index=each.claim,
                probability=each.probability,
            )
            for each in value.edits
        ],
        summary=None if value.summary is None else summary(value.summary),
        untried_claims=value.untried,
    )


def run(detection_id: str, detection: Verification, total_s: float) -> pb.Run:
    """What was done and what it cost."""
    options = detection.options
    return pb.Run(
        policy=name_in(pb.Policy, options.policy),
        thresholds=pb.Thresholds(**asdict(options.thresholds)),
        strictness=(
            None if options.strictness is None else messages.STRICTNESSES[options.strictness]
        ),
        model=detection.model,
        prompt_version=prompt_versions(detection),
        backend=detection.backend,
        usage=pb.SharedUsage(**asdict(detection.usage)),
        timing=messages.timing(detection.queue_s, detection.inference_s, total_s),
        non_evidence=[_non_evidence(e) for e in detection.non_evidence[:MAX_NON_EVIDENCE]],
        skip_non_evidence=options.skip_non_evidence,
        detection_id=detection_id,
        uncalibrated=detection.info is not None and detection.info.calibration is None,
    )


def name_in(named: EnumTypeWrapper, member: Enum) -> str:
    """The contract's name of a member of a domain's enum, which protobuf takes as its value."""
    return prefix_of(named) + member.name


def prefix_of(named: EnumTypeWrapper) -> str:
    """What the names of a contract's enum begin with, such as `VERDICT_REASON_`."""
    return str(named.Name(0)).removesuffix("UNSPECIFIED")


def _passage(value: verdicts.DecidingPassage) -> pb.DecidingPassage:
    return pb.DecidingPassage(
        source_id=value.source_id,
        span=_span(value.span),
        text=value.text,
        relation=name_in(pb.PassageRelation, value.relation),
        probability=value.probability,
    )


def _span(span: claims.Span) -> pb.Span:
    return pb.Span(start=span.start, end=span.end)


def _non_evidence(value: NonEvidence) -> pb.NonEvidence:
    kind = name_in(pb.NonAssertiveReason, value.kind)
    return pb.NonEvidence(source_id=value.source_id, span=_span(value.span), kind=kind)


def _role(value: verdicts.CitationRole) -> pb.CitationRole:
    role = None if value.role is None else name_in(pb.Role, value.role)
    return pb.CitationRole(id=value.id, role=role, drop=value.drop, alone=value.alone)


def _budget(value: verdicts.BudgetNumbers) -> pb.Budget:
    """A budget, with the range of its gap where that is not exact."""
    gaps = value.gap_range_bits
    return pb.Budget(
        required_nats=value.required_nats,
        observed_nats=value.observed_nats,
        gap_nats=value.gap_nats,
        required_bits=value.required_bits,
        observed_bits=value.observed_bits,
        gap_bits=value.gap_bits,
        required_exceeds_observed=value.required_exceeds_observed,
        min_gap_bits=None if gaps is None else gaps[0],
        max_gap_bits=None if gaps is None else gaps[1],
    )
