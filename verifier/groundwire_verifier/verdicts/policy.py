"""The decision: from the numbers of one claim to its verdict.

Knows thresholds and the two policies. Does not know where the numbers come from.
"""

from dataclasses import dataclass
from enum import Enum

from groundwire_verifier.claims.wording.confidence_words import PLAIN
from groundwire_verifier.numbers import budget
from groundwire_verifier.verdicts.types import BudgetNumbers, Reason, Stance, Verdict


class Policy(Enum):
    """A rule for "grounded"."""

    BUDGET = "budget"
    GROUNDING_SCORE = "grounding score"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The numbers behind a verdict; what each means stands in the contract's Thresholds.

    All are in [0, 1], but `max_gap_bits`, which is in bits and at least 0.
    """

    default_confidence: float = PLAIN
    min_posterior: float = 0.5
    prior_margin: float = 0.1
    max_gap_bits: float = 0.0
    min_contradiction: float = 0.5
    used_above: float = 0.15
    high_posterior: float = 0.7
    grounded_above: float = 0.45
    overall_from: float = 0.7


SCORE_USE_FACTOR = 1.5
SCORE_BONUS = 0.3
SCORE_UNCITED_HIGH = 0.7
SCORE_UNCITED_LOW = 0.4
"""The constants of the grounding score."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a verdict is made of. `label_mass_floor` holds for the stance, too."""

    p1: float
    p0: float
    confidence: float
    citing: bool
    stance: Stance | None = None
    label_mass_floor: float = 0.0


def budget_of(p1: float, p0: float, confidence: float) -> BudgetNumbers:
    """The budget of one claim as plain numbers."""
    found = budget.budget(p1, p0, confidence)
    return BudgetNumbers(
        required_nats=float(found.required_nats),
        observed_nats=float(found.observed_nats),
        gap_nats=float(found.gap_nats),
        required_bits=float(found.required_bits),
        observed_bits=float(found.observed_bits),
        gap_bits=float(found.gap_bits),
        required_exceeds_observed=bool(found.required_exceeds_observed),
    )


def grounding_score(p1: float, p0: float, citing: bool, thresholds: Thresholds) -> float:
    """The grounding score, in [0, 1].

    A claim with citations scores by how far its evidence moves the model, with a bonus for a high
    posterior; one without scores by its posterior alone, at a discount.
    """
    high = p1 > thresholds.high_posterior
    if citing:
        score = SCORE_USE_FACTOR * (p1 - p0) + (SCORE_BONUS if high else 0.0)
    else:
        score = (SCORE_UNCITED_HIGH if high else SCORE_UNCITED_LOW) * p1
    return min(1.0, max(0.0, score))


def asks_for_stance(p1: float, thresholds: Thresholds) -> bool:
    """Whether the model has to be asked if the evidence contradicts the claim."""
    return p1 < thresholds.min_posterior


def decide(numbers: Numbers, policy: Policy, thresholds: Thresholds) -> tuple[Verdict, Reason]:
    """The verdict of a claim that was read, and how it came about.

    Under the budget it never gets worse when the confidence falls: SUPPORTED stays, and what is
    not becomes PRIOR_KNOWLEDGE or SUPPORTED.
    """
    found = (_by_budget if policy is Policy.BUDGET else _by_score)(numbers, thresholds)
    if found in (Reason.BUDGET_COVERED, Reason.SCORE_REACHED):
        return Verdict.SUPPORTED, found
    if numbers.p1 < thresholds.min_posterior:
        if _says_no(numbers, thresholds):
            return Verdict.CONTRADICTED, Reason.MODEL_SAYS_NO
        return Verdict.UNSUPPORTED, Reason.LOW_POSTERIOR
    # A claim that the evidence made much less likely is not just known without it.
    against = numbers.p0 - numbers.p1
    if against <= thresholds.used_above and _believed_without(numbers, thresholds):
        return Verdict.PRIOR_KNOWLEDGE, Reason.HIGH_PRIOR
    return Verdict.UNSUPPORTED, Reason.EVIDENCE_AGAINST if against > 0.0 else found


def _by_budget(numbers: Numbers, thresholds: Thresholds) -> Reason:
    """Whether the evidence pays for the claim's confidence, and else what is amiss."""
    if not _is_covered(numbers, thresholds):
        return Reason.BUDGET_EXCEEDED
    # The bits do not say in which direction the evidence moves the model, and a confidence at or
    # below the prior is paid for by any evidence, even by none.
    if numbers.p1 < thresholds.min_posterior or not _is_used(numbers, thresholds):
        return Reason.EVIDENCE_UNUSED
    return Reason.BUDGET_COVERED


def _by_score(numbers: Numbers, thresholds: Thresholds) -> Reason:
    """Whether the grounding score is reached with the evidence in use, and else what is amiss.

    The evidence of a claim without citations counts as used: nothing says which it should be.
    """
    if numbers.citing and not _is_used(numbers, thresholds):
        return Reason.EVIDENCE_UNUSED
    score = grounding_score(numbers.p1, numbers.p0, numbers.citing, thresholds)
    return Reason.SCORE_REACHED if score > thresholds.grounded_above else Reason.SCORE_MISSED


def _is_used(numbers: Numbers, thresholds: Thresholds) -> bool:
    return numbers.p1 - numbers.p0 > thresholds.used_above


def _is_covered(numbers: Numbers, thresholds: Thresholds) -> bool:
    """Whether the bits cover what is asked: the confidence, or the prior where that is higher.

    KL(t || p0) falls as t rises towards p0, so a confidence below the prior would ask for more the
    lower it is. It asks for nothing; the bits that are reported stay the formula's.
    """
    asked = max(numbers.confidence, numbers.p0)
    return budget_of(numbers.p1, numbers.p0, asked).gap_bits <= thresholds.max_gap_bits


def _believed_without(numbers: Numbers, thresholds: Thresholds) -> bool:
    """Whether the prior is high, and near what is asked or no further from it than p1."""
    if numbers.p0 < thresholds.min_posterior:
        return False
    near = numbers.p0 >= numbers.confidence - thresholds.prior_margin
    return near or _is_covered(numbers, thresholds)


def _says_no(numbers: Numbers, thresholds: Thresholds) -> bool:
    stance = numbers.stance
    return (
        stance is not None
        and stance.label_mass >= numbers.label_mass_floor
        and stance.no >= thresholds.min_contradiction
        and stance.no > max(stance.yes, stance.unsure)
    )
