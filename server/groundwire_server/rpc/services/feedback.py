"""The Feedback service: what people say of verdicts, to the use case and to the store.

Knows the contract. Exceptions pass through to the interceptors.
"""

from groundwire.v1 import feedback_pb2 as pb
from groundwire.v1 import feedback_pb2_grpc as pb_grpc
from groundwire_server.records.kept_feedback import KeptFeedback
from groundwire_server.rpc.calls import Calls, Context
from groundwire_server.rpc.status import NotEnabledError
from groundwire_verifier.feedback import FeedbackInput, FeedbackVerdict, check_feedback

_VERDICTS = {
    pb.FEEDBACK_VERDICT_GROUNDED: FeedbackVerdict.GROUNDED,
    pb.FEEDBACK_VERDICT_NOT_GROUNDED: FeedbackVerdict.NOT_GROUNDED,
    pb.FEEDBACK_VERDICT_UNSURE: FeedbackVerdict.UNSURE,
}


class FeedbackService(pb_grpc.FeedbackServicer):
    """Answers the call of the contract. Without `kept`, `off_switch` is what keeps it off."""

    def __init__(self, calls: Calls, kept: KeptFeedback | None, off_switch: str | None) -> None:
        self._calls = calls
        self._kept = kept
        self._off_switch = off_switch

    async def RecordFeedback(  # noqa: N802 - named by the contract
        self, request: pb.RecordFeedbackRequest, context: Context
    ) -> pb.RecordFeedbackResponse:
        """Store what a person says of a claim."""
        if self._kept is None:
            raise NotEnabledError("feedback", self._off_switch or "feedback_enabled")
        feedback = check_feedback(
            FeedbackInput(
                request.detection_id, request.index, _VERDICTS.get(request.verdict), request.note
            )
        )
        self._calls.admission.raise_if_draining()
        replaced = await self._kept.record(feedback, self._calls.owner())
        self._calls.telemetry.record_feedback(feedback.verdict.name)
        return pb.RecordFeedbackResponse(replaced=replaced)
