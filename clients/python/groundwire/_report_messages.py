"""Reads what comes back for many claims and for an answer. Raises InvalidResponseError.

A response whose parts do not fit each other, or the request, is refused whole;
so is a stream that does not end with its report. This module knows nothing of
channels.
"""

from collections import Counter
from dataclasses import fields

from groundwire._claim_messages import finite, non_assertive_reason, read_claim
from groundwire._enums import by_number
from groundwire._messages import read_timing, require, share
from groundwire._verdict_messages import REMOVALS, read_verdict, verdict_reason
from groundwire.claims import NonAssertiveReason
from groundwire.errors import InvalidResponseError
from groundwire.policies import Policy, Removal, Thresholds
from groundwire.reports import (
    AnswerClaim,
    AnswerReport,
    AnswerSummary,
    ClaimKnown,
    ClaimsFound,
    FoundClaim,
    Run,
    SharedUsage,
    UnverifiedClaims,
    VerifyResult,
)
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.verdicts import ClaimVerdict, Verdict, VerdictReason

_POLICIES = by_number(Policy, pb.Policy.items(), "POLICY_")
_RATIO_TOLERANCE = 1e-6


def verify_result(response: pb.VerifyClaimsResponse, claim_count: int) -> VerifyResult:
    """Reads the verdicts of this many claims."""
    require(response, "run")
    if len(response.verdicts) != claim_count:
        raise InvalidResponseError(
            f"{len(response.verdicts)} verdicts came back for {claim_count} claims"
        )
    return VerifyResult(
        verdicts=tuple(read_verdict(verdict) for verdict in response.verdicts),
        run=_run(response.run),
    )


def answer_report(response: pb.VerifyAnswerResponse, characters: int) -> AnswerReport:
    """Reads the report on an answer of so many characters."""
    require(response, "summary", "run")
    claims: list[AnswerClaim] = []
    for each in response.claims:
        require(each, "claim", "verdict")
        claims.append(AnswerClaim(read_claim(each.claim, characters), read_verdict(each.verdict)))
    report = AnswerReport(tuple(claims), _summary(response.summary), _run(response.run))
    _check_counts(report)
    _check_unverified(report)
    _check_overall(report)
    return report


class StreamReader:
    """Reads the pieces of one streamed report, and keeps the report until the stream is over."""

    def __init__(self, characters: int) -> None:
        """For an answer of so many characters."""
        self._characters = characters
        self._verdicts: list[ClaimVerdict | None] | None = None
        self._report: AnswerReport | None = None

    def read(self, response: pb.VerifyAnswerStreamResponse) -> ClaimsFound | ClaimKnown | None:
        """Reads the next piece; None for the report, which `report` returns at the end."""
        if self._report is not None:
            raise InvalidResponseError("the stream goes on after its report")
        kind = response.WhichOneof("event")
        if kind == "found":
            return self._found(response.found)
        if kind == "known":
            return self._known(response.known)
        if kind == "report":
            self._keep(answer_report(response.report, self._characters))
            return None
        raise InvalidResponseError("a piece of the stream without an event")

    def report(self) -> AnswerReport:
        """The report of a stream that is over."""
        if self._report is None:
            raise InvalidResponseError("the stream ended without a report")
        return self._report

    def _found(self, message: pb.ClaimsFound) -> ClaimsFound:
        if self._verdicts is not None:
            raise InvalidResponseError("the stream lists its claims twice")
        claims: list[FoundClaim] = []
        for each in message.claims:
            require(each, "claim")
            verdict = read_verdict(each.verdict) if each.HasField("verdict") else None
            claims.append(FoundClaim(read_claim(each.claim, self._characters), verdict))
        self._verdicts = [each.verdict for each in claims]
        return ClaimsFound(tuple(claims))

    def _known(self, message: pb.ClaimKnown) -> ClaimKnown:
        require(message, "verdict")
        verdicts = self._listed()
        if not 0 <= message.index < len(verdicts):
            raise InvalidResponseError(
                f"a verdict of claim {message.index}, of {len(verdicts)} claims"
            )
        if verdicts[message.index] is not None:
            raise InvalidResponseError(f"a second verdict of claim {message.index}")
        verdict = verdicts[message.index] = read_verdict(message.verdict)
        return ClaimKnown(message.index, verdict)

    def _keep(self, report: AnswerReport) -> None:
        known = [each and (each.verdict, each.grounded) for each in self._listed()]
        told = [(each.verdict.verdict, each.verdict.grounded) for each in report]
        if told != known:
            raise InvalidResponseError("the report does not hold the verdicts of its stream")
        self._report = report

    def _listed(self) -> list[ClaimVerdict | None]:
        if self._verdicts is None:
            raise InvalidResponseError("the stream does not begin with its claims")
        return self._verdicts


def _check_counts(report: AnswerReport) -> None:
    summary, claims = report.summary, report.claims
    grounded = sum(each.verdict.grounded for each in claims)
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
    """What a report leaves out has to stand in its summary, whole."""
    told = Counter[tuple[VerdictReason, NonAssertiveReason | None]]()
    for each in report.summary.unverified:
        told[each.reason, each.non_assertive_reason] += each.claims
    found = Counter(
        (
            each.verdict.reason,
            each.claim.non_assertive_reason
            if each.verdict.reason is VerdictReason.NON_ASSERTIVE
            else None,
        )
        for each in report.claims
        if each.verdict.verdict is Verdict.NOT_VERIFIED
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
    if any(each.verdict.reason is VerdictReason.BEYOND_MAX_CLAIMS for each in report.claims):
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
        reason=verdict_reason(message.reason),
        non_assertive_reason=non_assertive_reason(message.non_assertive_reason),
        claims=message.claims,
    )


def _run(run: pb.Run) -> Run:
    require(run, "thresholds")
    usage = run.usage
    return Run(
        policy=_POLICIES.get(run.policy, Policy.UNKNOWN),
        thresholds=_thresholds(run.thresholds),
        removal=REMOVALS.get(run.removal, Removal.UNKNOWN),
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
    )


def _thresholds(thresholds: pb.Thresholds) -> Thresholds:
    names = [each.name for each in fields(Thresholds)]
    require(thresholds, *names)
    return Thresholds(**{name: finite(name, getattr(thresholds, name)) for name in names})
