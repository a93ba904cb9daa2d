"""One claim's readings as its verdict.

Knows the policy and what each reading is for. Does not know batches, order or time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from groundwire_verifier.domain.estimates import estimates_of
from groundwire_verifier.domain.types import Estimate, Reading
from groundwire_verifier.numbers.budget import gap_range_bits
from groundwire_verifier.numbers.calibration import Calibration
from groundwire_verifier.verdicts.explanations import claim_warning, reason_text, unread_text
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.policy import (
    Numbers,
    asks_for_stance,
    budget_of,
    decide,
    grounding_score,
)
from groundwire_verifier.verdicts.questions import ClaimReads, ClaimTask
from groundwire_verifier.verdicts.types import (
    CitationRole,
    CitationStatus,
    ClaimVerdict,
    Envelope,
    Reason,
    Role,
    Stance,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Known:
    """A reading and what it says, worked out once."""

    reading: Reading
    estimate: Estimate


Readings = Mapping[int, Known]


def unread_verdict(
    task: ClaimTask, reason: Reason, detail: str, unknown_ids: tuple[str, ...] = ()
) -> ClaimVerdict:
    """The verdict of a claim that the model was not asked about."""
    return ClaimVerdict(
        verdict=Verdict.NOT_VERIFIED,
        reason=reason,
        reason_text=unread_text(reason, detail),
        grounded=False,
        warning=claim_warning(Verdict.NOT_VERIFIED, reason, task.language),
        citation_status=_citation_status(task, unknown_ids),
        cited_ids=task.cited_ids,
        unknown_ids=unknown_ids,
        confidence=task.confidence,
        confidence_source=task.confidence_source,
    )


@dataclass(frozen=True, slots=True)
class Judge:
    """Turns readings into verdicts, under these options and this floor of the label mass."""

    options: VerifyOptions
    label_mass_floor: float
    calibration: Calibration | None

    def known(self, reading: Reading) -> Known:
        """A reading with its estimate."""
        (estimate,) = estimates_of([reading], self.label_mass_floor, self.calibration)
        return Known(reading, estimate)

    def asks_for_stance(self, needs: ClaimReads, readings: Readings) -> bool:
        """Whether the model has to choose among YES, NO and UNSURE for this claim."""
        p1 = _probability(needs.posterior, readings)
        p0 = _probability(needs.prior, readings)
        return p1 is not None and p0 is not None and asks_for_stance(p1, self.options.thresholds)

    def verdict(self, task: ClaimTask, needs: ClaimReads, readings: Readings) -> ClaimVerdict:
        """The verdict of a claim whose readings are there."""
        posterior = readings[needs.posterior].estimate
        prior = readings[needs.prior].estimate
        read = replace(
            unread_verdict(
                task,
                Reason.LABEL_MASS_BELOW_FLOOR,
                f"(a label mass of {min(posterior.label_mass, prior.label_mass):.3f}, below "
                f"{self.label_mass_floor:g})",
            ),
            posterior=posterior,
            prior=prior,
            envelope=self._envelope(task, needs, readings),
            citation_roles=self._roles(needs, readings),
        )
        if posterior.probability is None or prior.probability is None:
            return read
        return self._answered(
            read,
            Numbers(
                p1=posterior.probability,
                p0=prior.probability,
                confidence=task.confidence,
                citing=bool(task.cited_ids),
                stance=_stance(readings.get(needs.stance)),
                label_mass_floor=self.label_mass_floor,
            ),
            task.language,
        )

    def _answered(self, read: ClaimVerdict, numbers: Numbers, language: str) -> ClaimVerdict:
        thresholds = self.options.thresholds
        verdict, reason = decide(numbers, self.options.policy, thresholds)
        return replace(
            read,
            verdict=verdict,
            reason=reason,
            reason_text=reason_text(reason, numbers, thresholds),
            grounded=verdict is Verdict.SUPPORTED,
            warning=claim_warning(verdict, reason, language),
            budget=budget_of(numbers.p1, numbers.p0, numbers.confidence),
            grounding_score=grounding_score(numbers.p1, numbers.p0, numbers.citing, thresholds),
            evidence_use=numbers.p1 - numbers.p0,
            stance=numbers.stance,
        )

    def _envelope(self, task: ClaimTask, needs: ClaimReads, readings: Readings) -> Envelope | None:
        if not needs.envelope:
            return None
        priors = tuple(
            (removal, None if number is None else readings[number].estimate)
            for removal, number in needs.envelope.items()
        )
        known = [e.probability for _, e in priors if e is not None and e.probability is not None]
        if not known:
            return Envelope(priors, None, None)
        low, high = min(known), max(known)
        p1 = _probability(needs.posterior, readings)
        gap = None
        if p1 is not None:
            ends = gap_range_bits(p1, p1, low, high, task.confidence)
            gap = (float(ends[0]), float(ends[1]))
        return Envelope(priors, (low, high), gap)

    def _roles(self, needs: ClaimReads, readings: Readings) -> tuple[CitationRole, ...]:
        p1 = _probability(needs.posterior, readings)
        p0 = _probability(needs.prior, readings)
        return tuple(
            self._role(
                source_id,
                _difference(p1, _probability(needs.without[source_id], readings)),
                _difference(_probability(needs.alone[source_id], readings), p0),
            )
            for source_id in needs.without
        )

    def _role(self, source_id: str, drop: float | None, alone: float | None) -> CitationRole:
        if drop is None or alone is None:
            return CitationRole(source_id, None, drop, alone)
        carried = self.options.thresholds.used_above
        if drop > carried:
            role = Role.CARRIES
        else:
            role = Role.REDUNDANT if alone > carried else Role.DECORATION
        return CitationRole(source_id, role, drop, alone)


def _probability(number: int | None, readings: Readings) -> float | None:
    return None if number is None else readings[number].estimate.probability


def _stance(known: Known | None) -> Stance | None:
    if known is None:
        return None
    reading = known.reading
    shares = np.exp([reading.yes_nats, reading.no_nats, reading.unsure_nats])
    mass = float(shares.sum())
    if mass <= 0.0:
        return Stance(0.0, 0.0, 0.0, 0.0)
    yes, no, unsure = (float(share) / mass for share in shares)
    return Stance(yes, no, unsure, min(1.0, mass))


def _difference(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def _citation_status(task: ClaimTask, unknown_ids: tuple[str, ...]) -> CitationStatus:
    if unknown_ids:
        return CitationStatus.UNKNOWN
    return CitationStatus.KNOWN if task.cited_ids else CitationStatus.NONE
