"""The call that assesses a response with its tool calls."""

from collections.abc import Iterable

from groundwire._calls.answers import read_answer_claims
from groundwire._calls.verdicts import read_run, read_stance
from groundwire._wire.calls import Call
from groundwire._wire.fields import (
    by_number,
    checked_text,
    duration_s,
    names_of,
    optional,
    refused,
    require,
    share,
)
from groundwire.assessments import (
    AssessmentLayer,
    AssessmentReason,
    AssessmentReasonKind,
    CommonSenseAnswer,
    CommonSenseReport,
    CommonSenseVerdict,
    LayerReason,
    LayerReport,
    LayerState,
    ResponseAssessment,
    SuggestedAction,
    ToolCall,
    UserText,
)
from groundwire.errors import ErrorReason, InvalidResponseError
from groundwire.v1 import response_assessment_pb2 as pb

_LAYERS = by_number(AssessmentLayer, pb.AssessmentLayer.items(), "ASSESSMENT_LAYER_")
_STATES = by_number(LayerState, pb.LayerState.items(), "LAYER_STATE_")
_REASONS = by_number(LayerReason, pb.LayerReason.items(), "LAYER_REASON_")
_ACTIONS = by_number(SuggestedAction, pb.SuggestedAction.items(), "SUGGESTED_ACTION_")
_KINDS = by_number(AssessmentReasonKind, pb.AssessmentReasonKind.items(), "ASSESSMENT_REASON_KIND_")
_VERDICTS = by_number(CommonSenseVerdict, pb.CommonSenseVerdict.items(), "COMMON_SENSE_VERDICT_")

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
    found = ResponseAssessment(
        is_likely_hallucination=response.is_likely_hallucination,
        confidence=optional(response, "confidence", share),
        suggested_action=_ACTIONS.get(response.suggested_action, SuggestedAction.UNKNOWN),
        reasons=tuple(
            AssessmentReason(_layer(each.layer), _kind(each.kind), each.text)
            for each in response.reasons
        ),
        layers=tuple(_report(report) for report in response.layers),
        common_sense=(
            _common_sense(response.common_sense) if response.HasField("common_sense") else None
        ),
        claims=read_answer_claims(response.claims, characters),
        user_text=UserText(
            response.user_text.badge, response.user_text.text, response.user_text.hides_response
        ),
        language=response.language,
        run=read_run(response.run),
    )
    _check(found)
    return found


def _report(message: pb.LayerReport) -> LayerReport:
    reason = message.reason
    report = LayerReport(
        layer=_layer(message.layer),
        state=_STATES.get(message.state, LayerState.UNKNOWN),
        reason=_REASONS.get(reason, LayerReason.UNKNOWN) if reason else None,
        score=optional(message, "score", share),
        duration_s=duration_s(message.duration),
        cut_characters=message.cut_characters,
    )
    if report.state is LayerState.UNKNOWN:
        return report
    ran = report.state is LayerState.RAN
    if ran != (report.score is not None) or ran != (report.reason is None):
        raise InvalidResponseError(
            f"{report.layer} is {report.state} with the score {report.score} and the reason "
            f"{report.reason}"
        )
    return report


def _common_sense(message: pb.CommonSenseReport) -> CommonSenseReport:
    return CommonSenseReport(
        makes_logical_sense=(
            message.makes_logical_sense if message.HasField("makes_logical_sense") else None
        ),
        has_contradictions=(
            message.has_contradictions if message.HasField("has_contradictions") else None
        ),
        verdict=_VERDICTS.get(message.verdict, CommonSenseVerdict.UNKNOWN),
        concerns=tuple(_kind(number) for number in message.concerns),
        answers=tuple(
            CommonSenseAnswer(
                question=each.question,
                kind=_kind(each.kind),
                answered=each.answered,
                shares=read_stance(each.shares) if each.HasField("shares") else None,
                concern=share("concern", each.concern),
            )
            for each in message.answers
        ),
    )


def _layer(number: int) -> AssessmentLayer:
    return _LAYERS.get(number, AssessmentLayer.UNKNOWN)


def _kind(number: int) -> AssessmentReasonKind:
    return _KINDS.get(number, AssessmentReasonKind.UNKNOWN)


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
