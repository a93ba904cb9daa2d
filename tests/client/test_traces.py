"""What the clients make of the audit of a trace, and which ones they refuse."""

import pytest

from groundwire import (
    Document,
    Evidence,
    InvalidRequestError,
    NonAssertiveReason,
    StepStatus,
    UnverifiableReason,
    VerifyOptions,
    audit_trace,
)
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import trace_audit_pb2 as pb
from tests.client.plain_answers import NO_PROBABILITY, audit_response, verdict
from tests.client.scripted import AnyClient, ScriptedServer, settle

STEPS = ["0.75", "0.125", NO_PROBABILITY]


async def test_an_audit_has_every_step_with_its_numbers(client: AnyClient) -> None:
    audit = await settle(client.audit_trace(STEPS, "context"))

    assert [step.status for step in audit] == ["ENTAILED", "NOT_IN_CONTEXT", "UNVERIFIABLE"]
    first, _, last = audit
    assert (first.text, first.content, first.claims) == ("0.75", "0.75", 1)
    assert (first.p1, first.p0) == (0.75, 0.25)
    assert (first.required_bits, first.observed_bits, first.gap_bits) == (1.5, 2.0, -0.5)
    assert (last.p1, last.gap_bits) == (None, None)
    assert last.unverifiable_reason is UnverifiableReason.LABEL_MASS_BELOW_FLOOR
    assert audit.first_unsupported_step == 1
    assert not audit.sound
    assert audit.rounds == 1
    assert audit.run.backend == "main"


async def test_a_read_answer_has_its_verdict(server: ScriptedServer, client: AnyClient) -> None:
    response = audit_response("0.75")
    response.post_hoc.executor = pb.POST_HOC_EXECUTOR_READ
    response.post_hoc.reason = pb.POST_HOC_REASON_STEPS_SUPPORT
    response.post_hoc.derived_answer = ""
    response.post_hoc.verdict.CopyFrom(verdict("0.875"))
    server.script(response)
    audit = await settle(client.audit_trace(["0.75"], "context", answer="42"))

    assert audit.post_hoc.verdict is not None
    assert (audit.post_hoc.verdict.content, audit.post_hoc.verdict.p1) == ("42", 0.875)


async def test_a_step_that_asserts_nothing_says_what_it_is(
    server: ScriptedServer, client: AnyClient
) -> None:
    response = audit_response("0.75", "0.75")
    response.steps[1].CopyFrom(
        pb.StepAudit(
            status=pb.STEP_STATUS_UNVERIFIABLE,
            unverifiable_reason=pb.UNVERIFIABLE_REASON_NON_ASSERTIVE,
            non_assertive_reason=detection_pb.NON_ASSERTIVE_REASON_QUESTION,
        )
    )
    server.script(response)
    audit = await settle(client.audit_trace(["0.75", "0.5"], "context"))

    assert audit.sound
    assert audit[1].non_assertive_reason is NonAssertiveReason.QUESTION
    assert audit[1].is_supported
    assert audit[1].verdict is None


async def test_a_request_carries_all_that_was_given(
    server: ScriptedServer, client: AnyClient
) -> None:
    evidence = Evidence.documents([Document("S0", "text")])
    call = client.audit_trace(
        iter(["0.75"]),
        evidence,
        answer="42",
        question="How many?",
        options=VerifyOptions(skip_result_cache=True),
        check_post_hoc=False,
    )
    await settle(call)

    source = detection_pb.Source(id="S0", document=detection_pb.Document(text="text"))
    assert server.received[0].request == pb.AuditTraceRequest(
        steps=["0.75"],
        evidence=detection_pb.Evidence(sources=[source]),
        question="How many?",
        answer="42",
        options=detection_pb.VerifyOptions(skip_result_cache=True),
        check_post_hoc=False,
    )


async def test_what_is_not_given_is_left_to_the_server(
    server: ScriptedServer, client: AnyClient
) -> None:
    await settle(client.audit_trace(["0.75"]))

    assert server.received[0].request == pb.AuditTraceRequest(steps=["0.75"])


async def test_one_text_is_no_trace(client: AnyClient) -> None:
    with pytest.raises(TypeError, match="many texts"):
        await settle(client.audit_trace("0.75"))


async def test_a_step_that_is_no_unicode_is_named(client: AnyClient) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        await settle(client.audit_trace(["0.75", "\ud800"]))
    assert caught.value.violations[0].field == "steps[1]"


async def test_a_status_that_is_newer_than_the_client_is_never_entailed(
    server: ScriptedServer, client: AnyClient
) -> None:
    response = audit_response("0.75")
    response.steps[0].status = 99  # type: ignore[assignment]
    response.sound = False
    server.script(response)
    audit = await settle(client.audit_trace(["0.75"]))

    assert audit[0].status is StepStatus.UNKNOWN
    assert not audit[0].is_supported


def test_a_trace_is_audited_in_one_line(server: ScriptedServer) -> None:
    from groundwire import Client

    with Client(server.target) as client:
        audit = audit_trace(["0.75"], "context", "42", client=client)
    assert audit.sound
    assert str(audit[0]) == "ENTAILED '0.75': the reason"
