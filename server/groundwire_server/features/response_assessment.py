"""The ResponseAssessment service: requests as inputs of the use case, assessments as messages."""

import json
from collections.abc import Collection
from functools import partial

from groundwire.v1 import response_assessment_pb2 as pb
from groundwire.v1 import response_assessment_pb2_grpc as pb_grpc
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError, read_bytes
from groundwire_server.features.detection import detection_messages as messages
from groundwire_server.features.detection.detection_requests import choice_of
from groundwire_server.features.detection.messages import duration, message, writes
from groundwire_server.features.detection.parts import Parts
from groundwire_server.records.detections import Judged
from groundwire_server.rpc.calls import Context
from groundwire_verifier.checks.assessment.assess import AssessmentCall, ResponseAssessor
from groundwire_verifier.checks.assessment.assessment import (
    Assessment,
    AssessmentInput,
    AssessmentLayer,
    CommonSenseAnswer,
    CommonSenseReport,
    LayerReport,
)
from groundwire_verifier.checks.assessment.exchange import Exchange, ToolCall
from groundwire_verifier.checks.assessment.patterns import Patterns, checked_tables
from groundwire_verifier.checks.assessment.requests import check_exchange
from groundwire_verifier.checks.assessment.sense import KINDS
from groundwire_verifier.checks.assessment.user_texts import reason_text, user_text
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import ClaimOptions
from groundwire_verifier.domain.errors import InvalidReason, Violation
from groundwire_verifier.session import Session

PATTERNS_SETTING = "response_assessment_patterns_file"
"""The operator's own words for the first layer."""


class ResponseAssessmentService(pb_grpc.ResponseAssessmentServicer):
    """Answers the call of the contract."""

    def __init__(self, parts: Parts, assessor: ResponseAssessor) -> None:
        self._assessor = assessor
        self._parts = parts

    async def AssessResponse(  # noqa: N802 - named by the contract
        self, request: pb.AssessResponseRequest, context: Context
    ) -> pb.AssessResponseResponse:
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
    reasons = [
        pb.AssessmentReason(
            layer=f"ASSESSMENT_LAYER_{report.layer.name}",
            kind=f"ASSESSMENT_REASON_KIND_{finding.kind.name}",
            text=reason_text(report.layer, finding, value.language),
        )
        for report in value.layers
        for finding in report.findings
    ]
    return message(
        pb.AssessResponseResponse,
        value,
        suggested_action=value.action,
        reasons=reasons,
        common_sense=None if value.common_sense is None else _sense(value, value.common_sense),
        user_text=user_text(value),
        run=None,
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


@writes(LayerReport)
def _layer(report: LayerReport) -> pb.LayerReport:
    return message(pb.LayerReport, report, duration=duration(report.duration_s))


def _sense(value: Assessment, report: CommonSenseReport) -> pb.CommonSenseReport:
    found = next(r for r in value.layers if r.layer is AssessmentLayer.COMMON_SENSE)
    worrying = {finding.kind for finding in found.findings}
    worrying |= {KINDS[answer.question] for answer in report.answers if not answer.answered}
    kinds = [KINDS[answer.question] for answer in report.answers]
    return message(
        pb.CommonSenseReport, report, concerns=[kind for kind in kinds if kind in worrying]
    )


@writes(CommonSenseAnswer)
def _answer(value: CommonSenseAnswer) -> pb.CommonSenseAnswer:
    return message(
        pb.CommonSenseAnswer,
        value,
        question=value.question.value,
        kind=KINDS[value.question],
        shares=value.shares if value.shares.label_mass > 0.0 else None,
    )


def read_patterns(settings: ServerSettings) -> Patterns:
    """The patterns that ship and those of the file, where one is set.

    Raises ConfigError if the file cannot be read, or is not what it has to be.
    """
    path = settings.response_assessment_patterns_file
    if path is None:
        return Patterns()
    data = read_bytes(path.expanduser(), PATTERNS_SETTING)
    try:
        return Patterns(checked_tables(json.loads(data)))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{PATTERNS_SETTING}: {path}: {error}") from error
