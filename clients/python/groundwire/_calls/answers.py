"""The calls that verify an answer, at once and piece by piece."""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from groundwire._calls.claims import check_span, read_claim
from groundwire._calls.inputs import (
    sent_evidence,
    sent_extract_options,
    sent_turns,
    sent_verify_options,
)
from groundwire._calls.verdicts import read_verified
from groundwire._wire.calls import Call, StreamCall
from groundwire._wire.fields import checked_text, require
from groundwire._wire.reading import read
from groundwire.claims import Claim, NonAssertiveReason
from groundwire.errors import InvalidResponseError
from groundwire.inputs import Evidence, ExtractOptions, VerifyOptions
from groundwire.outputs import Turn
from groundwire.reports import (
    AnswerEvent,
    AnswerReport,
    ClaimKnown,
    ClaimsFound,
    Correction,
)
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.verdicts import AnswerClaim, Verdict, VerdictReason

_RATIO_TOLERANCE = 1e-6
_UNREAD = {
    VerdictReason.BEYOND_MAX_CLAIMS,
    VerdictReason.OUT_OF_TIME,
    VerdictReason.BACKEND_FAILED,
}


def verify_answer(
    request: pb.VerifyAnswerRequest,
) -> Call[pb.VerifyAnswerResponse, AnswerReport]:
    """The report on an answer."""
    return Call(
        "HallucinationDetection/VerifyAnswer",
        request,
        pb.VerifyAnswerResponse,
        lambda response: read_report(response, len(request.answer)),
    )


def verify_answer_stream(
    request: pb.VerifyAnswerRequest,
) -> StreamCall[pb.VerifyAnswerStreamResponse, AnswerEvent]:
    """The same report, piece by piece."""
    return StreamCall(
        "HallucinationDetection/VerifyAnswerStream",
        pb.VerifyAnswerStreamRequest(request=request),
        pb.VerifyAnswerStreamResponse,
        lambda: PiecesReader(len(request.answer)),
    )


def answer_request(
    path: str,
    answer: str,
    evidence: Evidence | str,
    *,
    question: str = "",
    extract: ExtractOptions | None = None,
    options: VerifyOptions | None = None,
    corpus: str = "",
    language: str = "",
    turns: Iterable[Turn] = (),
    correct: bool = False,
) -> pb.VerifyAnswerRequest:
    """The request for a report, with `path` before the names of its fields in errors.

    Raises as `extract_claims`.
    """
    return pb.VerifyAnswerRequest(
        answer=checked_text(f"{path}answer", answer),
        evidence=sent_evidence(f"{path}evidence", evidence),
        question=checked_text(f"{path}question", question),
        extract=sent_extract_options(f"{path}extract", extract),
        options=sent_verify_options(f"{path}options", options),
        corpus=checked_text(f"{path}corpus", corpus),
        language=checked_text(f"{path}language", language),
        turns=sent_turns(f"{path}turns", turns),
        correct=correct,
    )


def read_report(response: pb.VerifyAnswerResponse, characters: int) -> AnswerReport:
    """Reads the report on an answer of so many characters."""
    require(response, "summary", "run")
    report = read(
        AnswerReport,
        response,
        claims=read_answer_claims(response.claims, characters),
        correction=_correction(response, characters) if response.HasField("correction") else None,
    )
    _check_counts(report)
    _check_review(report)
    _check_unverified(report)
    _check_overall(report)
    return report


def _correction(response: pb.VerifyAnswerResponse, characters: int) -> Correction:
    """The correction of an answer of so many characters. Its edits follow each other."""
    found = read(Correction, response.correction)
    for edit in found.edits:
        check_span(edit.span, characters)
    if any(after.span.start < edit.span.end for edit, after in pairwise(found.edits)):
        raise InvalidResponseError("edits of an answer that overlap")
    claims = [*found.untried_claims, *(edit.claim_index for edit in found.edits)]
    if not all(0 <= index < len(response.claims) for index in claims):
        raise InvalidResponseError(f"a correction of other than {len(response.claims)} claims")
    return found


