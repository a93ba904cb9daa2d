"""The decision on a fact before it is stored: from its verdict to a confidence, or to a refusal."""

from dataclasses import dataclass
from enum import Enum

from groundwire_verifier.numbers.budget import budget
from groundwire_verifier.verdicts.explanations import fact_reasons_in
from groundwire_verifier.verdicts.judging import unread_verdict
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import ClaimVerdict, Reason, Verdict


class GateDecision(Enum):
    """What to do with a fact."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    ACCEPTED_UNVERIFIED = "accepted, unverified"
    ACCEPTED_UNSUPPORTED = "accepted, unsupported"


class GateReason(Enum):
    """How a decision came about."""

    GROUNDED = "grounded"
    FACT_NOT_GROUNDED = "fact not grounded"
    CONTRADICTED = "contradicted"
    BELOW_MIN_CONFIDENCE = "below the least confidence"
    OUT_OF_TIME = "out of time"
    OVERLOADED = "overloaded"
    BACKEND_UNAVAILABLE = "backend unavailable"


UNVERIFIED_FACTOR = 0.5
"""What the stated confidence of a fact is multiplied with that nobody could read in time."""


@dataclass(frozen=True, slots=True)
class GateRules:
    """What the operator asks of a fact.

    A verified fact with a confidence below `min_confidence`, in [0, 1], is rejected. With
    `reject_unsupported` off, such a fact and one that is not grounded are let through, marked.
    """

    min_confidence: float = 0.0
    reject_unsupported: bool = True


@dataclass(frozen=True, slots=True)
class FactDecision:
    """The decision on one fact. `confidence`, in [0, 1], is what to store it with."""

    decision: GateDecision
    reason: GateReason
    reason_text: str
    confidence: float
    verdict: ClaimVerdict


_UNVERIFIED = {
    GateReason.OUT_OF_TIME: Reason.OUT_OF_TIME,
    GateReason.OVERLOADED: Reason.OUT_OF_TIME,
    GateReason.BACKEND_UNAVAILABLE: Reason.BACKEND_FAILED,
}
"""Why nothing is known of a fact, and the reason of its verdict."""

CUT_SHORT = {
    Reason.OUT_OF_TIME: GateReason.OUT_OF_TIME,
    Reason.BACKEND_FAILED: GateReason.BACKEND_UNAVAILABLE,
}
"""Verdicts that say nothing of the fact, only that nobody read it."""


def grounded_confidence(verdict: ClaimVerdict) -> float:
    """The confidence, in [0, 1], that the evidence pays for: min(stated, observed / required).

    What is observed counts only where p1 is above p0: as a divergence it is as large for evidence
    that speaks against the fact. Where nothing is required, the quotient is 1 if anything was
    observed, its limit, and 0 otherwise. What was not read has 0. Where other sources say the same
    as the cited ones, p1 and p0 are near each other: there what is observed is that of the cited
    sources alone against none.
    """
    alone, closed_book = verdict.cited_alone, verdict.closed_book
    if (
        verdict.reason is Reason.CORROBORATED
        and alone is not None
        and closed_book is not None
        and alone.probability is not None
        and closed_book.probability is not None
    ):
        found = budget(alone.probability, closed_book.probability, verdict.confidence)
        observed, required = float(found.observed_bits), float(found.required_bits)
    elif verdict.budget is None or verdict.evidence_use is None or verdict.evidence_use <= 0.0:
        return 0.0
    else:
        observed, required = verdict.budget.observed_bits, verdict.budget.required_bits
    if observed <= 0.0:
        return 0.0
    # Written so that nothing is divided by what may be 0.
    share = 1.0 if observed >= required else observed / required
    return min(verdict.confidence, share)


def decide_fact(verdict: ClaimVerdict, rules: GateRules, language: str) -> FactDecision:
    """The decision on a fact with this verdict, under the policy of the budget, in this language.

    The verdict goes first: only a SUPPORTED fact is ACCEPTED, whatever its bits are.
    """
    cut_short = CUT_SHORT.get(verdict.reason)
    if cut_short is not None:
        return _unverified(verdict, cut_short, language)
    words = fact_reasons_in(language)
    confidence = grounded_confidence(verdict)
    if verdict.verdict is Verdict.CONTRADICTED:
        text = words.says_otherwise.format(why=verdict.reason_text)
        decision, reason = GateDecision.REJECTED, GateReason.CONTRADICTED
        return FactDecision(decision, reason, text, confidence, verdict)
    if verdict.verdict is not Verdict.SUPPORTED:
        reason = GateReason.FACT_NOT_GROUNDED
        text = words.not_carried.format(why=verdict.reason_text)
    elif confidence < rules.min_confidence:
        reason = GateReason.BELOW_MIN_CONFIDENCE
        text = words.below_minimum.format(
            confidence=f"{confidence:.2f}", least=f"{rules.min_confidence:.2f}"
        )
    else:
        text = words.carried.format(why=verdict.reason_text)
        decision, reason = GateDecision.ACCEPTED, GateReason.GROUNDED
        return FactDecision(decision, reason, text, confidence, verdict)
    if rules.reject_unsupported:
        return FactDecision(GateDecision.REJECTED, reason, text, confidence, verdict)
    text = words.let_through.format(why=text)
    return FactDecision(GateDecision.ACCEPTED_UNSUPPORTED, reason, text, confidence, verdict)


def leave_unverified(task: ClaimTask, reason: GateReason) -> FactDecision:
    """The decision on a fact that nobody read: OUT_OF_TIME, OVERLOADED or BACKEND_UNAVAILABLE."""
    return _unverified(unread_verdict(task, _UNVERIFIED[reason], ""), reason, task.language)


def _unverified(verdict: ClaimVerdict, reason: GateReason, language: str) -> FactDecision:
    words = fact_reasons_in(language)
    why = {
        GateReason.OUT_OF_TIME: words.out_of_time,
        GateReason.OVERLOADED: words.overloaded,
        GateReason.BACKEND_UNAVAILABLE: words.backend_failed,
    }[reason]
    text = words.stored_unverified.format(why=why, factor=f"{UNVERIFIED_FACTOR:g}")
    confidence = verdict.confidence * UNVERIFIED_FACTOR
    return FactDecision(GateDecision.ACCEPTED_UNVERIFIED, reason, text, confidence, verdict)
