"""From the steps of a trace to what each claims, and from their claims' verdicts to a status."""

from collections.abc import Collection, Sequence

from groundwire_verifier.checks.answers import MAX_QUESTION_CHARACTERS, asked_confidence
from groundwire_verifier.checks.traces.step_claims import StepClaims
from groundwire_verifier.checks.traces.trace import (
    StepAudit,
    StepStatus,
    TraceInput,
    Unverifiable,
)
from groundwire_verifier.checks.traces.trace_words import words_of
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import InvalidInputError, InvalidReason, Violation
from groundwire_verifier.domain.evidence import Document
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.text.claims.wording.sentence import language_of
from groundwire_verifier.verdicts.explanations import unread_text
from groundwire_verifier.verdicts.options import (
    VerifyOptions,
    check_evidence,
    check_options,
)
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import ClaimVerdict, Reason, Verdict

MAX_STEPS = 100
"""Most steps of one trace."""
MAX_STEP_CHARACTERS = 4000
"""Most characters of one step, and of the answer."""

_UNREAD = {
    Reason.LABEL_MASS_BELOW_FLOOR: Unverifiable.LABEL_MASS_BELOW_FLOOR,
    Reason.TOO_LONG: Unverifiable.TOO_LONG,
    Reason.OUT_OF_TIME: Unverifiable.OUT_OF_TIME,
    Reason.BACKEND_FAILED: Unverifiable.BACKEND_FAILED,
    Reason.INTERVAL_TOO_WIDE: Unverifiable.INTERVAL_TOO_WIDE,
    Reason.TOO_FEW_SAMPLES: Unverifiable.TOO_FEW_SAMPLES,
}
_WORST_FIRST = (
    StepStatus.CONTRADICTED,
    StepStatus.NOT_IN_CONTEXT,
    StepStatus.UNVERIFIABLE,
    StepStatus.ENTAILED,
)


def check_trace(trace: TraceInput, limits: Limits, backends: Collection[str]) -> None:
    """Check a trace whole, as far as that needs no model. Raises InvalidInputError."""
    found: list[Violation] = []
    if not trace.steps:
        text = "is empty; send at least one step"
        found.append(Violation("steps", InvalidReason.EMPTY_BATCH, text))
    if len(trace.steps) > MAX_STEPS:
        text = f"holds {len(trace.steps)} steps; the limit is {MAX_STEPS}: audit it in parts"
        found.append(Violation("steps", InvalidReason.TOO_MANY_STEPS, text))
    for step in trace.steps[:MAX_STEPS]:
        found += checks.characters(step.text, MAX_STEP_CHARACTERS, step.field)
        if not checks.has_visible_character(step.text):
            text = "has no visible character; send the text of the step, or leave it out"
            found.append(Violation(step.field, InvalidReason.EMPTY_TEXT, text))
    if trace.evidence.sources or trace.evidence.context:
        found += check_evidence(trace.evidence, limits, "evidence")
    elif not trace.answer:
        text = "holds nothing; send what the steps were taken from, or an answer to check"
        found.append(Violation("evidence", InvalidReason.INVALID_SOURCE, text))
    found += checks.characters(trace.question, MAX_QUESTION_CHARACTERS, "question")
    found += checks.characters(trace.answer, MAX_STEP_CHARACTERS, "answer")
    if trace.answer and not checks.has_visible_character(trace.answer):
        text = "has no visible character; send the answer, or none"
        found.append(Violation("answer", InvalidReason.EMPTY_TEXT, text))
    found += check_options(trace.options, limits, backends, "options")
    checks.raise_any(found)


def check_claims(steps: Sequence[StepClaims], limits: Limits) -> None:
    """Raise InvalidInputError if the steps make more claims than one request may."""
    count = sum(len(step.claims) for step in steps)
    # One place is the answer's.
    if count >= limits.claims:
        text = f"make {count} claims; the limit is {limits.claims - 1}: audit the trace in parts"
        raise InvalidInputError((Violation("steps", InvalidReason.TOO_MANY_CLAIMS, text),))


def tasks_of(step: StepClaims, options: VerifyOptions) -> tuple[ClaimTask, ...]:
    """The claims of a step as what is to be verified. They cite nothing: all may carry them."""
    return tuple(
        ClaimTask(
            text=claim.content,
            cited_ids=(),
            confidence=asked_confidence(claim.confidence, options.thresholds.default_confidence),
            confidence_source=(claim.confidence or options.plain_confidence).source,
            language=claim.language,
        )
        for claim in step.claims
    )


def step_documents(steps: Sequence[StepClaims], taken: Collection[str]) -> list[Document]:
    """The steps as evidence, under ids such as `T1` that are none of those `taken`."""
    prefix = "T"
    while any(f"{prefix}{i + 1}" in taken for i in range(len(steps))):
        prefix += "T"
    return [Document(f"{prefix}{i + 1}", step.text.strip()) for i, step in enumerate(steps)]


def is_entailed(verdicts: Sequence[ClaimVerdict]) -> bool:
    """Whether all claims of a step are carried by its evidence."""
    return all(_status(verdict) is StepStatus.ENTAILED for verdict in verdicts)


def audited(step: StepClaims, verdicts: Sequence[ClaimVerdict]) -> StepAudit:
    """The status of a step, by the weakest of its claims; one of one that makes none."""
    if not step.claims:
        return _without_claims(step)
    at = min(range(len(verdicts)), key=lambda i: _WORST_FIRST.index(_status(verdicts[i])))
    verdict = verdicts[at]
    status = _status(verdict)
    return StepAudit(
        status=status,
        unverifiable=_UNREAD[verdict.reason] if status is StepStatus.UNVERIFIABLE else None,
        reason_text=verdict.reason_text,
        claims=len(step.claims),
        content=step.claims[at].content,
        verdict=verdict,
    )


def without_evidence(step: StepClaims) -> StepAudit:
    """The status of a step for which there is no evidence at all."""
    if not step.claims:
        return _without_claims(step)
    return StepAudit(
        StepStatus.UNVERIFIABLE,
        Unverifiable.NO_EVIDENCE,
        words_of(step.text).steps[Unverifiable.NO_EVIDENCE],
        claims=len(step.claims),
        content=step.claims[0].content,
    )


def _without_claims(step: StepClaims) -> StepAudit:
    words, why = words_of(step.text), Unverifiable.NON_ASSERTIVE
    if step.result is not None:
        why = Unverifiable.TOOL_CALL
    elif step.is_plan:
        why = Unverifiable.PLAN
    elif step.is_vague:
        why = Unverifiable.VAGUE
    if why is not Unverifiable.NON_ASSERTIVE:
        text = words.steps[why]
    elif step.non_assertive is None:
        text = words.without_words
    else:
        language = language_of(step.text)
        text = unread_text(Reason.NON_ASSERTIVE, step.non_assertive.value, language)
    return StepAudit(StepStatus.UNVERIFIABLE, why, text, 0, non_assertive=step.non_assertive)


def _status(verdict: ClaimVerdict) -> StepStatus:
    if verdict.verdict is Verdict.NOT_VERIFIED:
        return StepStatus.UNVERIFIABLE
    if verdict.verdict is Verdict.SUPPORTED:
        return StepStatus.ENTAILED
    if verdict.verdict is Verdict.CONTRADICTED:
        return StepStatus.CONTRADICTED
    # What the model believes without the evidence was not taken from it either.
    return StepStatus.NOT_IN_CONTEXT
