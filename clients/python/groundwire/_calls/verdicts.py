"""The call that verifies claims, and verdicts and runs as they are read out of any response."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from functools import partial
from typing import TypeVar

from groundwire._calls.claims import read_confidence_source, read_non_assertive_reason, read_span
from groundwire._calls.estimates import STRICTNESSES, read_estimate, read_timing
from groundwire._calls.inputs import sent_evidence, sent_verify_options
from groundwire._wire.calls import Call
from groundwire._wire.fields import (
    by_number,
    checked_text,
    checked_texts,
    difference,
    finite,
    optional,
    require,
    share,
)
from groundwire.claims import NonAssertiveReason
from groundwire.errors import InvalidResponseError
from groundwire.inputs import ClaimInput, Evidence, Policy, Thresholds, VerifyOptions
from groundwire.reports import NonEvidence, Run, SharedUsage, VerifyResult
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.verdicts import (
    Budget,
    CitationRole,
    CitationStatus,
    DecidingPassage,
    DerivedOperation,
    DerivedValue,
    OtherSource,
    PassageRelation,
    ReadPassage,
    Role,
    SourceConflict,
    SpanKind,
    Stance,
    UnsupportedSpan,
    Verdict,
    VerdictReason,
    VerifiedClaim,
)

_VERDICTS = by_number(Verdict, pb.Verdict.items(), "VERDICT_")
_REASONS = by_number(VerdictReason, pb.VerdictReason.items(), "VERDICT_REASON_")
_STATUSES = by_number(CitationStatus, pb.CitationStatus.items(), "CITATION_STATUS_")
_ROLES = by_number(Role, pb.Role.items(), "ROLE_")
_OPERATIONS = by_number(DerivedOperation, pb.DerivedOperation.items(), "DERIVED_OPERATION_")
_RELATIONS = by_number(PassageRelation, pb.PassageRelation.items(), "PASSAGE_RELATION_")
_SPAN_KINDS = by_number(SpanKind, pb.SpanKind.items(), "SPAN_KIND_")
_POLICIES = by_number(Policy, pb.Policy.items(), "POLICY_")

_NEWER_THRESHOLDS = ("max_unsupported_posterior", "min_miscitation")
"""What a server of 0.1 does not send."""

Verified = TypeVar("Verified", bound=VerifiedClaim)

# What the verdicts on a claim itself say of p1, and these two of p0 as well.
_FROM_POSTERIOR = {Verdict.UNCERTAIN, Verdict.UNSUPPORTED, Verdict.CONTRADICTED}
_FROM_BOTH = {Verdict.SUPPORTED, Verdict.MISCITED, Verdict.PRIOR_KNOWLEDGE}


def verify_claims(
    claims: Iterable[str | ClaimInput], evidence: Evidence | str, options: VerifyOptions | None
) -> Call[pb.VerifyClaimsResponse, VerifyResult]:
    """The verdicts of claims. Raises as `extract_claims`."""
    if isinstance(claims, str):
        raise TypeError("claims must be many claims, not one: pass a list with one claim")
    request = pb.VerifyClaimsRequest(
        claims=[_claim(f"claims[{index}]", claim) for index, claim in enumerate(claims)],
        evidence=sent_evidence("evidence", evidence),
        options=sent_verify_options("options", options),
    )
    return Call(
        "HallucinationDetection/VerifyClaims",
        request,
        pb.VerifyClaimsResponse,
        lambda response: _verify_result(response, [claim.text for claim in request.claims]),
    )


def _claim(path: str, claim: str | ClaimInput) -> pb.ClaimInput:
    given = ClaimInput(claim) if isinstance(claim, str) else claim
    return pb.ClaimInput(
        text=checked_text(f"{path}.text", given.text),
        cited_ids=checked_texts(f"{path}.cited_ids", given.cited_ids),
        confidence=given.confidence,
    )


def _verify_result(response: pb.VerifyClaimsResponse, claims: Sequence[str]) -> VerifyResult:
    """Reads the verdicts of these claims."""
    require(response, "run")
    if len(response.verdicts) != len(claims):
        raise InvalidResponseError(
            f"{len(response.verdicts)} verdicts came back for {len(claims)} claims"
        )
    return VerifyResult(
        claims=tuple(
            read_verified(partial(VerifiedClaim, content=claim), verdict, len(claim))
            for claim, verdict in zip(claims, response.verdicts, strict=True)
        ),
        run=read_run(response.run),
    )


def read_verified(
    make: Callable[..., Verified], message: pb.ClaimVerdict, characters: int = 0
) -> Verified:
    """Makes a claim with its verdict, and checks that its numbers can carry it.

    `make` knows all of the claim but what the message says of it. `characters` is the length of the
    text that its unsupported spans point into; where none is explained there is none.
    """
    claim = make(
        verdict=_VERDICTS.get(message.verdict, Verdict.UNKNOWN),
        reason=read_verdict_reason(message.reason),
        reason_text=message.reason_text,
        grounded=message.grounded,
        warning=message.warning,
        citation_status=_STATUSES.get(message.citation_status, CitationStatus.UNRECOGNISED),
        cited_ids=tuple(message.cited_ids),
        unknown_ids=tuple(message.unknown_ids),
        posterior=read_estimate(message.posterior) if message.HasField("posterior") else None,
        prior=read_estimate(message.prior) if message.HasField("prior") else None,
        confidence=share("confidence", message.confidence),
        confidence_source=read_confidence_source(message.confidence_source),
        budget=_budget(message.budget) if message.HasField("budget") else None,
        grounding_score=optional(message, "grounding_score", share),
        evidence_use=optional(message, "evidence_use", difference),
        stance=read_stance(message.stance) if message.HasField("stance") else None,
        citation_roles=tuple(_citation_role(role) for role in message.citation_roles),
        closed_book=read_estimate(message.closed_book) if message.HasField("closed_book") else None,
        cited_alone=read_estimate(message.cited_alone) if message.HasField("cited_alone") else None,
        prior_title_ids=tuple(message.prior_title_ids),
        unstated_values=tuple(message.unstated_values),
        derived_values=tuple(_derived(value) for value in message.derived_values),
        other_sources=tuple(_other_source(other) for other in message.other_sources),
        read_passages=tuple(
            # Within a text that only the server was sent; no longer than any text.
            ReadPassage(each.source_id, read_span(each.span, each.span.end))
            for each in message.read_passages
        ),
        deciding_passages=tuple(_passage(each) for each in message.deciding_passages),
        unsupported_spans=tuple(
            UnsupportedSpan(
                read_span(each.span, characters),
                _SPAN_KINDS.get(each.kind, SpanKind.UNKNOWN) if each.kind else None,
            )
            for each in message.unsupported_spans
        ),
        conflicts=tuple(
            SourceConflict(_passage(each.passage), each.newer_id) for each in message.conflicts
        ),
        explained=message.explained,
    )
    _check_readings(claim)
    _check_grounded(claim)
    return claim


def _passage(message: pb.DecidingPassage) -> DecidingPassage:
    return DecidingPassage(
        source_id=message.source_id,
        # Within a text that only the server was sent; no longer than any text.
        span=read_span(message.span, message.span.end),
        text=message.text,
        relation=_RELATIONS.get(message.relation, PassageRelation.UNKNOWN),
        probability=optional(message, "probability", share),
    )


def read_verdict_reason(number: int) -> VerdictReason:
    """The reason of a verdict, by its number in the contract."""
    return _REASONS.get(number, VerdictReason.UNKNOWN)


def _check_readings(claim: VerifiedClaim) -> None:
    """Refuses a verdict whose numbers are not there, and numbers without their readings."""
    name, p1, both = claim.verdict, claim.p1, None not in (claim.p1, claim.p0)
    if name in _FROM_POSTERIOR and p1 is None:
        raise InvalidResponseError(f"{name} without p1")
    if name in _FROM_BOTH and not both:
        raise InvalidResponseError(f"{name} without p1 and p0")
    if name is Verdict.MISCITED and claim.closed_book is None:
        raise InvalidResponseError(f"{name} without closed_book")
    if claim.reason is VerdictReason.CORROBORATED and None in (
        claim.closed_book,
        claim.cited_alone,
    ):
        raise InvalidResponseError(f"{claim.reason} without closed_book and cited_alone")
    from_both = {
        "budget": claim.budget,
        "grounding_score": claim.grounding_score,
        "evidence_use": claim.evidence_use,
    }
    for field, value in from_both.items():
        if both and value is None:
            raise InvalidResponseError(f"p1 and p0 without {field}")
        if not both and value is not None:
            raise InvalidResponseError(f"{field} without p1 and p0")


def _check_grounded(claim: VerifiedClaim) -> None:
    """Refuses a claim that counts as grounded and may not."""
    name = claim.verdict
    unknown = claim.unknown_ids or claim.citation_status is CitationStatus.UNKNOWN
    if name is Verdict.SUPPORTED and unknown:
        raise InvalidResponseError("SUPPORTED with a citation of a source that is not there")
    if claim.grounded and name is not Verdict.SUPPORTED:
        raise InvalidResponseError(f"grounded, but {name}")
    if claim.conflicts and name is Verdict.NOT_VERIFIED:
        raise InvalidResponseError(f"conflicts of a claim that is {name}")


def _budget(budget: pb.Budget) -> Budget:
    return Budget(
        required_bits=finite("required_bits", budget.required_bits),
        observed_bits=finite("observed_bits", budget.observed_bits),
        gap_bits=finite("gap_bits", budget.gap_bits),
        required_exceeds_observed=budget.required_exceeds_observed,
        required_nats=finite("required_nats", budget.required_nats),
        observed_nats=finite("observed_nats", budget.observed_nats),
        gap_nats=finite("gap_nats", budget.gap_nats),
        min_gap_bits=optional(budget, "min_gap_bits", finite),
        max_gap_bits=optional(budget, "max_gap_bits", finite),
    )


def read_stance(stance: pb.Stance) -> Stance:
    """Reads a choice among YES, NO and UNSURE."""
    return Stance(
        yes=share("P(YES)", stance.yes),
        no=share("P(NO)", stance.no),
        unsure=share("P(UNSURE)", stance.unsure),
        label_mass=share("label_mass", stance.label_mass),
    )


def _citation_role(role: pb.CitationRole) -> CitationRole:
    read = role.role != pb.ROLE_UNSPECIFIED
    return CitationRole(
        id=role.id,
        role=_ROLES.get(role.role, Role.UNKNOWN) if read else None,
        drop=optional(role, "drop", difference),
        alone=optional(role, "alone", difference),
    )


def _derived(value: pb.DerivedValue) -> DerivedValue:
    operation = _OPERATIONS.get(value.operation, DerivedOperation.UNKNOWN)
    return DerivedValue(value.value, operation, tuple(value.operands))


def _other_source(other: pb.OtherSource) -> OtherSource:
    return OtherSource(other.id, optional(other, "probability", share), other.carries)


def read_run(run: pb.Run) -> Run:
    require(run, "thresholds")
    usage = run.usage
    return Run(
        policy=_POLICIES.get(run.policy, Policy.UNKNOWN),
        thresholds=_thresholds(run.thresholds),
        strictness=STRICTNESSES.get(run.strictness),
        model=run.model,
        prompt_version=run.prompt_version,
        backend=run.backend,
        usage=SharedUsage(
            distinct_prompts=usage.distinct_prompts,
            prompt_tokens=usage.prompt_tokens,
            computed_tokens=usage.computed_tokens,
            minimal_tokens=usage.minimal_tokens,
            block_tokens=usage.block_tokens,
        ),
        timing=read_timing(run.timing),
        non_evidence=tuple(_non_evidence(each) for each in run.non_evidence),
        skip_non_evidence=run.skip_non_evidence,
        detection_id=run.detection_id,
        uncalibrated=run.uncalibrated,
    )


def _non_evidence(message: pb.NonEvidence) -> NonEvidence:
    return NonEvidence(
        source_id=message.source_id,
        # Within a text that only the server was sent; no longer than any text.
        span=read_span(message.span, message.span.end),
        kind=read_non_assertive_reason(message.kind) or NonAssertiveReason.UNKNOWN,
    )


def _thresholds(thresholds: pb.Thresholds) -> Thresholds:
    numbers = [each.name for each in fields(Thresholds) if each.name != "max_contradicted"]
    require(thresholds, *(name for name in numbers if name not in _NEWER_THRESHOLDS))
    has_most = thresholds.HasField("max_contradicted")
    return Thresholds(
        **{name: optional(thresholds, name, finite) for name in numbers},
        max_contradicted=thresholds.max_contradicted if has_most else None,
    )
