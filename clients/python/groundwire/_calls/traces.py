"""The call that audits a trace."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from groundwire._calls.inputs import sent_evidence, sent_verify_options
from groundwire._calls.verdicts import read_verified
from groundwire._wire.calls import Call
from groundwire._wire.fields import checked_text, checked_texts, require
from groundwire._wire.reading import read
from groundwire.errors import InvalidResponseError
from groundwire.inputs import Evidence, VerifyOptions
from groundwire.traces import (
    AuditedStep,
    ChatMessage,
    PostHoc,
    PostHocReason,
    PostHocStatus,
    StepStatus,
    TraceAudit,
    UnverifiableReason,
)
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import trace_audit_pb2 as pb
from groundwire.verdicts import Verdict, VerifiedClaim

_UNSUPPORTED = (StepStatus.CONTRADICTED, StepStatus.NOT_IN_CONTEXT)
_UNWANTED = (PostHocReason.NO_ANSWER, PostHocReason.NOT_ASKED)


def audit_trace(
    steps: Iterable[str] | Iterable[ChatMessage],
    context: Evidence | str,
    answer: str,
    question: str,
    options: VerifyOptions | None,
    *,
    check_post_hoc: bool | None,
) -> Call[pb.AuditTraceResponse, TraceAudit]:
    """The audit of a trace. An empty context is none.

    Raises as `extract_claims`, and TypeError for messages of another shape.
    """
    given = steps if isinstance(steps, str) else list(steps)
    messages = [each for each in given if isinstance(each, Mapping)]
    if messages and len(messages) < len(given):
        raise TypeError("steps are texts or chat messages, and not both")
    texts = [] if messages else checked_texts("steps", cast("Iterable[str]", given))
    request = pb.AuditTraceRequest(
        steps=texts,
        messages=[_sent_message(each, f"steps[{i}]") for i, each in enumerate(messages)],
        evidence=sent_evidence("evidence", context) if context else None,
        question=checked_text("question", question),
        answer=checked_text("answer", answer),
        options=sent_verify_options("options", options),
    )
    if check_post_hoc is not None:
        request.check_post_hoc = check_post_hoc
    return Call(
        "TraceAudit/AuditTrace",
        request,
        pb.AuditTraceResponse,
        lambda response: _trace_audit(response, request),
    )


def _sent_message(message: ChatMessage, at: str) -> pb.ChatMessage:
    calls = message.get("tool_calls") or []
    if not isinstance(calls, Sequence) or isinstance(calls, str):
        raise TypeError(f"{at}['tool_calls'] must be a list")
    return pb.ChatMessage(
        role=_text_of(message, "role", at),
        content=_content_of(message.get("content"), f"{at}['content']"),
        tool_calls=[_sent_call(each, f"{at}['tool_calls'][{i}]") for i, each in enumerate(calls)],
        tool_call_id=_text_of(message, "tool_call_id", at),
    )


def _sent_call(call: object, at: str) -> pb.ChatToolCall:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(function, Mapping):
        raise TypeError(f"{at} must have a function with name and arguments")
    return pb.ChatToolCall(
        id=_text_of(call, "id", at),
        type="function",
        function=pb.ChatFunction(
            name=_text_of(function, "name", f"{at}['function']"),
            arguments=_text_of(function, "arguments", f"{at}['function']"),
        ),
    )


def _content_of(content: object, at: str) -> str:
    """The text of a message: a text, none, or parts, of which those of the type text are read."""
    if isinstance(content, Sequence) and not isinstance(content, str):
        texts = [each.get("text") for each in content if isinstance(each, Mapping)]
        content = "\n".join(text for text in texts if isinstance(text, str))
    if content is not None and not isinstance(content, str):
        raise TypeError(f"{at} must be a text, None, or a list of parts")
    return checked_text(at, content or "")


def _text_of(fields: Mapping[str, object], name: str, at: str) -> str:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{at}[{name!r}] must be a text")
    return checked_text(f"{at}[{name!r}]", value or "")


def _trace_audit(response: pb.AuditTraceResponse, request: pb.AuditTraceRequest) -> TraceAudit:
    """Reads the audit of a trace."""
    require(response, "post_hoc", "run")
    steps: Sequence[str] = request.steps
    answer = request.answer
    if request.messages:
        steps = [step.text for step in response.steps]
        answer = answer or request.messages[-1].content
    if len(response.steps) != len(steps):
        raise InvalidResponseError(f"{len(response.steps)} steps came back for {len(steps)}")
    audit = read(
        TraceAudit,
        response,
        steps=tuple(_step(m, text) for m, text in zip(response.steps, steps, strict=True)),
        post_hoc=_post_hoc(response.post_hoc, answer),
    )
    _check(audit)
    return audit


def _step(message: pb.StepAudit, text: str) -> AuditedStep:
    step = read(AuditedStep, message, text=text, verdict=_verdict(message, message.content))
    verdict = None if step.verdict is None else step.verdict.verdict
    wanted = {StepStatus.ENTAILED: Verdict.SUPPORTED, StepStatus.CONTRADICTED: Verdict.CONTRADICTED}
    if step.status in wanted and verdict is not wanted[step.status]:
        raise InvalidResponseError(f"{step.status} by the verdict {verdict}")
    if step.status is StepStatus.NOT_IN_CONTEXT and verdict is None:
        raise InvalidResponseError(f"{step.status} without a verdict")
    unread = step.status is StepStatus.UNVERIFIABLE
    if step.status is not StepStatus.UNKNOWN and unread != (step.unverifiable_reason is not None):
        raise InvalidResponseError(f"{step.status} for the reason {step.unverifiable_reason}")
    return step


def _post_hoc(message: pb.PostHoc, answer: str) -> PostHoc:
    found = read(PostHoc, message, verdict=_verdict(message, answer))
    if found.status is PostHocStatus.FOLLOWS:
        is_read = found.verdict is not None and found.verdict.verdict is Verdict.SUPPORTED
        if found.executor is None or not (is_read or found.derived_answer):
            raise InvalidResponseError("an answer that follows by nobody's check")
    return found


def _verdict(message: pb.StepAudit | pb.PostHoc, content: str) -> VerifiedClaim | None:
    if not message.HasField("verdict"):
        return None
    verdict: detection_pb.ClaimVerdict = message.verdict
    return read_verified(VerifiedClaim, verdict, content=content)


def _check(audit: TraceAudit) -> None:
    first = next((i for i, step in enumerate(audit) if step.status in _UNSUPPORTED), None)
    told, known = audit.first_unsupported_step, StepStatus.UNKNOWN not in {s.status for s in audit}
    if known and told != first:
        raise InvalidResponseError(f"the first unsupported step is {told}, by the steps {first}")
    follows = audit.post_hoc.status is PostHocStatus.FOLLOWS or audit.post_hoc.reason in _UNWANTED
    entailed = any(
        step.status is StepStatus.ENTAILED
        or step.unverifiable_reason is UnverifiableReason.TOOL_CALL
        for step in audit
    )
    if audit.sound and not (entailed and follows and all(step.is_supported for step in audit)):
        raise InvalidResponseError("a trace that is called sound and is not, by its steps")
