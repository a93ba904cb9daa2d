"""What an agent has said, and what the server finds of it in the background."""

from dataclasses import dataclass
from enum import StrEnum

from groundwire.reports import AnswerReport
from groundwire.verdicts import AnswerClaim


class TurnRole(StrEnum):
    """Who speaks in a turn."""

    SYSTEM = "SYSTEM"
    """The operator of the agent. Its turns are evidence."""
    USER = "USER"
    """The user. Its turns are evidence."""
    ASSISTANT = "ASSISTANT"
    """The agent itself. Its turns are evidence for nothing."""
    TOOL = "TOOL"
    """A tool, with what it returned. Its turns are evidence."""
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: TurnRole
    """Who speaks."""
    text: str
    """What is said, or what a tool returned. Without a visible character it is left out."""
    id: str = ""
    """The id under which the response may cite it, as `Document.id`. Empty: "turn-N", with N
    counted from 1 over all turns."""
    name: str = ""
    """The name of the tool or of whoever speaks, shown to the model. Empty: the role."""


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """One JSON value, and nothing around it but white space."""

    schema: str = ""
    """A JSON Schema as JSON text; empty: any value. Nothing outside of it is followed."""


@dataclass(frozen=True, slots=True)
class ListFormat:
    """A list: lines that begin with a bullet, or with a number or letter and "." or ")"."""

    min_items: int | None = None
    """The fewest items, at least 1. None: 1."""
    max_items: int | None = None
    """The most items, at least `min_items`. None: any number."""


@dataclass(frozen=True, slots=True)
class StatedFormat:
    """The form that a response was asked to have. It is checked by rules."""

    kind: JsonFormat | ListFormat | None = None
    """Of what kind it is. None: any text."""
    max_characters: int | None = None
    """The most characters, at least 1. None: any number."""


class VerificationState(StrEnum):
    """How far a verification is."""

    QUEUED = "QUEUED"
    """Accepted; it waits. It can come back to this state from RUNNING."""
    RUNNING = "RUNNING"
    """It is being read."""
    DONE = "DONE"
    """Final: the result is there."""
    SKIPPED = "SKIPPED"
    """Final: it was not accepted, and is not going to be verified."""
    FAILED = "FAILED"
    """Final: it can never be verified."""
    UNKNOWN = "UNKNOWN"


class SkipReason(StrEnum):
    """Why an output was skipped."""

    QUEUE_FULL = "QUEUE_FULL"
    """As much is queued as the operator allows."""
    OVERLOADED = "OVERLOADED"
    """The server has too much to do that someone waits for."""
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class FormatViolation:
    """One way in which a response differs from its stated format."""

    pointer: str
    """Where, as a JSON pointer. Empty: the response as a whole."""
    description: str
    """What is wrong, in English."""


@dataclass(frozen=True, slots=True)
class VerifiedOutput:
    """The result of a verification."""

    report: AnswerReport
    """The claims with their verdicts, the summary and what it cost."""
    format_violations: tuple[FormatViolation, ...]
    """How the response differs from the stated format. Empty: not at all, or none was stated."""
    risk_bits: float
    """The bits of evidence that the response lacks, at least 0, over all of its claims."""
    unread_claims: int
    """Claims that nothing is known of, so that the risk may be larger."""
    flagged: bool
    """Whether `risk_bits` is above `flag_threshold_bits`."""
    flag_threshold_bits: float
    """The operator's threshold."""
    instruction: str
    """What to tell the agent so that it corrects itself, in the language of the response. Empty:
    there is nothing to correct."""

    @property
    def claims(self) -> tuple[AnswerClaim, ...]:
        """The claims of the response with their verdicts."""
        return self.report.claims


@dataclass(frozen=True, slots=True)
class VerificationStatus:
    """How far a verification is."""

    id: str
    """What it is asked for by."""
    state: VerificationState
    """How far it is."""
    read_claims: int
    """The claims that have a verdict so far, while it runs."""
    total_claims: int
    """The claims that are verified, while it runs; 0 until they are known."""
    skip_reason: SkipReason | None
    """Why it was skipped; None: it was not."""
    failure_reason: str
    """Why it failed, one of `ErrorReason`. Empty: it has not."""
    state_text: str
    """Why it waits, was skipped or failed, in English."""
    result: VerifiedOutput | None
    """The result; None: it is not there, or never will be."""

    @property
    def is_final(self) -> bool:
        """Whether nothing follows."""
        return self.state in _FINAL


_FINAL = (VerificationState.DONE, VerificationState.SKIPPED, VerificationState.FAILED)
