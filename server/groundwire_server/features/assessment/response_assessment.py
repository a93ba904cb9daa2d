"""The ResponseAssessment service: a response to the use case, and its assessment to a response."""

from functools import partial

from groundwire.v1 import response_assessment_pb2 as pb
from groundwire.v1 import response_assessment_pb2_grpc as pb_grpc
from groundwire_server.features.assessment.assessment_messages import (
    assessment_input,
    assessment_response,
    outcomes_of,
)
from groundwire_server.features.detection import detection_messages as messages
from groundwire_server.features.detection.parts import Parts
from groundwire_server.records.detections import Judged
from groundwire_server.rpc.calls import Context
from groundwire_verifier.checks.assessment.assess import AssessmentCall, ResponseAssessor
from groundwire_verifier.checks.assessment.requests import check_exchange
from groundwire_verifier.domain.claims import ClaimOptions
from groundwire_verifier.session import Session


class ResponseAssessmentService(pb_grpc.ResponseAssessmentServicer):
    """Answers the call of the contract."""

    def __init__(self, parts: Parts, assessor: ResponseAssessor) -> None:
        self._assessor = assessor
        self._parts = parts

    async def AssessResponse(  # noqa: N802 - named by the contract
        self, request: pb.AssessResponseRequest, context: Context
    ) -> pb.AssessResponseResponse:
        """Assess a response."""
        parts, calls = self._parts, self._parts.calls
        detection = calls.detecting("AssessResponse", parts.timeout_s)
        asked = assessment_input(request, parts.settings.response_assessment_backend or "")
        check_exchange(asked, parts.verifier.backends)
        calls.admission.raise_if_draining()
        with calls.telemetry.traced_span(
            "groundwire.assess", {"groundwire.tool_calls": len(asked.exchange.tool_calls)}
        ) as headers:
            salt = calls.cache_scope.salt()
            # Each layer says how urgent its own reads are.
            session = Session(
                parts.verifier, salt, detection.arrival.urgency(1), trace_headers=headers
            )
            call = AssessmentCall(
                detection.arrival,
                session,
                parts.defaults(parts.verifier.calibration(asked.backend), None),
                partial(parts.finder.by_rules, options=ClaimOptions(), field="response"),
                partial(parts.marks.of, field="tool_calls", salt=salt),
                parts.places,
            )
            assessment = await self._assessor.assess(asked, call)
        calls.telemetry.record_assessment(assessment, detection.id)
        response = assessment_response(assessment)
        total_s = calls.record(
            detection,
            request,
            judged=tuple(map(Judged, assessment.indexes, assessment.verification.verdicts)),
            verification=assessment.verification,
            outcomes=outcomes_of(request, response),
            confidence=assessment.confidence,
        )
        response.run.CopyFrom(messages.run(detection.id, assessment.verification, total_s))
        return response
