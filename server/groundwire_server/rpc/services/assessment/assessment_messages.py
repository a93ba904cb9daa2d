"""Requests for assessments as inputs of the use case, and assessments as messages."""

from collections.abc import Collection

from google.protobuf import duration_pb2

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import response_assessment_pb2 as pb
from groundwire_server.rpc.services import detection_messages
from groundwire_server.rpc.services.detection_messages import name_in
from groundwire_server.rpc.services.detection_requests import choice_of
from groundwire_verifier.assessment.assessment import (
    Assessment,
    AssessmentInput,
    AssessmentLayer,
    CommonSenseAnswer,
    CommonSenseReport,
    LayerReport,
    ReasonKind,
)
from groundwire_verifier.assessment.exchange import Exchange, ToolCall
from groundwire_verifier.assessment.sense import KINDS
from groundwire_verifier.assessment.user_texts import reason_text, user_text
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import InvalidReason, Violation


def assessment_input(request: pb.AssessResponseRequest, backend: str) -> AssessmentInput:
    """What a request asks, of `backend` where it names none.

    Raises InvalidInputError for an unknown layer, or a call that has no outcome.
    """
    calls = tuple(_tool_call(call, f"tool_calls[{i}]") for i, call in enumerate(request.tool_calls))
    layers = tuple(
        choice_of(AssessmentLayer, pb.AssessmentLayer, number, f"layers[{i}]")
        for i, number in enumerate(request.layers)
    )
    return AssessmentInput(
        exchange=Exchange(request.question, request.response, calls),
        layers=layers or tuple(AssessmentLayer),
        language=request.language,
        backend=request.backend or backend,
        skip_result_cache=request.skip_result_cache,
    )


def assessment_response(value: Assessment) -> pb.AssessResponseResponse:
    """An assessment with every number behind it. What it cost is not in it yet."""
    text = user_text(value)
    return pb.AssessResponseResponse(
        is_likely_hallucination=value.is_likely_hallucination,
        confidence=value.confidence,
        suggested_action=name_in(pb.SuggestedAction, value.action),
        reasons=[
            pb.AssessmentReason(
                layer=name_in(pb.AssessmentLayer, report.layer),
                kind=_kind(finding.kind),
                text=reason_text(report.layer, finding, value.language),
            )
            for report in value.layers
            for finding in report.findings
        ],
        layers=[_layer(report) for report in value.layers],
        common_sense=None if value.common_sense is None else _sense(value, value.common_sense),
        claims=[detection_messages.answer_claim(claim) for claim in value.claims],
        user_text=pb.UserText(badge=text.badge, text=text.text, hides_response=text.hides_response),
        language=value.language,
    )


def outcomes_of(
    request: pb.AssessResponseRequest, response: pb.AssessResponseResponse
) -> tuple[str, ...]:
    """The outcomes of a detection: the action, and of each layer asked what became of it."""
    asked: Collection[int] = request.layers or pb.AssessmentLayer.values()
    layers = (
        f"{pb.AssessmentLayer.Name(report.layer).removeprefix('ASSESSMENT_LAYER_')}/"
        + (
            pb.LayerReason.Name(report.reason).removeprefix("LAYER_REASON_")
            if report.reason
            else pb.LayerState.Name(report.state).removeprefix("LAYER_STATE_")
        )
        for report in response.layers
        if report.layer in asked
    )
    action = pb.SuggestedAction.Name(response.suggested_action)
    return (action.removeprefix("SUGGESTED_ACTION_"), *layers)


def _tool_call(message: pb.ToolCall, field: str) -> ToolCall:
    outcome = message.WhichOneof("outcome")
    wrong = ""
    if outcome is None:
        wrong = "has neither a result nor an error; send what came back, empty if nothing did"
    elif outcome == "error" and not checks.has_visible_character(message.error):
        wrong = "has an error without a visible character; send what the call failed with"
    if wrong:
        checks.raise_any([Violation(field, InvalidReason.INVALID_TOOL_CALL, wrong)])
    duration_s = None
    if message.HasField("duration"):
        duration_s = message.duration.seconds + message.duration.nanos / 1e9
        if duration_s < 0.0:
            words = f"is {duration_s:g} s; it must be at least 0"
            path = f"{field}.duration"
            checks.raise_any([Violation(path, InvalidReason.INVALID_TOOL_CALL, words)])
    return ToolCall(message.name, message.arguments, message.result, message.error, duration_s)


def _layer(report: LayerReport) -> pb.LayerReport:
    reason = report.reason
    return pb.LayerReport(
        layer=name_in(pb.AssessmentLayer, report.layer),
        state=name_in(pb.LayerState, report.state),
        reason=None if reason is None else name_in(pb.LayerReason, reason),
        score=report.score,
        duration=_duration(report.duration_s),
        cut_characters=report.cut_characters,
    )


def _sense(value: Assessment, report: CommonSenseReport) -> pb.CommonSenseReport:
    found = next(r for r in value.layers if r.layer is AssessmentLayer.COMMON_SENSE)
    worrying = {finding.kind for finding in found.findings}
    unanswered = {KINDS[answer.question] for answer in report.answers if not answer.answered}
    message = pb.CommonSenseReport(
        verdict=name_in(pb.CommonSenseVerdict, report.verdict),
        concerns=[
            _kind(KINDS[answer.question])
            for answer in report.answers
            if KINDS[answer.question] in worrying | unanswered
        ],
        answers=[_answer(answer) for answer in report.answers],
    )
    if report.makes_logical_sense is not None:
        message.makes_logical_sense = report.makes_logical_sense
    if report.has_contradictions is not None:
        message.has_contradictions = report.has_contradictions
    return message


def _answer(value: CommonSenseAnswer) -> pb.CommonSenseAnswer:
    shares = value.shares
    return pb.CommonSenseAnswer(
        question=value.question.value,
        kind=_kind(KINDS[value.question]),
        answered=value.answered,
        shares=(
            detection_pb.Stance(
                yes=shares.yes,
                no=shares.no,
                unsure=shares.unsure,
                label_mass=shares.label_mass,
            )
            if shares.label_mass > 0.0
            else None
        ),
        concern=value.concern,
    )


def _kind(kind: ReasonKind) -> str:
    return name_in(pb.AssessmentReasonKind, kind)


def _duration(seconds: float) -> duration_pb2.Duration:
    message = duration_pb2.Duration()
    message.FromNanoseconds(int(seconds * 1e9))
    return message
