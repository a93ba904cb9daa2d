"""The Feedback service: what people say of verdicts is kept, and what is kept is erased."""

from collections.abc import Awaitable, Callable

from groundwire.v1 import feedback_pb2 as pb
from groundwire.v1 import feedback_pb2_grpc as pb_grpc
from groundwire_server.features.detection.parts import Parts
from groundwire_server.records.detections import detection_id_of
from groundwire_server.records.records import Records
from groundwire_server.rpc.calls import Context
from groundwire_server.rpc.status import NotEnabledError
from groundwire_verifier.checks.feedback import (
    FeedbackInput,
    FeedbackVerdict,
    check_feedback,
    check_id,
)

EraseOutputs = Callable[[str, frozenset[str] | None], Awaitable[int]]
"""Deletes outputs of an owner by ids of theirs or of their detections, or all; how many."""

_VERDICTS = {
    pb.FEEDBACK_VERDICT_GROUNDED: FeedbackVerdict.GROUNDED,
    pb.FEEDBACK_VERDICT_NOT_GROUNDED: FeedbackVerdict.NOT_GROUNDED,
    pb.FEEDBACK_VERDICT_UNSURE: FeedbackVerdict.UNSURE,
}


class FeedbackService(pb_grpc.FeedbackServicer):
    """Answers the calls of the contract.

    Where `records` keep nothing for feedback, `off_switch` is what keeps it off. `erase_outputs` is
    None where outputs are switched off.
    """

    def __init__(
        self,
        parts: Parts,
        records: Records,
        erase_outputs: EraseOutputs | None,
    ) -> None:
        self._parts = parts
        self._calls = parts.calls
        self._records = records
        self._erase_outputs = erase_outputs

    async def RecordFeedback(  # noqa: N802 - named by the contract
        self, request: pb.RecordFeedbackRequest, context: Context
    ) -> pb.RecordFeedbackResponse:
        """Store what a person says of a claim."""
        kept = self._records.feedback
        if kept is None:
            raise NotEnabledError("feedback", self._parts.settings.off_switch("feedback") or "")
        feedback = check_feedback(
            FeedbackInput(
                request.detection_id, request.index, _VERDICTS.get(request.verdict), request.note
            )
        )
        self._calls.admission.raise_if_draining()
        replaced = await kept.record(feedback, self._calls.owner())
        self._calls.telemetry.record_feedback(feedback.verdict.name)
        return pb.RecordFeedbackResponse(replaced=replaced)

    async def EraseDetections(  # noqa: N802 - named by the contract
        self, request: pb.EraseDetectionsRequest, context: Context
    ) -> pb.EraseDetectionsResponse:
        """Delete what is kept of a caller's detections."""
        ids: frozenset[str] | None = None
        if not request.all:
            given = check_id(request.detection_id)
            # It may be that of an output.
            ids = frozenset((given, detection_id_of(given)))
        self._calls.admission.raise_if_draining()
        owner = self._calls.owner()
        # First, since one that ends meanwhile is told to the others.
        outputs = 0
        if self._erase_outputs is not None:
            outputs = await self._erase_outputs(owner, ids)
        feedback, audit_lines = await self._records.erase(owner, ids)
        return pb.EraseDetectionsResponse(
            feedback=feedback, outputs=outputs, audit_lines=audit_lines
        )
