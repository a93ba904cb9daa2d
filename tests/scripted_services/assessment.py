"""What tests of assessments share: an exchange, and a scripted model with common sense."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from groundwire.v1 import response_assessment_pb2 as pb
from groundwire.v1.response_assessment_pb2_grpc import ResponseAssessmentStub
from groundwire_verifier.checks.assessment.common_sense import CommonSense
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server

if TYPE_CHECKING:
    from groundwire.v1.response_assessment_pb2_grpc import ResponseAssessmentAsyncStub

QUESTION = "What is the weather in Chamonix?"
COLD = "It's currently 12 °C with light snow in Chamonix."
WEATHER = pb.ToolCall(
    name="get_weather",
    arguments='{"city": "Chamonix"}',
    result='{"temperature": 12, "unit": "C", "conditions": "light snow"}',
)
OTHER_WEATHER = pb.ToolCall(
    name="get_weather",
    arguments='{"city": "Chamonix"}',
    result='{"temperature": 3, "unit": "C", "conditions": "light snow"}',
)
FINE = dict.fromkeys(CommonSense, (0.02, 0.95)) | {CommonSense.MAKES_SENSE: (0.95, 0.02)}
"""P(YES) and P(NO) of each question about a response that is fine."""

LAYERS = (
    pb.ASSESSMENT_LAYER_HEURISTIC,
    pb.ASSESSMENT_LAYER_COMMON_SENSE,
    (pb.ASSESSMENT_LAYER_DETAILED),
)


def assessing(*, loaded: bool = True, **changes: object) -> AbstractAsyncContextManager[Scripted]:
    """A scripted server that assesses responses."""
    return scripted_server(
        loaded=loaded,
        response_assessment_enabled=True,
        **changes,  # type: ignore[arg-type]
    )


def think(
    served: Scripted,
    answers: Mapping[CommonSense, tuple[float, ...]] | None = None,
    claims: Mapping[str, tuple[float, float]] | None = None,
) -> None:
    """Let the model answer the five questions so, and claims with evidence by what they hold.

    Without evidence a claim has 0.1.
    """
    known = {**FINE, **(answers or {})}

    def answer(prompt: str) -> tuple[float, ...] | None:
        for question, shares in known.items():
            if f"Question: {question.value}" in prompt:
                return shares
        if "[EVIDENCE REMOVED]" in prompt:
            return (0.1, 0.85)
        for text, shares in (claims or {}).items():
            if "\nClaim: " in prompt and text in prompt.rpartition("\nClaim: ")[2]:
                return shares
        return None

    served.engine.answer = answer


def stub_of(served: Scripted) -> "ResponseAssessmentAsyncStub":
    return ResponseAssessmentStub(served.channel)


async def assess(
    served: Scripted,
    response: str = COLD,
    *calls: pb.ToolCall,
    question: str = QUESTION,
    timeout_s: float = WAIT_LIMIT_S,
    **fields: object,
) -> pb.AssessResponseResponse:
    request = pb.AssessResponseRequest(
        question=question,
        response=response,
        tool_calls=calls,
        **fields,  # type: ignore[arg-type]
    )
    return await stub_of(served).AssessResponse(request, timeout=timeout_s)


def action_of(response: pb.AssessResponseResponse) -> str:
    return pb.SuggestedAction.Name(response.suggested_action)[17:]


def kinds_of(response: pb.AssessResponseResponse) -> list[str]:
    return [pb.AssessmentReasonKind.Name(reason.kind)[23:] for reason in response.reasons]


def states_of(response: pb.AssessResponseResponse) -> list[str]:
    """Of each layer RAN, or why it did not."""
    return [
        pb.LayerReason.Name(layer.reason)[13:] if layer.reason else "RAN"
        for layer in response.layers
    ]
