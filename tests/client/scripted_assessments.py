"""A scripted server that answers ResponseAssessment as well."""

import grpc

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import response_assessment_pb2 as pb
from groundwire.v1.response_assessment_pb2_grpc import (
    ResponseAssessmentServicer,
    add_ResponseAssessmentServicer_to_server,
)
from tests.client.scripted_detection import RUN, DetectionServer, verdict

RESPONSE = "It is 12 °C."


class AssessmentServer(DetectionServer, ResponseAssessmentServicer):
    """As DetectionServer; every response is warned of."""

    def _add_services(self, server: grpc.Server) -> None:
        super()._add_services(server)
        add_ResponseAssessmentServicer_to_server(self, server)

    def AssessResponse(
        self, request: pb.AssessResponseRequest, context: grpc.ServicerContext
    ) -> pb.AssessResponseResponse:
        return self._answer(request, context, assessment())


def assessment() -> pb.AssessResponseResponse:
    """The plain answer: two layers doubt the response, and the third could not tell."""
    claim = detection_pb.Claim(
        content=RESPONSE,
        span=detection_pb.Span(start=0, end=len(RESPONSE)),
        confidence=0.95,
        confidence_source=detection_pb.CONFIDENCE_SOURCE_DEFAULT,
        language="en",
    )
    response = pb.AssessResponseResponse(
        is_likely_hallucination=True,
        confidence=0.75,
        suggested_action=pb.SUGGESTED_ACTION_WARN,
        reasons=[
            pb.AssessmentReason(
                layer=pb.ASSESSMENT_LAYER_HEURISTIC,
                kind=pb.ASSESSMENT_REASON_KIND_LIVE_DATA,
                text="[Heuristic] live data that no tool call gave: 12 °C",
            )
        ],
        layers=[
            pb.LayerReport(
                layer=pb.ASSESSMENT_LAYER_HEURISTIC, state=pb.LAYER_STATE_RAN, score=0.5
            ),
            pb.LayerReport(
                layer=pb.ASSESSMENT_LAYER_COMMON_SENSE,
                state=pb.LAYER_STATE_RAN,
                score=0.9,
                cut_characters=7,
            ),
            pb.LayerReport(
                layer=pb.ASSESSMENT_LAYER_DETAILED,
                state=pb.LAYER_STATE_FAILED,
                reason=pb.LAYER_REASON_OUT_OF_TIME,
            ),
        ],
        common_sense=pb.CommonSenseReport(
            makes_logical_sense=True,
            verdict=pb.COMMON_SENSE_VERDICT_LIKELY_FABRICATED,
            concerns=[pb.ASSESSMENT_REASON_KIND_FABRICATED],
            answers=[
                pb.CommonSenseAnswer(
                    question="Is something made up?",
                    kind=pb.ASSESSMENT_REASON_KIND_FABRICATED,
                    answered=True,
                    shares=detection_pb.Stance(yes=0.9, no=0.1, label_mass=0.8),
                    concern=0.9,
                )
            ],
        ),
        claims=[detection_pb.AnswerClaim(claim=claim, verdict=verdict("0.75"))],
        user_text=pb.UserText(badge="Confidence: 75%", text="Check what matters:"),
        language="en",
        run=RUN,
    )
    response.layers[0].duration.FromMilliseconds(3)
    return response
