"""From the report on an answer to what an evaluation says of it: a score, or that there is none.

    judgement = judge(client.verify_answer(answer, sources))

The server decides; here its decision gets the form that evaluations have. An answer of which too
little was read has no score: it raises, so that nothing can take it for a passed one.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from groundwire.errors import GroundwireError
from groundwire.inputs import Thresholds, VerifyOptions
from groundwire.reports import AnswerReport
from groundwire.verdicts import AnswerClaim, Verdict, VerdictReason

UNREAD = frozenset(
    {VerdictReason.BEYOND_MAX_CLAIMS, VerdictReason.OUT_OF_TIME, VerdictReason.BACKEND_FAILED}
)
"""Claims that nobody has read. An answer with one of them is never grounded as a whole."""

SKIPPED = UNREAD | {VerdictReason.NON_ASSERTIVE, VerdictReason.TOO_SHORT}
"""Claims that do not count in `AnswerSummary.total_claims`."""

_NOTHING_KNOWN = (Verdict.NOT_VERIFIED, Verdict.UNKNOWN)


class NotVerifiedError(GroundwireError):
    """The server answered, and yet an answer has no score: no claim of it was verified, or some
    were left unread. The text says how many, and why; it repeats nothing of the answer."""

    def __init__(self, message: str, report: AnswerReport) -> None:
        """Holds the message and the report."""
        # All of it is in args, so that the error survives pickling and copying.
        super().__init__(message, report)
        self.report = report
        """What is known of the answer."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an evaluation says of an answer of which enough was read."""

    grounded: bool
    """Whether the answer passes: `AnswerSummary.overall_grounded`, or it may abstain and does."""
    score: float
    """The share of its claims that are grounded, in [0, 1]: `AnswerSummary.grounding_ratio`; 1 of
    an answer that may abstain and does."""
    reason: str
    """The same in English words, with each claim that is not grounded and why. With
    `VerifyOptions.explain` each is followed by where the words stand that are not borne out, and by
    the sentences that decide. A corrected answer is the last line."""
    claims: tuple[AnswerClaim, ...]
    """The claims that count, in the order of the answer. `score` is the share of grounded ones."""
    report: AnswerReport
    """All that is known of the answer."""

    @property
    def corrected_answer(self) -> str | None:
        """The answer put right; None where nobody asked for it."""
        correction = self.report.correction
        return None if correction is None else correction.corrected_answer


def judge(report: AnswerReport, *, pass_abstentions: bool = True) -> Judgement:
    """What a report says of its answer.

    Args:
        report: what the server said of it.
        pass_abstentions: let an answer pass that says that its sources do not answer, and nothing
            else that counts, with a score of 1; False: no claim of it was verified.

    Raises:
        NotVerifiedError: no claim was verified, or some were left unread.
    """
    reasons = Counter(c.reason for c in report.claims if c.verdict in _NOTHING_KNOWN)
    unread = sum(reasons[reason] for reason in UNREAD)
    if unread:
        raise NotVerifiedError(
            f"{unread} of {len(report)} claims were left unread: {_counts(reasons, UNREAD)}; give "
            "the call more time, or raise VerifyOptions.max_claims, by what the reasons say",
            report,
        )
    if report.summary.abstained and pass_abstentions:
        return Judgement(
            grounded=True,
            score=1.0,
            reason="The answer abstains: it says that the sources do not answer.",
            claims=(),
            report=report,
        )
    if all(c.verdict in _NOTHING_KNOWN for c in report.claims):
        found = f": {_counts(reasons, reasons)}" if reasons else ""
        raise NotVerifiedError(f"no claim of the answer was verified{found}", report)
    counted = tuple(c for c in report.claims if c.reason not in SKIPPED)
    return Judgement(
        grounded=report.overall_grounded,
        score=report.grounding_ratio,
        reason=_in_words(report, counted),
        claims=counted,
        report=report,
    )


def with_threshold(options: VerifyOptions | None, threshold: float) -> VerifyOptions:
    """These options, with the share of grounded claims, in [0, 1], from which an answer passes."""
    given = options or VerifyOptions()
    thresholds = replace(given.thresholds or Thresholds(), min_grounded_ratio=threshold)
    return replace(given, thresholds=thresholds)


def _in_words(report: AnswerReport, counted: tuple[AnswerClaim, ...]) -> str:
    summary = report.summary
    faults = [line for claim in counted if not claim.grounded for line in _fault(claim)]
    told = [f"{summary.grounded_claims} of {summary.total_claims} claims are grounded."]
    most, contradicted = report.run.thresholds.max_contradicted, report.contradicted_claims
    if most is not None and contradicted > most:
        told.append(f"{contradicted} are contradicted, and at most {most} may be.")
    if report.correction is not None:
        faults.append(f"Corrected: {report.correction.corrected_answer or 'nothing is left'}")
    return "\n".join([*told, *faults])


def _fault(claim: AnswerClaim) -> list[str]:
    """A claim that is not grounded, and what an explanation says of it."""
    words = [
        f"  not borne out: {each.kind or 'all of it'}, "
        f"characters {each.span.start} to {each.span.end}"
        for each in claim.unsupported_spans
    ]
    passages = [
        f"  {each.relation}, {each.source_id}: {each.text}" for each in claim.deciding_passages
    ]
    return [f"{claim.verdict} ({claim.reason}): {claim.content}", *words, *passages]


def _counts(reasons: Counter[VerdictReason], of: Iterable[VerdictReason]) -> str:
    wanted = [(reason, reasons[reason]) for reason in sorted(of) if reasons[reason]]
    return ", ".join(f"{count} {reason}" for reason, count in wanted)
