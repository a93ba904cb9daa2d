"""The risk of a response: the bits of evidence that it lacks."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from groundwire_verifier.verdicts.types import SKIPPED, UNREAD, ClaimVerdict, Reason, Verdict

_KNOWN = (SKIPPED - UNREAD) | {Reason.UNKNOWN_CITATION}
"""Reasons of claims that were not verified, and of which something is known: there is nothing to
verify, or they cite a source that is not there, which is a debt."""


@dataclass(frozen=True, slots=True)
class Risk:
    """The bits that a response lacks, at least 0, and the claims of which nothing is known."""

    bits: float
    unread_claims: int


def risk_of(verdicts: Iterable[ClaimVerdict]) -> Risk:
    """The risk of a response with these verdicts.

    Budgets of claims add up, since each asks its evidence for bits of its own; so does what they
    lack.
    """
    known = list(verdicts)
    return Risk(
        math.fsum(missing_bits(verdict) for verdict in known),
        sum(map(_is_unknown, known)),
    )


def missing_bits(verdict: ClaimVerdict) -> float:
    """The bits that the evidence of one claim falls short by, at least 0.

    What is observed is a divergence, as large where the evidence speaks against the claim: there it
    is no payment, but a debt.
    """
    if verdict.grounded or verdict.reason in SKIPPED or _is_unknown(verdict):
        return 0.0
    if verdict.reason is Reason.UNKNOWN_CITATION:
        return 1.0 - _entropy_bits(verdict.confidence)
    budget, use = verdict.budget, verdict.evidence_use
    if budget is None or use is None:
        return 0.0
    observed = budget.observed_bits if use > 0.0 else -budget.observed_bits
    return max(0.0, budget.required_bits - observed)


def _is_unknown(verdict: ClaimVerdict) -> bool:
    """Whether nothing is known of a claim, so that it adds nothing. A claim that is left out since
    there is nothing to verify is not unknown."""
    return verdict.verdict is Verdict.NOT_VERIFIED and verdict.reason not in _KNOWN


def _entropy_bits(share: float) -> float:
    """The entropy of a coin that falls on one side with this share of throws, in [0, 1] bits."""
    return -sum(p * math.log2(p) for p in (share, 1.0 - share) if p > 0.0)
