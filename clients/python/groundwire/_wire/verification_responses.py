"""Reads claims, verdicts and reports out of responses. Raises InvalidResponseError.

Nothing fails open. A verdict that claims more than its own numbers can carry is
refused, and one that this client does not know is never grounded. A response
whose parts do not fit each other, or the request, is refused whole; so is a
stream that does not end with its report. Knows nothing of channels.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from datetime import date
from functools import partial
from typing import TypeVar

from groundwire._wire.responses import (
    STRICTNESSES,
    by_number,
    difference,
    finite,
    optional,
    read_estimate,
    read_timing,
    require,
    share,
)
from groundwire.claims import (
    Citation,
    Claim,
    ConfidenceSource,
    Extraction,
    Extractor,
    ExtractorFallback,
    ExtractResult,
    NonAssertiveReason,
    Span,
)
from groundwire.errors import InvalidResponseError
from groundwire.inputs import Policy, Removal, Thresholds
from groundwire.reports import (
    AnswerReport,
    AnswerSummary,
    ClaimKnown,
    ClaimsFound,
    NonEvidence,
    RetrievedSource,
    Run,
    SharedUsage,
    UnverifiedClaims,
    VerifyResult,
)
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.verdicts import (
    AnswerClaim,
    Budget,
    CitationRole,
    CitationStatus,
    Envelope,
    OtherSource,
    RemovalPrior,
    Role,
    Stance,
    Verdict,
    VerdictReason,
    VerifiedClaim,
)

_CONFIDENCE_SOURCES = by_number(ConfidenceSource, pb.ConfidenceSource.items(), "CONFIDENCE_SOURCE_")
_NON_ASSERTIVE = by_number(
    NonAssertiveReason, pb.NonAssertiveReason.items(), "NON_ASSERTIVE_REASON_"
)
_EXTRACTORS = by_number(Extractor, pb.Extractor.items(), "EXTRACTOR_")
_FALLBACKS = by_number(ExtractorFallback, pb.ExtractorFallback.items(), "EXTRACTOR_FALLBACK_")
_REMOVALS = by_number(Removal, pb.Removal.items(), "REMOVAL_")
_VERDICTS = by_number(Verdict, pb.Verdict.items(), "VERDICT_")
_REASONS = by_number(VerdictReason, pb.VerdictReason.items(), "VERDICT_REASON_")
_STATUSES = by_number(CitationStatus, pb.CitationStatus.items(), "CITATION_STATUS_")
_ROLES = by_number(Role, pb.Role.items(), "ROLE_")
_POLICIES = by_number(Policy, pb.Policy.items(), "POLICY_")
_RATIO_TOLERANCE = 1e-6
_UNREAD = {
    VerdictReason.BEYOND_MAX_CLAIMS,
    VerdictReason.OUT_OF_TIME,
    VerdictReason.BACKEND_FAILED,
}

Verified = TypeVar("Verified", bound=VerifiedClaim)

# What the verdicts on a claim itself say of p1, and these two of p0 as well.
_FROM_POSTERIOR = {Verdict.UNSUPPORTED, Verdict.CONTRADICTED}
_FROM_BOTH = {Verdict.SUPPORTED, Verdict.MISCITED, Verdict.PRIOR_KNOWLEDGE}


def extract_result(response: pb.ExtractClaimsResponse, characters: int) -> ExtractResult:
    """Reads the claims of a text of so many characters."""
    return ExtractResult(
        claims=tuple(read_claim(claim, characters) for claim in response.claims),
        language=response.language,
        extraction=_extraction(response.extraction),
    )


def _extraction(message: pb.Extraction) -> Extraction:
    """How claims were found; by rules, if a server says nothing of it that knows nothing else."""
    if message.extractor == pb.EXTRACTOR_UNSPECIFIED:
        return Extraction()
    if min(message.dropped_claims, message.restored_claims) < 0:
        raise InvalidResponseError("a negative number of dropped or restored claims")
    fallback = None
    if message.fallback != pb.EXTRACTOR_FALLBACK_UNSPECIFIED:
        fallback = _FALLBACKS.get(message.fallback, ExtractorFallback.UNKNOWN)
    return Extraction(
        extractor=_EXTRACTORS.get(message.extractor, Extractor.UNKNOWN),
        fallback=fallback,
        dropped_claims=message.dropped_claims,
        restored_claims=message.restored_claims,
        backend=message.backend,
        model=message.model,
    )


def read_claim(claim: pb.Claim, characters: int) -> Claim:
    """Reads a claim of a text of so many characters."""
    confidence = optional(claim, "confidence", share)
    if confidence is None:
        raise InvalidResponseError("a claim without a confidence")
    return Claim(
        content=claim.content,
        span=read_span(claim.span, characters),
        citations=tuple(
            Citation(read_span(citation.span, characters), tuple(citation.ids))
            for citation in claim.citations
        ),
        confidence=confidence,
        confidence_source=_confidence_source(claim.confidence_source),
        non_assertive_reason=read_non_assertive_reason(claim.non_assertive_reason),
        language=claim.language,
    )


def _confidence_source(number: int) -> ConfidenceSource:
    """The source of a confidence, by its number in the contract."""
    return _CONFIDENCE_SOURCES.get(number, ConfidenceSource.UNKNOWN)


def read_non_assertive_reason(number: int) -> NonAssertiveReason | None:
    """Why a claim asserts nothing; None: it is an assertion."""
    if number == pb.NON_ASSERTIVE_REASON_UNSPECIFIED:
        return None
    return _NON_ASSERTIVE.get(number, NonAssertiveReason.UNKNOWN)


def read_span(span: pb.Span, characters: int) -> Span:
    """A span of a text of so many characters. Raises InvalidResponseError."""
    if not 0 <= span.start < span.end <= characters:
        raise InvalidResponseError(
            f"a span from {span.start} to {span.end} in a text of {characters} characters"
        )
    return Span(span.start, span.end)


def _in_answer(claim: Claim, message: pb.ClaimVerdict) -> AnswerClaim:
    """Joins a claim of an answer with its verdict."""
    make = partial(
        AnswerClaim,
        content=claim.content,
        span=claim.span,
        citations=claim.citations,
        text_confidence=claim.stated_confidence,
        non_assertive_reason=claim.non_assertive_reason,
        language=claim.language,
    )
    return read_verified(make, message)


def read_verified(make: Callable[..., Verified], message: pb.ClaimVerdict) -> Verified:
    """Makes a claim with its verdict, and checks that its numbers can carry it.

    `make` knows all of the claim but what the message says of it.
    """
    claim = make(
        verdict=_VERDICTS.get(message.verdict, Verdict.UNKNOWN),
        reason=_verdict_reason(message.reason),
        reason_text=message.reason_text,
        grounded=message.grounded,
        warning=message.warning,
        citation_status=_STATUSES.get(message.citation_status, CitationStatus.UNRECOGNISED),
        cited_ids=tuple(message.cited_ids),
        unknown_ids=tuple(message.unknown_ids),
        posterior=read_estimate(message.posterior) if message.HasField("posterior") else None,
        prior=read_estimate(message.prior) if message.HasField("prior") else None,
        confidence=share("confidence", message.confidence),
        confidence_source=_confidence_source(message.confidence_source),
        budget=_budget(message.budget) if message.HasField("budget") else None,
        grounding_score=optional(message, "grounding_score", share),
        evidence_use=optional(message, "evidence_use", difference),
        stance=read_stance(message.stance) if message.HasField("stance") else None,
        envelope=_envelope(message.envelope) if message.HasField("envelope") else None,
        citation_roles=tuple(_citation_role(role) for role in message.citation_roles),
        closed_book=read_estimate(message.closed_book) if message.HasField("closed_book") else None,
        prior_title_ids=tuple(message.prior_title_ids),
        other_sources=tuple(_other_source(other) for other in message.other_sources),
    )
    _check_readings(claim)
    _check_grounded(claim)
    return claim


def _verdict_reason(number: int) -> VerdictReason:
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


def _envelope(envelope: pb.Envelope) -> Envelope:
    return Envelope(
        priors=tuple(
            RemovalPrior(
                removal=_REMOVALS.get(each.removal, Removal.UNKNOWN),
                prior=read_estimate(each.prior) if each.HasField("prior") else None,
            )
            for each in envelope.priors
        ),
        min_prior=optional(envelope, "min_prior", share),
        max_prior=optional(envelope, "max_prior", share),
        min_gap_bits=optional(envelope, "min_gap_bits", finite),
        max_gap_bits=optional(envelope, "max_gap_bits", finite),
    )


def _citation_role(role: pb.CitationRole) -> CitationRole:
    read = role.role != pb.ROLE_UNSPECIFIED
    return CitationRole(
        id=role.id,
        role=_ROLES.get(role.role, Role.UNKNOWN) if read else None,
        drop=optional(role, "drop", difference),
        alone=optional(role, "alone", difference),
    )


def _other_source(other: pb.OtherSource) -> OtherSource:
    return OtherSource(other.id, optional(other, "probability", share), other.carries)


def verify_result(response: pb.VerifyClaimsResponse, claims: Sequence[str]) -> VerifyResult:
    """Reads the verdicts of these claims."""
    require(response, "run")
    if len(response.verdicts) != len(claims):
        raise InvalidResponseError(
            f"{len(response.verdicts)} verdicts came back for {len(claims)} claims"
        )
    return VerifyResult(
        claims=tuple(
            read_verified(partial(VerifiedClaim, content=claim), verdict)
            for claim, verdict in zip(claims, response.verdicts, strict=True)
        ),
        run=read_run(response.run),
    )


def answer_report(response: pb.VerifyAnswerResponse, characters: int) -> AnswerReport:
    """Reads the report on an answer of so many characters."""
    require(response, "summary", "run")
    report = AnswerReport(
        read_answer_claims(response.claims, characters),
        _summary(response.summary),
        read_run(response.run),
        _extraction(response.extraction),
        tuple(read_source(each) for each in response.sources),
    )
    _check_counts(report)
    _check_unverified(report)
    _check_overall(report)
    return report


def read_answer_claims(
    claims: Iterable[pb.AnswerClaim], characters: int
) -> tuple[AnswerClaim, ...]:
    """Reads the claims of a text of so many characters, each with its verdict."""
    found: list[AnswerClaim] = []
    for each in claims:
        require(each, "claim", "verdict")
        found.append(_in_answer(read_claim(each.claim, characters), each.verdict))
    return tuple(found)


def read_source(message: pb.RetrievedSource) -> RetrievedSource:
    """Reads a passage of a corpus."""
    try:
        dated = date.fromisoformat(message.dated) if message.dated else None
    except ValueError:
        raise InvalidResponseError("a document's day that is no date") from None
    return RetrievedSource(
        id=message.id,
        document=message.document,
        title=message.title,
        text=message.text,
        span=Span(message.span.start, message.span.end),
        similarity=optional(message, "similarity", finite),
        dated=dated,
        dated_by=message.dated_by,
    )


class StreamReader:
    """Reads the pieces of one streamed report, and keeps the report until the stream is over."""

    def __init__(self, characters: int) -> None:
        """`characters` is the length of the answer, beyond which no span may reach."""
        self._characters = characters
        self._claims: list[Claim | AnswerClaim] | None = None
        self._report: AnswerReport | None = None

    def read(self, response: pb.VerifyAnswerStreamResponse) -> tuple[ClaimsFound | ClaimKnown, ...]:
        """Reads the next response; none for the report, which `report` returns at the end."""
        if self._report is not None:
            raise InvalidResponseError("the stream goes on after its report")
        kind = response.WhichOneof("event")
        if kind == "found":
            return self._found(response.found)
        if kind == "known":
            return (self._known(response.known),)
        if kind == "report":
            self._keep(answer_report(response.report, self._characters))
            return ()
        raise InvalidResponseError("a piece of the stream without an event")

    def report(self) -> AnswerReport:
        """The report of a stream that is over."""
        if self._report is None:
            raise InvalidResponseError("the stream ended without a report")
        return self._report

    def _found(self, message: pb.ClaimsFound) -> tuple[ClaimsFound | ClaimKnown, ...]:
        """The claims, and those that are skipped once more with their verdicts."""
        if self._claims is not None:
            raise InvalidResponseError("the stream lists its claims twice")
        found: list[Claim] = []
        skipped: list[ClaimKnown] = []
        for index, each in enumerate(message.claims):
            require(each, "claim")
            claim = read_claim(each.claim, self._characters)
            found.append(claim)
            if each.HasField("verdict"):
                skipped.append(ClaimKnown(index, _in_answer(claim, each.verdict)))
        self._claims = [*found]
        for known in skipped:
            self._claims[known.index] = known.claim
        return (ClaimsFound(tuple(found)), *skipped)

    def _known(self, message: pb.ClaimKnown) -> ClaimKnown:
        require(message, "verdict")
        claims = self._listed()
        if not 0 <= message.index < len(claims):
            raise InvalidResponseError(
                f"a verdict of claim {message.index}, of {len(claims)} claims"
            )
        claim = claims[message.index]
        if isinstance(claim, AnswerClaim):
            raise InvalidResponseError(f"a second verdict of claim {message.index}")
        known = claims[message.index] = _in_answer(claim, message.verdict)
        return ClaimKnown(message.index, known)

    def _keep(self, report: AnswerReport) -> None:
        known = [
            (each.content, each.verdict, each.grounded) if isinstance(each, AnswerClaim) else None
            for each in self._listed()
        ]
        if [(each.content, each.verdict, each.grounded) for each in report] != known:
            raise InvalidResponseError("the report does not hold the verdicts of its stream")
        self._report = report

    def _listed(self) -> list[Claim | AnswerClaim]:
        if self._claims is None:
            raise InvalidResponseError("the stream does not begin with its claims")
        return self._claims


def _check_counts(report: AnswerReport) -> None:
    summary, claims = report.summary, report.claims
    grounded = sum(each.grounded for each in claims)
    if summary.grounded_claims != grounded:
        raise InvalidResponseError(
            f"{summary.grounded_claims} grounded claims in the summary, {grounded} in the report"
        )
    total, skipped = summary.total_claims, summary.skipped_claims
    if min(total, skipped) < 0 or total + skipped != len(claims):
        raise InvalidResponseError(
            f"{total} claims and {skipped} skipped ones in the summary, {len(claims)} in the report"
        )
    ratio = grounded / total if total else 0.0
    if abs(summary.grounding_ratio - ratio) > _RATIO_TOLERANCE:
        raise InvalidResponseError(
            f"a grounding_ratio of {summary.grounding_ratio} for {grounded} of {total} claims"
        )


def _check_unverified(report: AnswerReport) -> None:
    """Refuses a summary that does not count all claims that are not verified, by their reasons."""
    told = Counter[tuple[VerdictReason, NonAssertiveReason | None]]()
    for each in report.summary.unverified:
        told[each.reason, each.non_assertive_reason] += each.claims
    found = Counter(
        (
            each.reason,
            each.non_assertive_reason if each.reason is VerdictReason.NON_ASSERTIVE else None,
        )
        for each in report.claims
        if each.verdict is Verdict.NOT_VERIFIED
    )
    if report.summary.unclaimed_lines < 0:
        raise InvalidResponseError(f"{report.summary.unclaimed_lines} unclaimed lines")
    if told != found:
        raise InvalidResponseError(
            "the summary does not name the claims of the report that are not verified"
        )


def _check_overall(report: AnswerReport) -> None:
    if not report.overall_grounded:
        return
    if not report.summary.grounded_claims:
        raise InvalidResponseError("an answer that is grounded without a claim that is")
    if any(each.reason in _UNREAD for each in report.claims):
        raise InvalidResponseError("an answer that is grounded with claims that were not read")
    least = report.run.thresholds.min_grounded_ratio
    if least is not None and report.grounding_ratio < least - _RATIO_TOLERANCE:
        raise InvalidResponseError(
            f"an answer that is grounded with {report.grounding_ratio} of its claims, below {least}"
        )


def _summary(summary: pb.AnswerSummary) -> AnswerSummary:
    return AnswerSummary(
        overall_grounded=summary.overall_grounded,
        grounded_claims=summary.grounded_claims,
        total_claims=summary.total_claims,
        grounding_ratio=share("grounding_ratio", summary.grounding_ratio),
        warning=summary.warning,
        language=summary.language,
        skipped_claims=summary.skipped_claims,
        unverified=tuple(_unverified(each) for each in summary.unverified),
        verified_share=share("verified_share", summary.verified_share),
        unclaimed_lines=summary.unclaimed_lines,
    )


def _unverified(message: pb.UnverifiedClaims) -> UnverifiedClaims:
    return UnverifiedClaims(
        reason=_verdict_reason(message.reason),
        non_assertive_reason=read_non_assertive_reason(message.non_assertive_reason),
        claims=message.claims,
    )


def read_run(run: pb.Run) -> Run:
    require(run, "thresholds")
    usage = run.usage
    return Run(
        policy=_POLICIES.get(run.policy, Policy.UNKNOWN),
        thresholds=_thresholds(run.thresholds),
        strictness=STRICTNESSES.get(run.strictness),
        removal=_REMOVALS.get(run.removal, Removal.UNKNOWN),
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
    )


def _non_evidence(message: pb.NonEvidence) -> NonEvidence:
    return NonEvidence(
        source_id=message.source_id,
        # Within a text that only the server was sent; no longer than any text.
        span=read_span(message.span, message.span.end),
        kind=_NON_ASSERTIVE.get(message.kind, NonAssertiveReason.UNKNOWN),
    )


def _thresholds(thresholds: pb.Thresholds) -> Thresholds:
    names = [each.name for each in fields(Thresholds)]
    require(thresholds, *names)
    return Thresholds(**{name: finite(name, getattr(thresholds, name)) for name in names})
