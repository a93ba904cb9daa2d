"""One claim's readings as its verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from groundwire_verifier.domain.claims import NonAssertive
from groundwire_verifier.domain.estimates import estimates_of
from groundwire_verifier.domain.types import Estimate, NoProbabilityReason, Reading, Template
from groundwire_verifier.numbers.calibration import Calibration
from groundwire_verifier.verdicts.explanations import claim_warning, reason_text, unread_text
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.other_sources import SourceQuestions
from groundwire_verifier.verdicts.policy import (
    Observation,
    Policy,
    asks_for_stance,
    carries,
    decide,
)
from groundwire_verifier.verdicts.questions import ClaimQuestions, ClaimTask
from groundwire_verifier.verdicts.types import (
    CitationRole,
    CitationStatus,
    ClaimVerdict,
    OtherSource,
    Reason,
    Role,
    Stance,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class SourceEstimates:
    """A claim without any source, with the cited ones alone, and with each of some others alone."""

    closed_book: Estimate
    cited_alone: Estimate
    alone: Mapping[str, Estimate]


@dataclass(slots=True)
class ClaimReadings:
    """What the model has said so far, by the number of the question."""

    estimates: dict[int, Estimate] = field(default_factory=dict)
    stances: dict[int, Stance] = field(default_factory=dict)

    def probability(self, question: int) -> float | None:
        """The probability of a question that was read, if it has one."""
        return self.estimates[question].probability

    def stance(self, question: int | None) -> Stance | None:
        """The stance of a question, if it was read."""
        return None if question is None else self.stances.get(question)


def unread_verdict(
    task: ClaimTask, reason: Reason, detail: str, unknown_ids: tuple[str, ...] = ()
) -> ClaimVerdict:
    """The verdict of a claim that the model was not asked about."""
    return ClaimVerdict(
        verdict=Verdict.NOT_VERIFIED,
        reason=reason,
        reason_text=unread_text(reason, detail, task.language),
        grounded=False,
        warning=claim_warning(Verdict.NOT_VERIFIED, reason, task.language),
        citation_status=_citation_status(task, unknown_ids),
        cited_ids=task.cited_ids,
        unknown_ids=unknown_ids,
        confidence=task.confidence,
        confidence_source=task.confidence_source,
        claim=task.text,
    )


@dataclass(frozen=True, slots=True)
class Judge:
    """Turns readings into verdicts, under these options and this floor of the label mass."""

    options: VerifyOptions
    label_mass_floor: float
    calibration: Calibration | None

    def take(
        self,
        question: int,
        template: Template,
        reading: Reading,
        to: ClaimReadings,
    ) -> None:
        """Add what one reading says."""
        if template is Template.YES_NO_UNSURE:
            to.stances[question] = stance_of(reading)
        else:
            (to.estimates[question],) = estimates_of(
                [reading], self.label_mass_floor, self.calibration
            )

    def source_estimates(
        self, asked: SourceQuestions, readings: Sequence[Reading]
    ) -> SourceEstimates:
        """What the readings of all these questions say, in their order."""
        closed_book, cited_alone, *alone = estimates_of(
            readings, self.label_mass_floor, self.calibration
        )
        return SourceEstimates(closed_book, cited_alone, dict(zip(asked.alone, alone, strict=True)))

    def asks_for_stance(self, asked: ClaimQuestions, readings: ClaimReadings) -> bool:
        """Whether the model has to choose among YES, NO and UNSURE for this claim."""
        p1, p0 = readings.probability(asked.posterior), readings.probability(asked.prior)
        return p1 is not None and p0 is not None and asks_for_stance(p1, self.options.thresholds)

    def verdict(
        self,
        task: ClaimTask,
        asked: ClaimQuestions,
        readings: ClaimReadings,
        sources: SourceEstimates | None = None,
    ) -> ClaimVerdict:
        """The verdict of a claim whose readings are there.

        Without those of the other `sources` a high p0 is taken for prior knowledge.
        """
        posterior, prior = readings.estimates[asked.posterior], readings.estimates[asked.prior]
        roles = self._roles(asked, readings)
        if posterior.probability is None or prior.probability is None:
            unread = unread_verdict(task, *self._no_probability(posterior, prior))
            return replace(
                unread,
                posterior=posterior,
                prior=prior,
                citation_roles=roles,
                prior_title_ids=asked.prior_title_ids,
                unstated_values=(*asked.unstated.code, *asked.unstated.values),
                derived_values=asked.unstated.derived,
                read_passages=asked.excerpt.read_passages,
                context=asked.excerpt.evidence.context,
            )
        observed = Observation(
            p1=posterior.probability,
            p0=prior.probability,
            confidence=task.confidence,
            # Where there is no source at all, none can count as used.
            citing=bool(task.cited_ids) or not asked.excerpt.evidence.ids,
            stance=readings.stance(asked.stance),
            label_mass_floor=self.label_mass_floor,
            p1_interval=posterior.interval,
            p0_interval=prior.interval,
        )
        if sources is not None:
            observed = replace(
                observed,
                closed_book=sources.closed_book.probability,
                cited_alone=sources.cited_alone.probability,
                closed_book_interval=sources.closed_book.interval,
                cited_alone_interval=sources.cited_alone.interval,
            )
        thresholds = self.options.thresholds
        # That sources say something is asked under one rule: a score is for claims.
        absent = task.kind is NonAssertive.ABSENCE
        decision = decide(observed, Policy.BUDGET if absent else self.options.policy, thresholds)
        if absent:
            if decision.verdict is not Verdict.SUPPORTED:
                return unread_verdict(task, Reason.NON_ASSERTIVE, NonAssertive.ABSENCE.value)
            posterior, prior = posterior.of_denial(), prior.of_denial()
            observed = replace(
                observed,
                p1=1.0 - observed.p1,
                p0=1.0 - observed.p0,
                p1_interval=posterior.interval,
                p0_interval=prior.interval,
            )
            decision = replace(
                decide(observed, self.options.policy, thresholds),
                verdict=Verdict.CONTRADICTED,
                reason=Reason.FALSE_ABSENCE,
            )
        if asked.unstated.code and decision.verdict in (Verdict.SUPPORTED, Verdict.UNCERTAIN):
            # The model reads what it is like; a flag is right or wrong.
            decision = replace(decision, verdict=Verdict.UNSUPPORTED, reason=Reason.UNSTATED_CODE)
        if task.unfinished and decision.verdict is Verdict.CONTRADICTED:
            decision = replace(decision, verdict=Verdict.NOT_VERIFIED, reason=Reason.INCOMPLETE)
        others = () if sources is None else self._other_sources(sources)
        return ClaimVerdict(
            verdict=decision.verdict,
            reason=decision.reason,
            reason_text=reason_text(
                observed,
                decision,
                self.options.policy,
                thresholds,
                others,
                language=task.language,
                unstated_code=asked.unstated.code,
            ),
            grounded=decision.verdict is Verdict.SUPPORTED,
            warning=claim_warning(
                decision.verdict,
                decision.reason,
                task.language,
                observed.p1,
                [other.id for other in others if other.carries],
            ),
            citation_status=_citation_status(task, ()),
            cited_ids=task.cited_ids,
            unknown_ids=(),
            confidence=task.confidence,
            confidence_source=task.confidence_source,
            posterior=posterior,
            prior=prior,
            budget=decision.budget,
            grounding_score=decision.score,
            evidence_use=observed.p1 - observed.p0,
            stance=observed.stance,
            citation_roles=roles,
            closed_book=None if sources is None else sources.closed_book,
            cited_alone=None if sources is None else sources.cited_alone,
            prior_title_ids=asked.prior_title_ids,
            unstated_values=(*asked.unstated.code, *asked.unstated.values),
            derived_values=asked.unstated.derived,
            other_sources=others,
            read_passages=asked.excerpt.read_passages,
            claim=task.text,
            context=asked.excerpt.evidence.context,
        )

    def _no_probability(self, posterior: Estimate, prior: Estimate) -> tuple[Reason, str]:
        """Why a claim has no p1 or no p0, and the numbers in words."""
        samples = [
            estimate.samples
            for estimate in (posterior, prior)
            if estimate.reason is NoProbabilityReason.TOO_FEW_SAMPLES
        ]
        if samples:
            return Reason.TOO_FEW_SAMPLES, str(min(samples))
        mass = min(posterior.label_mass, prior.label_mass)
        return Reason.LABEL_MASS_BELOW_FLOOR, f"{mass:.3f} < {self.label_mass_floor:g}"

    def _other_sources(self, sources: SourceEstimates) -> tuple[OtherSource, ...]:
        closed_book, thresholds = sources.closed_book.probability, self.options.thresholds
        return tuple(
            OtherSource(
                id=source_id,
                probability=(p := estimate.probability),
                carries=(
                    p is not None
                    and closed_book is not None
                    and carries(p, closed_book, thresholds)
                ),
            )
            for source_id, estimate in sources.alone.items()
        )

    def _roles(self, asked: ClaimQuestions, readings: ClaimReadings) -> tuple[CitationRole, ...]:
        p1 = readings.probability(asked.posterior)
        p0 = readings.probability(asked.prior)
        return tuple(
            self._role(
                source_id,
                _difference(p1, readings.probability(asked.without[source_id])),
                _difference(readings.probability(asked.alone[source_id]), p0),
            )
            for source_id in asked.without
        )

    def _role(self, source_id: str, drop: float | None, alone: float | None) -> CitationRole:
        if drop is None or alone is None:
            return CitationRole(source_id, None, drop, alone)
        carried = self.options.thresholds.min_evidence_use
        if drop > carried:
            role = Role.CARRIES
        else:
            role = Role.REDUNDANT if alone > carried else Role.DECORATION
        return CitationRole(source_id, role, drop, alone)


def stance_of(reading: Reading) -> Stance:
    """A reading as the model's choice; all shares are 0 where no label has any mass."""
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
