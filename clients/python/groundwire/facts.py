"""Facts before they are stored: what a caller sends to the memory gate, and what comes back."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import overload

from groundwire._wire.fields import Share
from groundwire.errors import FactNotGroundedError
from groundwire.inputs import Evidence
from groundwire.reports import Run
from groundwire.verdicts import Verdict, VerifiedClaim


@dataclass(frozen=True, slots=True)
class FactInput:
    """A fact that someone wants to store."""

    text: str
    """The statement: at least one visible character, at most `Limits.max_claim_tokens` tokens. It
    is judged as one claim."""
    id: str = ""
    """The caller's own id, at most 256 characters, which comes back with the decision."""
    confidence: float | None = None
    """How sure it is stated, in [0, 1]; None: the server's default for claims that state none."""
    cited_ids: tuple[str, ...] = ()
    """The ids of the sources that it cites. Empty: it cites none, and the prior is read with
    every source removed."""
    evidence: Evidence | str | None = None
    """What it is judged by, if that is its own; a str is one source. None: that of the call. Facts
    with equal evidence are read together."""


class GateDecision(StrEnum):
    """What to do with a fact."""

    ACCEPTED = "ACCEPTED"
    """Store it with its confidence: the evidence carries it."""
    REJECTED = "REJECTED"
    """Do not store it."""
    ACCEPTED_UNVERIFIED = "ACCEPTED_UNVERIFIED"
    """Store it with its confidence, which is reduced, and mark it unverified: nobody knows
    whether the evidence carries it."""
    ACCEPTED_UNSUPPORTED = "ACCEPTED_UNSUPPORTED"
    """Store it with its confidence, and mark it unsupported: the evidence does not carry it, and
    the server's operator lets such facts through."""
    UNKNOWN = "UNKNOWN"
    """A decision that this client does not know; not to be stored."""


class GateReason(StrEnum):
    """How a decision came about."""

    GROUNDED = "GROUNDED"
    """ACCEPTED: the verdict is SUPPORTED."""
    FACT_NOT_GROUNDED = "FACT_NOT_GROUNDED"
    """REJECTED, or ACCEPTED_UNSUPPORTED: the evidence does not carry the fact."""
    CONTRADICTED = "CONTRADICTED"
    """REJECTED: the evidence says the opposite. Such a fact is never let through."""
    BELOW_MIN_CONFIDENCE = "BELOW_MIN_CONFIDENCE"
    """REJECTED, or ACCEPTED_UNSUPPORTED: the evidence carries the fact with less confidence than
    the server's settings ask for."""
    OUT_OF_TIME = "OUT_OF_TIME"
    """ACCEPTED_UNVERIFIED: not read before the decision was due."""
    OVERLOADED = "OVERLOADED"
    """ACCEPTED_UNVERIFIED: the server had too much to do, and did not begin with the fact."""
    BACKEND_UNAVAILABLE = "BACKEND_UNAVAILABLE"
    """ACCEPTED_UNVERIFIED: the server's backend is loading, died or hangs."""
    NO_ANSWER = "NO_ANSWER"
    """ACCEPTED_UNVERIFIED, by `MemoryGate` and not by the server: the call failed."""
    INVALID_REQUEST = "INVALID_REQUEST"
    """REJECTED, by `MemoryGate` and not by the server: the request could not be checked whole."""
    UNKNOWN = "UNKNOWN"


_STORED = {
    GateDecision.ACCEPTED,
    GateDecision.ACCEPTED_UNVERIFIED,
    GateDecision.ACCEPTED_UNSUPPORTED,
}


@dataclass(frozen=True, slots=True, repr=False)
class CheckedFact:
    """A fact with the decision on it and the numbers behind that. Prints as one line."""

    id: str
    """The id of `FactInput`."""
    text: str
    """The statement."""
    decision: GateDecision
    """What to do with it."""
    reason: GateReason
    """How that came about."""
    reason_text: str
    """The same in words, with the numbers: Hebrew for a Hebrew fact, else English."""
    confidence: Share
    """The confidence to store it with, in [0, 1]; never above the stated one. Of a rejected fact
    it is what the numbers give."""
    stated_confidence: float
    """How sure it is stated, in [0, 1], or else the default for facts that state nothing."""
    claim: VerifiedClaim | None
    """The fact as a verified claim, with every number; None: the call failed."""

    @property
    def is_accepted(self) -> bool:
        """Whether it is to be stored, with whatever mark."""
        return self.decision in _STORED

    @property
    def is_verified(self) -> bool:
        """Whether it is to be stored without a mark: its evidence carries it."""
        return self.decision is GateDecision.ACCEPTED

    @property
    def verdict(self) -> Verdict:
        """The verdict on it as a claim."""
        return Verdict.NOT_VERIFIED if self.claim is None else self.claim.verdict

    @property
    def p1(self) -> float | None:
        """Its probability with the evidence, in [0, 1]; None where there is none."""
        return None if self.claim is None else self.claim.p1

    @property
    def p0(self) -> float | None:
        """Its probability without the cited evidence, in [0, 1]; None where there is none."""
        return None if self.claim is None else self.claim.p0

    @property
    def required_bits(self) -> float | None:
        """What its confidence asks of the evidence; None where it was not read."""
        return None if self.claim is None else self.claim.required_bits

    @property
    def observed_bits(self) -> float | None:
        """What the evidence gave, for or against it; None where it was not read."""
        return None if self.claim is None else self.claim.observed_bits

    @property
    def gap_bits(self) -> float | None:
        """`required_bits` less `observed_bits`; None where it was not read."""
        return None if self.claim is None else self.claim.gap_bits

    def __str__(self) -> str:
        return f"{self.decision} {self.text!r}: {self.confidence:.2f}, {self.reason_text}"

    def __repr__(self) -> str:
        return f"<{self}>"


@dataclass(frozen=True, slots=True)
class GateResult(Sequence[CheckedFact]):
    """The answer to `check_facts`: a sequence of the facts, each with its decision."""

    facts: tuple[CheckedFact, ...]
    """The facts in the order of the request."""
    run: Run | None
    """How they were verified; None: the call failed."""

    @property
    def accepted(self) -> tuple[CheckedFact, ...]:
        """The facts to store, the marked ones included."""
        return tuple(fact for fact in self.facts if fact.is_accepted)

    @property
    def rejected(self) -> tuple[CheckedFact, ...]:
        """The facts not to store."""
        return tuple(fact for fact in self.facts if not fact.is_accepted)

    def raise_if_rejected(self) -> None:
        """Raises FactNotGroundedError, with all rejected facts, if there is any."""
        raise_if_any(self.rejected)

    @property
    def detection_id(self) -> str:
        """The id of what this call found: `Run.detection_id`; empty if the call failed."""
        return "" if self.run is None else self.run.detection_id

    def __len__(self) -> int:
        return len(self.facts)

    @overload
    def __getitem__(self, index: int) -> CheckedFact: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[CheckedFact, ...]: ...

    def __getitem__(self, index: int | slice) -> CheckedFact | tuple[CheckedFact, ...]:
        return self.facts[index]


def raise_if_any(rejected: tuple[CheckedFact, ...]) -> None:
    """Raises FactNotGroundedError for these facts, unless there is none."""
    if rejected:
        raise FactNotGroundedError(rejected)
