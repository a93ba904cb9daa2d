"""What a person says of a verdict, so that a server's calibration can learn from it, and what a
server has deleted of what it keeps.
"""

from dataclasses import dataclass
from enum import StrEnum


class FeedbackVerdict(StrEnum):
    """What a person says of a claim."""

    GROUNDED = "GROUNDED"
    """The evidence carries the claim."""
    NOT_GROUNDED = "NOT_GROUNDED"
    """The evidence does not carry the claim, or says otherwise."""
    UNSURE = "UNSURE"
    """The person cannot tell. It is kept, and no calibration is fitted on it."""


@dataclass(frozen=True, slots=True)
class RecordedFeedback:
    """The answer to `record_feedback`: it is stored."""

    replaced: bool
    """Whether there was feedback on this claim before, which is gone now."""


@dataclass(frozen=True, slots=True)
class ErasedDetections:
    """The answer to `erase_detection` and `erase_all_detections`: how much is gone."""

    feedback: int
    """Detections that are gone from the feedback file, with their feedback."""
    outputs: int
    """Outputs that are gone from the queue and its results."""
    audit_lines: int
    """Lines that are gone from the files of the audit record."""
