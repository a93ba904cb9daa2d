"""What tests of trace audits share: a small trace, and a scripted model that can follow it."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import trace_audit_pb2 as pb
from groundwire.v1.trace_audit_pb2_grpc import TraceAuditStub
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server
from tests.scripted_services.detection import documents

if TYPE_CHECKING:
    from groundwire.v1.trace_audit_pb2_grpc import TraceAuditAsyncStub

MARKER = "[EVIDENCE REMOVED]"
PRICE, GUIDE = "A ticket costs 12 dollars.", "A guide costs 5 dollars."
EVIDENCE = documents(PRICE, GUIDE)
READ_PRICE = "One ticket is 12 dollars."
THREE = "Three tickets are 36 dollars."
TOTAL = "With a guide that makes 41 dollars."
WRONG_PRICE = "One ticket is 15 dollars."
STEPS = (READ_PRICE, THREE, TOTAL)
EVIDENCE_OF = {READ_PRICE: PRICE, THREE: READ_PRICE, TOTAL: THREE}
"""Which text carries each step: the context the first one, and the others the one before."""


def auditing(
    executor: str = "read", *, loaded: bool = True, **changes: object
) -> AbstractAsyncContextManager[Scripted]:
    """A scripted server that audits traces; this executor derives their answers."""
    return scripted_server(
        loaded=loaded,
        trace_auditing_enabled=True,
        trace_auditing_executor=executor,
        **changes,  # type: ignore[arg-type]
    )


def stub_of(served: Scripted) -> "TraceAuditAsyncStub":
    return TraceAuditStub(served.channel)


async def audit(
    served: Scripted,
    steps: Sequence[str] = STEPS,
    evidence: detection_pb.Evidence | None = EVIDENCE,
    *,
    timeout_s: float = WAIT_LIMIT_S,
    **fields: object,
) -> pb.AuditTraceResponse:
    request = pb.AuditTraceRequest(steps=steps, evidence=evidence, **fields)  # type: ignore[arg-type]
    return await stub_of(served).AuditTrace(request, timeout=timeout_s)


def statuses(response: pb.AuditTraceResponse) -> list[str]:
    return [pb.StepStatus.Name(step.status)[12:] for step in response.steps]


def reasons(response: pb.AuditTraceResponse) -> list[str]:
    return [pb.UnverifiableReason.Name(s.unverifiable_reason)[20:] for s in response.steps]


def post_hoc(response: pb.AuditTraceResponse) -> tuple[str, str, str]:
    found = response.post_hoc
    return (
        pb.PostHocStatus.Name(found.status)[16:],
        pb.PostHocReason.Name(found.reason)[16:],
        pb.PostHocExecutor.Name(found.executor)[18:],
    )


def contexts_of(served: Scripted, claim: str) -> list[str]:
    """The contexts that a claim was read with as a YES/NO question, each once, the whole first."""
    prompts = [p for p in served.engine.prompts if f"\nClaim: {claim}\n" in p]
    asked = [p.partition("\n\nIs the following") for p in prompts]
    contexts = dict.fromkeys(context for context, mark, _ in asked if mark)
    return sorted(contexts, key=lambda context: MARKER in context)
