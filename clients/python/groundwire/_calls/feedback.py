"""The calls that store what a person says of a verdict, and that delete what is kept."""

from functools import partial

from groundwire._wire.calls import Call
from groundwire._wire.fields import checked_int32, checked_text
from groundwire._wire.reading import read
from groundwire.errors import ErrorReason
from groundwire.feedback import ErasedDetections, FeedbackVerdict, RecordedFeedback
from groundwire.v1 import feedback_pb2 as pb


def record_feedback(
    detection_id: str, index: int, verdict: FeedbackVerdict, note: str
) -> Call[pb.RecordFeedbackResponse, RecordedFeedback]:
    """Feedback on one verdict. Raises InvalidRequestError for what cannot be sent."""
    request = pb.RecordFeedbackRequest(
        detection_id=checked_text("detection_id", detection_id),
        index=checked_int32("index", index, ErrorReason.INVALID_OPTION),
        verdict=f"FEEDBACK_VERDICT_{FeedbackVerdict(verdict)}",
        note=checked_text("note", note),
    )
    return Call(
        "Feedback/RecordFeedback",
        request,
        pb.RecordFeedbackResponse,
        partial(read, RecordedFeedback),
    )


def erase_detection(
    detection_id: str,
) -> Call[pb.EraseDetectionsResponse, ErasedDetections]:
    """Delete one detection. Raises InvalidRequestError for what cannot be sent."""
    detection_id = checked_text("detection_id", detection_id)
    return _erase(pb.EraseDetectionsRequest(detection_id=detection_id))


def erase_all_detections() -> Call[pb.EraseDetectionsResponse, ErasedDetections]:
    """Delete all detections of the caller."""
    return _erase(pb.EraseDetectionsRequest(all=True))


def _erase(
    request: pb.EraseDetectionsRequest,
) -> Call[pb.EraseDetectionsResponse, ErasedDetections]:
    return Call(
        "Feedback/EraseDetections",
        request,
        pb.EraseDetectionsResponse,
        partial(read, ErasedDetections),
    )
