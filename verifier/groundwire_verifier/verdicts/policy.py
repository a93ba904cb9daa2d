"""The decision: from the numbers of one claim to its verdict."""

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from groundwire_verifier.numbers import budget
from groundwire_verifier.numbers.intervals import Interval
from groundwire_verifier.numbers.metrics import Floats
from groundwire_verifier.text.claims.wording.confidence_words import PLAIN
from groundwire_verifier.verdicts.types import BudgetNumbers, Reason, Stance, Verdict


class Policy(Enum):
    """A rule for "grounded"."""

    BUDGET = "budget"
    GROUNDING_SCORE = "grounding score"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The numbers behind a verdict; what each means stands in the contract's Thresholds.

    All are in [0, 1], but `max_gap_bits`, which is in bits and at least 0, and `max_contradicted`,
    a number of claims, which is None for any.
    """

    default_confidence: float = PLAIN
    min_posterior: float = 0.5
    max_unsupported_posterior: float = 0.5
    prior_margin: float = 0.1
    max_gap_bits: float = 0.0
    min_contradiction: float = 0.5
    min_miscitation: float = 0.15
    min_evidence_use: float = 0.15
    score_bonus_posterior: float = 0.7
    min_grounding_score: float = 0.45
    min_grounded_ratio: float = 0.7
    max_contradicted: int | None = None


SCORE_USE_FACTOR = 1.5
SCORE_BONUS = 0.3
SCORE_UNCITED_HIGH = 0.7
SCORE_UNCITED_LOW = 0.4
"""The constants of the grounding score."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What was read of a claim. `label_mass_floor` holds for the stance, too.

    `closed_book` is its probability, in [0, 1], without any source, and `cited_alone` that with the
    cited ones only; None where they were not read. The intervals are where the probabilities lie;
    None where they were read exactly.
    """

    p1: float
    p0: float
    confidence: float
    citing: bool
    stance: Stance | None = None
    label_mass_floor: float = 0.0
    closed_book: float | None = None
    cited_alone: float | None = None
    p1_interval: Interval | None = None
    p0_interval: Interval | None = None
    closed_book_interval: Interval | None = None
    cited_alone_interval: Interval | None = None

    @property
    def ranges(self) -> tuple[Interval, Interval]:
        """Where p1 and p0 lie."""
        return (
            self.p1_interval or Interval(self.p1, self.p1),
            self.p0_interval or Interval(self.p0, self.p0),
        )

    def at_worst(self, p0: float) -> "Observation":
        """What could have been read within the intervals that speaks least for the cited sources,
        with this p0 in its own."""
        alone, without = self.cited_alone_interval, self.closed_book_interval
        return Observation(
            p1=self.ranges[0].low,
            p0=p0,
            confidence=self.confidence,
            citing=self.citing,
            stance=self.stance,
            label_mass_floor=self.label_mass_floor,
            closed_book=self.closed_book if without is None else without.high,
            cited_alone=self.cited_alone if alone is None else alone.low,
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict on an observation, how it came about, and the numbers that decided.

    `score` is the grounding score, in [0, 1], of p1 and p0; of a corroborated claim it is that of
    the cited sources alone against no source.
    """

    verdict: Verdict
    reason: Reason
    budget: BudgetNumbers
    score: float


def decide(observed: Observation, policy: Policy, thresholds: Thresholds) -> Decision:
    """The verdict of a claim that was read.

    Under the budget it never gets worse when the confidence falls: SUPPORTED stays, and what is
    not becomes PRIOR_KNOWLEDGE or SUPPORTED. MISCITED stands beside PRIOR_KNOWLEDGE: the
    closed-book probability tells the two apart, and no confidence does. UNSUPPORTED and UNCERTAIN
    are told apart by p1, and by whether the evidence speaks against the claim.

    What is not read exactly is SUPPORTED only if it would be wherever in their intervals the
    probabilities lie.
    """
    decision = _decide_exactly(observed, policy, thresholds)
    if decision.verdict is not Verdict.SUPPORTED or _is_supported_throughout(
        observed, policy, thresholds
    ):
        return decision
    return replace(decision, verdict=Verdict.NOT_VERIFIED, reason=Reason.INTERVAL_TOO_WIDE)


