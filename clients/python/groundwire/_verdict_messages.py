"""Reads the verdict of a claim out of responses. Raises InvalidResponseError.

Nothing fails open: a verdict that claims more than its own numbers can carry is
refused, and one that this client does not know is never grounded. This module
knows nothing of answers or channels.
"""

from groundwire._claim_messages import (
    confidence_source,
    difference,
    finite,
    optional,
)
from groundwire._enums import by_number
from groundwire._messages import read_estimate, share
from groundwire.errors import InvalidResponseError
from groundwire.policies import Removal
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.verdicts import (
    Budget,
    CitationRole,
    CitationStatus,
    ClaimVerdict,
    Envelope,
    RemovalPrior,
    Role,
    Stance,
    Verdict,
    VerdictReason,
)

REMOVALS = by_number(Removal, pb.Removal.items(), "REMOVAL_")
_VERDICTS = by_number(Verdict, pb.Verdict.items(), "VERDICT_")
_REASONS = by_number(VerdictReason, pb.VerdictReason.items(), "VERDICT_REASON_")
_STATUSES = by_number(CitationStatus, pb.CitationStatus.items(), "CITATION_STATUS_")
_ROLES = by_number(Role, pb.Role.items(), "ROLE_")

# What the verdicts on a claim itself say of p1, and these two of p0 as well.
_FROM_POSTERIOR = {Verdict.UNSUPPORTED, Verdict.CONTRADICTED}
_FROM_BOTH = {Verdict.SUPPORTED, Verdict.PRIOR_KNOWLEDGE}


def read_verdict(message: pb.ClaimVerdict) -> ClaimVerdict:
    """Reads one verdict, and checks that its numbers can carry it."""
    verdict = ClaimVerdict(
        verdict=_VERDICTS.get(message.verdict, Verdict.UNKNOWN),
        reason=verdict_reason(message.reason),
        reason_text=message.reason_text,
        grounded=message.grounded,
        warning=message.warning,
        citation_status=_STATUSES.get(message.citation_status, CitationStatus.UNRECOGNISED),
        cited_ids=tuple(message.cited_ids),
        unknown_ids=tuple(message.unknown_ids),
        posterior=read_estimate(message.posterior) if message.HasField("posterior") else None,
        prior=read_estimate(message.prior) if message.HasField("prior") else None,
        confidence=share("confidence", message.confidence),
        confidence_source=confidence_source(message.confidence_source),
        budget=_budget(message.budget) if message.HasField("budget") else None,
        grounding_score=optional(message, "grounding_score", share),
        evidence_use=optional(message, "evidence_use", difference),
        stance=_stance(message.stance) if message.HasField("stance") else None,
        envelope=_envelope(message.envelope) if message.HasField("envelope") else None,
        citation_roles=tuple(_citation_role(role) for role in message.citation_roles),
    )
    _check_readings(verdict)
    _check_grounded(verdict)
    return verdict


def verdict_reason(number: int) -> VerdictReason:
    """How a verdict came about."""
    return _REASONS.get(number, VerdictReason.UNKNOWN)


def _check_readings(verdict: ClaimVerdict) -> None:
    """Whether the numbers that a verdict stands on are there, and no others."""
    name, p1, both = verdict.verdict, verdict.p1, None not in (verdict.p1, verdict.p0)
    if name in _FROM_POSTERIOR and p1 is None:
        raise InvalidResponseError(f"{name} without p1")
    if name in _FROM_BOTH and not both:
        raise InvalidResponseError(f"{name} without p1 and p0")
    from_both = {
        "budget": verdict.budget,
        "grounding_score": verdict.grounding_score,
        "evidence_use": verdict.evidence_use,
    }
    for field, value in from_both.items():
        if both and value is None:
            raise InvalidResponseError(f"p1 and p0 without {field}")
        if not both and value is not None:
            raise InvalidResponseError(f"{field} without p1 and p0")


def _check_grounded(verdict: ClaimVerdict) -> None:
    """Whether a claim that counts as grounded may do so."""
    name = verdict.verdict
    unknown = verdict.unknown_ids or verdict.citation_status is CitationStatus.UNKNOWN
    if name is Verdict.SUPPORTED and unknown:
        raise InvalidResponseError("SUPPORTED with a citation of a source that is not there")
    if verdict.grounded and name is not Verdict.SUPPORTED:
        raise InvalidResponseError(f"grounded, but {name}")


def _budget(budget: pb.Budget) -> Budget:
    return Budget(
        required_bits=finite("required_bits", budget.required_bits),
        observed_bits=finite("observed_bits", budget.observed_bits),
        gap_bits=finite("gap_bits", budget.gap_bits),
        required_exceeds_observed=budget.required_exceeds_observed,
        required_nats=finite("required_nats", budget.required_nats),
        observed_nats=finite("observed_nats", budget.observed_nats),
        gap_nats=finite("gap_nats", budget.gap_nats),
    )


def _stance(stance: pb.Stance) -> Stance:
    return Stance(
        yes=share("P(YES)", stance.yes),
        no=share("P(NO)", stance.no),
        unsure=share("P(UNSURE)", stance.unsure),
        label_mass=share("label_mass", stance.label_mass),
    )


def _envelope(envelope: pb.Envelope) -> Envelope:
    return Envelope(
        priors=tuple(
            RemovalPrior(
                removal=REMOVALS.get(each.removal, Removal.UNKNOWN),
                prior=read_estimate(each.prior) if each.HasField("prior") else None,
            )
            for each in envelope.priors
        ),
        min_prior=optional(envelope, "min_prior", share),
        max_prior=optional(envelope, "max_prior", share),
        min_gap_bits=optional(envelope, "min_gap_bits", finite),
        max_gap_bits=optional(envelope, "max_gap_bits", finite),
    )


def _citation_role(role: pb.CitationRole) -> CitationRole:
    read = role.role != pb.ROLE_UNSPECIFIED
    return CitationRole(
        id=role.id,
        role=_ROLES.get(role.role, Role.UNKNOWN) if read else None,
        drop=optional(role, "drop", difference),
        alone=optional(role, "alone", difference),
    )