def read_answer_claims(
    claims: Iterable[pb.AnswerClaim], characters: int
) -> tuple[AnswerClaim, ...]:
    """Reads the claims of a text of so many characters, each with its verdict."""
    found: list[AnswerClaim] = []
    for each in claims:
        require(each, "claim", "verdict")
        found.append(_in_answer(read_claim(each.claim, characters), each.verdict, characters))
    return tuple(found)


def _in_answer(claim: Claim, message: pb.ClaimVerdict, characters: int) -> AnswerClaim:
    """Joins a claim of an answer of so many characters with its verdict."""
    return read_verified(
        AnswerClaim,
        message,
        characters,
        content=claim.content,
        span=claim.span,
        citations=claim.citations,
        text_confidence=claim.stated_confidence,
        non_assertive_reason=claim.non_assertive_reason,
        language=claim.language,
    )


class PiecesReader:
    """Reads the pieces of one streamed report, and keeps the report until the stream is over."""

    def __init__(self, characters: int) -> None:
        """`characters` is the length of the answer, beyond which no span may reach."""
        self._characters = characters
        self._claims: list[Claim | AnswerClaim] | None = None
        self._report: AnswerReport | None = None

    def read(self, response: pb.VerifyAnswerStreamResponse) -> tuple[ClaimsFound | ClaimKnown, ...]:
        """Reads the next response. The report gives no event: `end` returns it."""
        if self._report is not None:
            raise InvalidResponseError("the stream goes on after its report")
        kind = response.WhichOneof("event")
        if kind == "found":
            return self._found(response.found)
        if kind == "known":
            return (self._known(response.known),)
        if kind == "report":
            self._keep(read_report(response.report, self._characters))
            return ()
        raise InvalidResponseError("a piece of the stream without an event")

    def end(self) -> tuple[AnswerReport]:
        """The report of a stream that is over."""
        if self._report is None:
            raise InvalidResponseError("the stream ended without a report")
        return (self._report,)

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
                verified = _in_answer(claim, each.verdict, self._characters)
                skipped.append(ClaimKnown(index, verified))
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
        known = claims[message.index] = _in_answer(claim, message.verdict, self._characters)
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


def _check_review(report: AnswerReport) -> None:
    """Refuses a wrong count of uncertain claims, and an order of other claims than the report's.

    An older server sends neither.
    """
    summary = report.summary
    if not summary.review_order:
        return
    uncertain = sum(each.verdict is Verdict.UNCERTAIN for each in report.claims)
    if summary.uncertain_claims != uncertain:
        raise InvalidResponseError(
            f"{summary.uncertain_claims} uncertain claims in the summary, {uncertain} in the report"
        )
    order = summary.review_order
    if len(set(order)) < len(order) or not all(0 <= i < len(report.claims) for i in order):
        raise InvalidResponseError(f"a review_order of {order} for {len(report.claims)} claims")


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
    if report.summary.complete and any(each.reason in _UNREAD for each in report.claims):
        raise InvalidResponseError("an answer that is complete with claims that were not read")
    if report.summary.abstained and report.summary.total_claims:
        raise InvalidResponseError("an answer that abstains, with claims that count")
    conflicting = sum(
        bool(each.conflicts) and each.verdict is Verdict.SUPPORTED for each in report.claims
    )
    if report.summary.conflicting_claims != conflicting:
        raise InvalidResponseError(
            f"{report.summary.conflicting_claims} conflicting claims in the summary, "
            f"{conflicting} in the report"
        )
    if not report.overall_grounded:
        return
    if not report.summary.grounded_claims:
        raise InvalidResponseError("an answer that is grounded without a claim that is")
    if any(each.reason in _UNREAD for each in report.claims):
        raise InvalidResponseError("an answer that is grounded with claims that were not read")
    least, most = (
        report.run.thresholds.min_grounded_ratio,
        report.run.thresholds.max_contradicted,
    )
    if most is not None and report.contradicted_claims > most:
        raise InvalidResponseError(
            f"an answer that is grounded with {report.contradicted_claims} contradicted claims, "
            f"more than {most}"
        )
    if least is not None and report.grounding_ratio < least - _RATIO_TOLERANCE:
        raise InvalidResponseError(
            f"an answer that is grounded with {report.grounding_ratio} of its claims, below {least}"
        )