def _is_supported_throughout(observed: Observation, policy: Policy, thresholds: Thresholds) -> bool:
    """Whether a claim is SUPPORTED over all of its intervals.

    That is lost first where p1 is least. The gap is monotone along p0, and the use of the evidence
    and the score fall as p0 rises, so that the ends of p0 decide.
    """
    p0 = observed.ranges[1]
    return all(
        _decide_exactly(observed.at_worst(end), policy, thresholds).verdict is Verdict.SUPPORTED
        for end in {p0.low, p0.high}
    )


def _decide_exactly(observed: Observation, policy: Policy, thresholds: Thresholds) -> Decision:
    """The verdict for p1 and p0 as they are."""
    bits = _budget(observed, observed.confidence)
    # KL(t || p0) falls as t rises towards p0, so a confidence below the prior would ask for more
    # the lower it is. It asks for nothing; the bits that are reported stay the formula's.
    below_prior = observed.confidence < observed.p0
    asked = _budget(observed, observed.p0) if below_prior else bits
    covered = asked.gap_bits <= thresholds.max_gap_bits
    score = grounding_score(observed.p1, observed.p0, observed.citing, thresholds)
    if policy is Policy.BUDGET:
        found = _by_budget(observed, thresholds, covered=covered)
    else:
        found = _by_score(observed, thresholds, score)
    alone = _score_alone(observed, policy, thresholds)
    verdict, reason = _verdict(
        observed, thresholds, found, covered=covered, carried_alone=alone is not None
    )
    if alone is not None and reason is Reason.CORROBORATED:
        score = alone
    return Decision(verdict, reason, bits, score)


def supported_up_to(p1: Floats, p0: Floats, thresholds: Thresholds) -> Floats:
    """The highest confidence at which each claim is SUPPORTED by its budget; 0 where it never is.

    Of probabilities in [0, 1] of one shape, with no gap allowed and `min_posterior` no bound: it is
    lowered to an operating point below it.
    """
    return np.where(p1 - p0 > thresholds.min_evidence_use, p1, 0.0)


def grounding_score(p1: float, p0: float, citing: bool, thresholds: Thresholds) -> float:
    """The grounding score, in [0, 1].

    A claim with citations scores by how far its evidence moves the model, with a bonus for a high
    posterior; one without scores by its posterior alone, at a discount.
    """
    high = p1 > thresholds.score_bonus_posterior
    if citing:
        score = SCORE_USE_FACTOR * (p1 - p0) + (SCORE_BONUS if high else 0.0)
    else:
        score = (SCORE_UNCITED_HIGH if high else SCORE_UNCITED_LOW) * p1
    return min(1.0, max(0.0, score))


def carries(probability: float, closed_book: float, thresholds: Thresholds) -> bool:
    """Whether sources by themselves make a claim likely that is not believed without any.

    `probability` is with these sources alone, `closed_book` without any; both in [0, 1].
    """
    return (
        closed_book < thresholds.min_posterior <= probability
        and probability - closed_book > thresholds.min_evidence_use
    )


def asks_for_stance(p1: float, thresholds: Thresholds) -> bool:
    """Whether the model has to be asked if the evidence contradicts the claim."""
    return p1 < thresholds.min_posterior


def _budget(observed: Observation, confidence: float) -> BudgetNumbers:
    found = budget.budget(observed.p1, observed.p0, confidence)
    gaps = None
    if observed.p1_interval is not None or observed.p0_interval is not None:
        p1, p0 = observed.ranges
        low, high = budget.gap_range_bits(p1.low, p1.high, p0.low, p0.high, confidence)
        gaps = (float(low), float(high))
    return BudgetNumbers(
        required_nats=float(found.required_nats),
        observed_nats=float(found.observed_nats),
        gap_nats=float(found.gap_nats),
        required_bits=float(found.required_bits),
        observed_bits=float(found.observed_bits),
        gap_bits=float(found.gap_bits),
        required_exceeds_observed=bool(found.required_exceeds_observed),
        gap_range_bits=gaps,
    )


def _by_budget(observed: Observation, thresholds: Thresholds, *, covered: bool) -> Reason:
    """Whether the evidence covers the budget of the claim's confidence; else the reason."""
    if not covered:
        return Reason.BUDGET_EXCEEDED
    # The bits do not say in which direction the evidence moves the model, and a confidence at or
    # below the prior is paid for by any evidence, even by none.
    if observed.p1 < thresholds.min_posterior or not _is_used(observed, thresholds):
        return Reason.EVIDENCE_UNUSED
    return Reason.BUDGET_COVERED


