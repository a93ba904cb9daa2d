"""The TraceAudit service: requests to the use case of a trace, and its audit to a response."""

import logging
from dataclasses import replace

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import trace_audit_pb2 as pb
from groundwire.v1 import trace_audit_pb2_grpc as pb_grpc
from groundwire_server.features.detection import detection_requests as requests
from groundwire_server.features.detection.detection_messages import run
from groundwire_server.features.detection.evidence_marks import Marks
from groundwire_server.features.detection.messages import message, writes
from groundwire_server.features.detection.parts import Parts
from groundwire_server.records.detections import Judged
from groundwire_server.rpc.calls import Context
from groundwire_server.text_work.pool import TextTimeoutError
from groundwire_verifier.checks.answers import extract_took_too_long
from groundwire_verifier.checks.traces.audit import TraceAuditor
from groundwire_verifier.checks.traces.messages import (
    ChatCall,
    ChatMessage,
    ChatTrace,
    Step,
    chat_trace,
    check_messages,
)
from groundwire_verifier.checks.traces.step_claims import StepClaims, claims_of_steps
from groundwire_verifier.checks.traces.steps import check_claims, check_trace
from groundwire_verifier.checks.traces.trace import (
    PostHoc,
    StepAudit,
    Trace,
    TraceAudit,
    TraceInput,
)
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import InvalidReason, Violation
from groundwire_verifier.domain.evidence import Document
from groundwire_verifier.session import Session
from groundwire_verifier.verdicts.options import EvidenceInput

log = logging.getLogger("groundwire.server")


class TraceAuditService(pb_grpc.TraceAuditServicer):
    """Answers the calls of the contract."""

    def __init__(self, parts: Parts, auditor: TraceAuditor) -> None:
        self._auditor = auditor
        self._parts = parts

    async def AuditTrace(  # noqa: N802 - named by the contract
        self, request: pb.AuditTraceRequest, context: Context
    ) -> pb.AuditTraceResponse:
        parts, calls = self._parts, self._parts.calls
        detection = calls.detecting("AuditTrace", parts.timeout_s)
        arrival = detection.arrival
        asked = self._input(request)
        check_trace(asked, parts.verifier.limits, parts.verifier.backends)
        calls.admission.raise_if_draining()
        trace = await self._trace(asked)
        salt = calls.cache_scope.salt()
        with calls.admission.admit(trace.claims):
            marks: Marks = ()
            if trace.evidence is not None:
                marks = await parts.marks.of(trace.evidence, "evidence", salt)
            with calls.telemetry.traced_span(
                "groundwire.audit",
                {"groundwire.steps": len(trace.steps), "groundwire.claims": trace.claims},
            ) as headers:
                answer_by_s = arrival.answer_by_s(trace.claims)
                urgency = replace(arrival.urgency(trace.claims), waits_until_s=answer_by_s)
                session = Session(
                    parts.verifier, salt, urgency, trace_headers=headers, answer_by_s=answer_by_s
                )
                audit = await self._auditor.audit(trace, session, marks)
        calls.telemetry.record_audit(audit)
        if audit.verification.cut_short is not None:
            log.warning("%s: a trace was audited in part", audit.verification.cut_short.value)
        # The answer stands behind the last step.
        found = [*(step.verdict for step in audit.steps), audit.post_hoc.verdict]
        judged = tuple(Judged(i, verdict) for i, verdict in enumerate(found) if verdict is not None)
        outcomes = (*(step.status.name for step in audit.steps), audit.post_hoc.status.name)
        total_s = calls.record(
            detection,
            request,
            judged=judged,
            verification=audit.verification,
            outcomes=outcomes,
        )
        response = _response(audit, detection.id, total_s)
        if request.messages:
            for audited, step in zip(response.steps, trace.steps, strict=True):
                audited.text = step.text
        return response

    def _input(self, request: pb.AuditTraceRequest) -> TraceInput:
        parts = self._parts
        evidence = requests.evidence_input(request.evidence, "evidence")
        steps = tuple(Step(text, f"steps[{i}]") for i, text in enumerate(request.steps))
        question, answer = request.question, request.answer
        if request.messages:
            told = _told_by(request, evidence)
            steps, evidence = told.steps, EvidenceInput(told.sources)
            question, answer = question or told.question, answer or told.answer
        wanted = request.check_post_hoc
        options = detection_pb.VerifyOptions()
        options.CopyFrom(request.options)
        options.backend = options.backend or parts.settings.trace_auditing_backend or ""
        return TraceInput(
            steps=steps,
            evidence=evidence,
            question=question,
            answer=answer,
            options=requests.verify_options(options, parts.defaults, parts.verifier, "options"),
            check_post_hoc=(
                wanted
                if request.HasField("check_post_hoc")
                else parts.settings.trace_auditing_check_post_hoc
            ),
        )

    async def _trace(self, asked: TraceInput) -> Trace:
        """The trace with what its steps claim. Raises InvalidInputError."""
        texts = [step.text for step in asked.steps]
        with self._parts.calls.telemetry.span("groundwire.extract", {}):
            try:
                claimed = await self._parts.texts.for_text("\n".join(texts)).run(
                    claims_of_steps, texts, asked.options.include_non_assertive
                )
            except TextTimeoutError as error:
                raise extract_took_too_long("steps", error.limit_s) from None
        steps = tuple(
            found if step.result is None else StepClaims(step.text, (), result=step.result)
            for found, step in zip(claimed, asked.steps, strict=True)
        )
        check_claims(steps, self._parts.verifier.limits)
        has_evidence = asked.evidence.sources or asked.evidence.context
        return Trace(
            steps=steps,
            evidence=asked.evidence.build() if has_evidence else None,
            question=asked.question,
            answer=asked.answer,
            options=asked.options,
            check_post_hoc=asked.check_post_hoc,
        )


def _told_by(request: pb.AuditTraceRequest, evidence: EvidenceInput) -> ChatTrace:
    """The trace of a request with messages. Raises InvalidInputError."""
    messages = [
        ChatMessage(
            each.role,
            each.content,
            tuple(
                ChatCall(call.id, call.function.name, call.function.arguments)
                for call in each.tool_calls
            ),
            each.tool_call_id,
        )
        for each in request.messages
    ]
    found = check_messages(messages)
    if request.steps:
        text = "stand beside messages, whose steps they would be: send one of them"
        found.append(Violation("steps", InvalidReason.INVALID_OPTION, text))
    if evidence.context:
        text = "stands beside messages, which are evidence of their own: send it as a document"
        found.append(Violation("evidence.context", InvalidReason.INVALID_SOURCE, text))
    checks.raise_any(found)
    documents = [each for each in evidence.sources if isinstance(each, Document)]
    told = chat_trace(messages, documents)
    if not told.steps:
        text = "hold no step: nothing that the assistant said or called before its answer"
        checks.raise_any([Violation("messages", InvalidReason.EMPTY_BATCH, text)])
    return told


def _response(audit: TraceAudit, detection_id: str, total_s: float) -> pb.AuditTraceResponse:
    return message(
        pb.AuditTraceResponse,
        audit,
        first_unsupported_step=audit.first_unsupported,
        run=run(detection_id, audit.verification, total_s),
    )


@writes(StepAudit)
def _step(step: StepAudit) -> pb.StepAudit:
    return message(
        pb.StepAudit,
        step,
        text=None,
        unverifiable_reason=step.unverifiable,
        non_assertive_reason=step.non_assertive,
    )


@writes(PostHoc)
def _post_hoc(check: PostHoc) -> pb.PostHoc:
    return message(pb.PostHoc, check, derived_answer=check.derived)
