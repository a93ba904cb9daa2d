"""The status of a step, for every verdict and every reason that its claim can have."""

import pytest

from groundwire_verifier.checks.traces.step_claims import StepClaims
from groundwire_verifier.checks.traces.steps import audited
from groundwire_verifier.checks.traces.trace import StepStatus
from groundwire_verifier.domain.claims import Claim, ConfidenceSource, Span
from groundwire_verifier.verdicts.types import CitationStatus, ClaimVerdict, Reason, Verdict

NEVER_OF_STEPS = {
    Reason.UNKNOWN_CITATION,
    Reason.NON_ASSERTIVE,
    Reason.TOO_SHORT,
    Reason.BEYOND_MAX_CLAIMS,
    Reason.INCOMPLETE,
}
"""Steps cite nothing, are counted before they are read, and are whole."""

JUDGED = {
    Reason.BUDGET_COVERED, Reason.SCORE_REACHED, Reason.BUDGET_EXCEEDED, Reason.LOW_POSTERIOR,
    Reason.SCORE_MISSED, Reason.EVIDENCE_AGAINST, Reason.EVIDENCE_UNUSED, Reason.MODEL_SAYS_NO,
    Reason.OTHER_SOURCE, Reason.HIGH_PRIOR, Reason.CORROBORATED, Reason.FALSE_ABSENCE,
    Reason.UNSTATED_CODE, Reason.CELL_SAYS_OTHERWISE,
}  # fmt: skip
"""Reasons of claims that were judged."""

STEP = StepClaims(
    "It is tall.", (Claim("It is tall.", Span(0, 11), (), None, None, "en"),), None, is_plan=False
)


def verdict_of(verdict: Verdict, reason: Reason) -> ClaimVerdict:
    return ClaimVerdict(
        verdict=verdict,
        reason=reason,
        reason_text="",
        grounded=verdict is Verdict.SUPPORTED,
        warning="",
        citation_status=CitationStatus.NONE,
        cited_ids=(),
        unknown_ids=(),
        confidence=0.9,
        confidence_source=ConfidenceSource.DEFAULT,
    )


@pytest.mark.parametrize("reason", [r for r in Reason if r not in NEVER_OF_STEPS | JUDGED])
def test_a_step_that_was_not_verified_is_unverifiable_for_every_reason(reason: Reason) -> None:
    step = audited(STEP, [verdict_of(Verdict.NOT_VERIFIED, reason)])
    assert step.status is StepStatus.UNVERIFIABLE
    assert step.unverifiable is not None
    assert step.unverifiable.value == reason.value


@pytest.mark.parametrize("verdict", list(Verdict))
def test_only_what_is_supported_is_entailed_among_all_verdicts(verdict: Verdict) -> None:
    reason = Reason.OUT_OF_TIME if verdict is Verdict.NOT_VERIFIED else Reason.LOW_POSTERIOR
    status = audited(STEP, [verdict_of(verdict, reason)]).status
    assert (status is StepStatus.ENTAILED) == (verdict is Verdict.SUPPORTED)
