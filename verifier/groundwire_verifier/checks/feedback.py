"""The use case of feedback: what a person says of a claim that was verified, and who may say it."""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import InvalidReason, VerifierError, Violation

MAX_NOTE_CHARACTERS = 2000
_ID = re.compile("[0-9a-f]{32}")


class FeedbackVerdict(Enum):
    """What a person says of a claim."""

    GROUNDED = "grounded"
    NOT_GROUNDED = "not grounded"
    UNSURE = "unsure"


_LABELS = {
    FeedbackVerdict.GROUNDED: 1,
    FeedbackVerdict.NOT_GROUNDED: 0,
    FeedbackVerdict.UNSURE: None,
}


class DetectionNotFoundError(VerifierError):
    """There is no such claim that the caller may speak of."""

    def __init__(self) -> None:
        """Fix the text: it says nothing about what others have asked."""
        super().__init__(
            "no detection with this id has, at this index, a verdict that takes feedback from this "
            "caller: send detection_id as the response has it, with the same token, before the "
            "server's feedback_retention is over"
        )


class FeedbackStoreError(VerifierError):
    """What should be kept cannot be written down, or read. `told` is what callers may know."""

    told = "the server cannot write the feedback down; its log has the details"


class DetectionNotStoredError(FeedbackStoreError):
    """There was such a detection of this caller, which could not be written down."""

    told = "the server could not write this detection down; its log has the details"


class ErasureError(FeedbackStoreError):
    """What should be deleted cannot be."""

    told = "the server cannot delete all of it; its log has the details: call again later"


@dataclass(frozen=True, slots=True)
class KeptClaim:
    """A claim that was verified, with what it was judged by and the numbers.

    `index` is its place in the response. Probabilities are in [0, 1], None where there is none.
    """

    index: int
    claim: str
    context: str
    verdict: str
    p1: float | None
    p0: float | None


@dataclass(frozen=True, slots=True)
class FeedbackInput:
    """Feedback as a caller sends it; `verdict` is None where it says none that is known."""

    detection_id: str
    index: int
    verdict: FeedbackVerdict | None
    note: str


@dataclass(frozen=True, slots=True)
class Feedback:
    """Feedback that may be kept, if there is such a claim."""

    detection_id: str
    index: int
    verdict: FeedbackVerdict
    note: str


@dataclass(frozen=True, slots=True)
class Corrected:
    """A claim, the model that read it, and what a person says of it."""

    kept: KeptClaim
    model: str
    feedback: Feedback

    @property
    def label(self) -> int | None:
        """What a calibration is fitted on: 1 (grounded), 0 (not), or None: nobody can tell."""
        return _LABELS[self.feedback.verdict]


class FeedbackStore(Protocol):
    """Keeps claims and what people say of them."""

    def record(self, feedback: Feedback, owner: str) -> bool:
        """Keep feedback; whether there was some before, which is gone.

        `owner` tells whose feedback it is. Raises DetectionNotFoundError, or FeedbackStoreError.
        """


def check_id(detection_id: str) -> str:
    """The same id, of a detection that is to be deleted. Raises InvalidInputError if it is none."""
    if _ID.fullmatch(detection_id) is None:
        text = "is no id of 32 hexadecimal digits; send Run.detection_id, or set all to true"
        checks.raise_any([Violation("detection_id", InvalidReason.INVALID_OPTION, text)])
    return detection_id


def check_feedback(given: FeedbackInput) -> Feedback:
    """Check what was sent. Raises InvalidInputError, or DetectionNotFoundError for what is no id.

    Whether there is such a claim, only the store knows.
    """
    found: list[Violation] = []
    if not given.detection_id:
        text = "is empty; send Run.detection_id of the response that the verdict was in"
        found.append(Violation("detection_id", InvalidReason.EMPTY_TEXT, text))
    if given.verdict is None:
        names = ", ".join(f"FEEDBACK_VERDICT_{verdict.name}" for verdict in FeedbackVerdict)
        text = f"is unset or unknown; use one of: {names}"
        found.append(Violation("verdict", InvalidReason.INVALID_OPTION, text))
    found += checks.characters(given.note, MAX_NOTE_CHARACTERS, "note", "the note")
    checks.raise_any(found)
    if _ID.fullmatch(given.detection_id) is None or given.index < 0 or given.verdict is None:
        raise DetectionNotFoundError
    return Feedback(given.detection_id, given.index, given.verdict, given.note)
