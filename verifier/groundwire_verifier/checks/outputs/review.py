"""The use case of an output: its claims and its form in, what an agent needs to correct
itself out."""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from groundwire_verifier.checks.answers import AnswerClaims, AnswerInput, check_answer, report_on
from groundwire_verifier.checks.model_claims.extraction import Extraction
from groundwire_verifier.checks.outputs.conversation import Conversation
from groundwire_verifier.checks.outputs.formats import FormatViolation, StatedFormat, check_format
from groundwire_verifier.checks.outputs.instructions import instruction
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import ClaimOptions
from groundwire_verifier.domain.errors import InvalidInputError
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.types import (
    SKIPPED,
    UNREAD,
    AnswerClaim,
    AnswerSummary,
    ClaimVerdict,
    Reason,
    Verdict,
)
from groundwire_verifier.verification import Verification

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


@dataclass(frozen=True, slots=True)
class OutputInput:
    """An output to verify, as a caller sends it."""

    response: str
    conversation: Conversation
    format: StatedFormat
    question: str
    extract: ClaimOptions
    options: VerifyOptions

    @property
    def answer(self) -> AnswerInput:
        """The same as an answer on its evidence."""
        return AnswerInput(
            self.response,
            self.conversation.evidence,
            self.question,
            self.extract,
            self.options,
            turns=self.conversation.said_by_user,
        )


@dataclass(frozen=True, slots=True)
class OutputReview:
    """What is said of an output. `flagged` means that its risk is above the threshold.

    `extraction` says how its claims were found.
    """

    claims: Sequence[AnswerClaim]
    summary: AnswerSummary
    format_violations: Sequence[FormatViolation]
    risk: Risk
    flagged: bool
    instruction: str
    extraction: Extraction


def check_output(given: OutputInput, limits: Limits, backends: Collection[str]) -> None:
    """Check a request whole, as far as that needs no model. Raises InvalidInputError."""
    found = given.conversation.check(limits)
    found += check_format(given.format, "format")
    if not found:
        with own_fields(given):
            check_answer(given.answer, limits, backends)
    checks.raise_any(found)


@contextmanager
def own_fields(given: OutputInput) -> Iterator[None]:
    """Errors about the answer that an output is read as, with the fields of the output."""
    try:
        yield
    except InvalidInputError as error:
        raise InvalidInputError(
            [replace(each, field=_own_field(each.field, given)) for each in error.violations]
        ) from None


def _own_field(field: str, given: OutputInput) -> str:
    if field.startswith("evidence"):
        return given.conversation.own_field(field)
    return "response" if field == "answer" else field


def review(
    found: AnswerClaims,
    read: Verification,
    format_violations: Sequence[FormatViolation],
    flag_threshold_bits: float,
) -> OutputReview:
    """What is said of an output whose claims were verified so."""
    claims, summary = report_on(found, read.verdicts, read.options.thresholds, read.card_languages)
    risk = risk_of(claim.verdict for claim in claims if claim.verdict is not None)
    return OutputReview(
        claims,
        summary,
        format_violations,
        risk,
        risk.bits > flag_threshold_bits,
        instruction(claims, format_violations, summary.language),
        found.extraction,
    )