def _by_score(observed: Observation, thresholds: Thresholds, score: float) -> Reason:
    """Checks the grounding score, and that the evidence is used; returns the reason.

    The evidence of a claim without citations counts as used: nothing says which it should be.
    """
    if observed.citing and not _is_used(observed, thresholds):
        return Reason.EVIDENCE_UNUSED
    return Reason.SCORE_REACHED if score > thresholds.min_grounding_score else Reason.SCORE_MISSED


def _score_alone(observed: Observation, policy: Policy, thresholds: Thresholds) -> float | None:
    """The grounding score of the cited sources alone, if by themselves they carry the claim with
    the confidence that it is asked for; else None."""
    alone, closed_book = observed.cited_alone, observed.closed_book
    if (
        alone is None
        or closed_book is None
        or alone < max(observed.confidence, thresholds.min_posterior)
        or alone - closed_book <= thresholds.min_evidence_use
    ):
        return None
    score = grounding_score(alone, closed_book, observed.citing, thresholds)
    if policy is Policy.GROUNDING_SCORE and score <= thresholds.min_grounding_score:
        return None
    return score


def _verdict(
    observed: Observation,
    thresholds: Thresholds,
    found: Reason,
    *,
    covered: bool,
    carried_alone: bool,
) -> tuple[Verdict, Reason]:
    if found in (Reason.BUDGET_COVERED, Reason.SCORE_REACHED):
        return Verdict.SUPPORTED, found
    if observed.p1 < thresholds.min_posterior:
        if _says_no(observed, thresholds):
            return Verdict.CONTRADICTED, Reason.MODEL_SAYS_NO
        return _unconfirmed(observed, thresholds), Reason.LOW_POSTERIOR
    # A claim that the evidence made much less likely is not just known without it.
    against = observed.p0 - observed.p1
    if against <= thresholds.min_evidence_use and _is_believed_without(
        observed, thresholds, covered=covered
    ):
        return _without_cited(observed, thresholds, found, carried_alone=carried_alone)
    if against > 0.0:
        return Verdict.UNSUPPORTED, Reason.EVIDENCE_AGAINST
    return _unconfirmed(observed, thresholds), found


def _unconfirmed(observed: Observation, thresholds: Thresholds) -> Verdict:
    """Whether a claim without enough evidence is found to have none, wherever its p1 lies."""
    is_finding = observed.ranges[0].high <= thresholds.max_unsupported_posterior
    return Verdict.UNSUPPORTED if is_finding else Verdict.UNCERTAIN


def _without_cited(
    observed: Observation, thresholds: Thresholds, found: Reason, *, carried_alone: bool
) -> tuple[Verdict, Reason]:
    """The verdict of a claim that is believed as much without the evidence that it cites."""
    if carried_alone:
        return Verdict.SUPPORTED, Reason.CORROBORATED
    closed_book, alone = observed.closed_book, observed.cited_alone
    if closed_book is None or not carries(observed.p0, closed_book, thresholds):
        return Verdict.PRIOR_KNOWLEDGE, Reason.HIGH_PRIOR
    if (
        alone is not None
        and not carries(alone, closed_book, thresholds)
        and observed.p0 - closed_book > thresholds.min_miscitation
    ):
        return Verdict.MISCITED, Reason.OTHER_SOURCE
    # Other sources seem to carry it, but not so clearly that the citation can be called wrong; or
    # what it cites carries it as well, but not with the confidence that is asked for.
    return Verdict.UNCERTAIN, found if _is_used(observed, thresholds) else Reason.EVIDENCE_UNUSED


def _is_used(observed: Observation, thresholds: Thresholds) -> bool:
    return observed.p1 - observed.p0 > thresholds.min_evidence_use


def _is_believed_without(observed: Observation, thresholds: Thresholds, *, covered: bool) -> bool:
    """Whether the prior is high, and near what is asked or no further from it than p1."""
    if observed.p0 < thresholds.min_posterior:
        return False
    return covered or observed.p0 >= observed.confidence - thresholds.prior_margin


def _says_no(observed: Observation, thresholds: Thresholds) -> bool:
    stance = observed.stance
    return (
        stance is not None
        and stance.label_mass >= observed.label_mass_floor
        and stance.no >= thresholds.min_contradiction
        and stance.no > max(stance.yes, stance.unsure)
    )
