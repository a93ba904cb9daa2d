"""The call that stores what a person says of a verdict. Knows nothing of channels."""

from groundwire._wire.calls import Call
from groundwire._wire.fields import checked_int32, checked_text
from groundwire.errors import ErrorReason
from groundwire.feedback import FeedbackVerdict, RecordedFeedback
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
        lambda response: RecordedFeedback(replaced=response.replaced),
    )
