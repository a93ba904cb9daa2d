"""The call that assesses a response with its tool calls."""

from collections.abc import Iterable

from groundwire._calls.answers import read_answer_claims
from groundwire._wire.calls import Call
from groundwire._wire.fields import (
    checked_text,
    duration_s,
    names_of,
    refused,
    require,
)
from groundwire._wire.reading import read, reads
from groundwire.assessments import (
    AssessmentLayer,
    LayerReport,
    LayerState,
    ResponseAssessment,
    SuggestedAction,
    ToolCall,
)
from groundwire.errors import ErrorReason, InvalidResponseError
from groundwire.v1 import response_assessment_pb2 as pb

_KNOWN_LAYERS = tuple(layer for layer in AssessmentLayer if layer is not AssessmentLayer.UNKNOWN)
_SENT_LAYERS = names_of(AssessmentLayer, pb.AssessmentLayer.keys(), "ASSESSMENT_LAYER_")


def assess_response(
    response: str,
    tool_calls: Iterable[ToolCall],
    *,
    question: str,
    layers: Iterable[AssessmentLayer],
    language: str,
    backend: str,
    skip_result_cache: bool,
) -> Call[pb.AssessResponseResponse, ResponseAssessment]:
    """The assessment of a response. Raises as `extract_claims`."""
    request = pb.AssessResponseRequest(
        question=checked_text("question", question),
        response=checked_text("response", response),
        tool_calls=[_tool_call(f"tool_calls[{i}]", call) for i, call in enumerate(tool_calls)],
        layers=[_sent_layer(f"layers[{i}]", each) for i, each in enumerate(layers)],
        language=checked_text("language", language),
        backend=checked_text("backend", backend),
        skip_result_cache=skip_result_cache,
    )
    return Call(
        "ResponseAssessment/AssessResponse",
        request,
        pb.AssessResponseResponse,
        lambda answer: _response_assessment(answer, len(response)),
    )


def _sent_layer(path: str, layer: AssessmentLayer) -> str:
    if layer not in _SENT_LAYERS:
        raise refused(path, f"{layer} cannot be asked for", ErrorReason.INVALID_OPTION)
    return _SENT_LAYERS[layer]


def _tool_call(path: str, call: ToolCall) -> pb.ToolCall:
    message = pb.ToolCall(
        name=checked_text(f"{path}.name", call.name),
        arguments=checked_text(f"{path}.arguments", call.arguments),
    )
    if call.result is not None:
        message.result = checked_text(f"{path}.result", call.result)
    if call.error is not None:
        if call.result is not None:
            text = "has a result and an error; give the one that the call ended with"
            raise refused(path, text, ErrorReason.INVALID_TOOL_CALL)
        message.error = checked_text(f"{path}.error", call.error)
    if call.duration_s is not None:
        message.duration.FromNanoseconds(round(call.duration_s * 1e9))
    return message


def _response_assessment(
    response: pb.AssessResponseResponse, characters: int
) -> ResponseAssessment:
    """Reads the assessment of a response of so many characters."""
    require(response, "user_text", "run")
    claims = read_answer_claims(response.claims, characters)
    found = read(ResponseAssessment, response, claims=claims)
    _check(found)
    return found


@reads(LayerReport)
def _report(message: pb.LayerReport) -> LayerReport:
    report = read(LayerReport, message, duration_s=duration_s(message.duration))
    if report.state is LayerState.UNKNOWN:
        return report
    ran = report.state is LayerState.RAN
    if ran != (report.score is not None) or ran != (report.reason is None):
        raise InvalidResponseError(
            f"{report.layer} is {report.state} with the score {report.score} and the reason "
            f"{report.reason}"
        )
    return report


def _check(found: ResponseAssessment) -> None:
    layers = tuple(report.layer for report in found.layers)
    if layers[: len(_KNOWN_LAYERS)] != _KNOWN_LAYERS:
        raise InvalidResponseError(f"reports of the layers {layers}, and not of all in their order")
    unsure = found.confidence is None or any(
        report.state is LayerState.FAILED for report in found.layers
    )
    if found.suggested_action is SuggestedAction.NONE and (unsure or found.is_likely_hallucination):
        raise InvalidResponseError("a response that is called fine, and by its layers is not")
    hides = found.suggested_action is SuggestedAction.BLOCK
    if found.user_text.hides_response != hides:
        raise InvalidResponseError(f"{found.suggested_action} with a user text for another action")
