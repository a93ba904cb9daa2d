"""What clients send stays out of logs, the metrics page, spans and error texts."""

import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from grpc import StatusCode, aio

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as gate_pb
from tests.collector import Collector
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server
from tests.scripted_services.detection import stub_of as detection_stub
from tests.scripted_services.gate import stub_of as gate_stub
from tests.scripted_services.metrics import page_of

CLAIM = "zebra-claim-4711"
CONTEXT = "okapi-context-4712"
BEARER = "gecko-token-4713"
WRONG_BEARER = "heron-token-4714"
BACKEND = "ibis-backend-4715"
FACT_ID = "jackal-fact-4716"
MARKERS = (CLAIM, CONTEXT, BEARER, WRONG_BEARER, BACKEND, FACT_ID)
TOO_LONG = CLAIM * 100


@pytest.fixture
async def guarded(collector: Collector, tmp_path: Path) -> AsyncIterator[Scripted]:
    collector.spans.clear()
    collector.logs.clear()
    async with scripted_server(
        auth_token=BEARER,
        metrics_listen="127.0.0.1:0",
        otlp_endpoint=collector.endpoint,
        memory_gate_enabled=True,
        feedback_enabled=True,
        feedback_file=tmp_path / "feedback.sqlite",
        audit_record_file=tmp_path / "audit.jsonl",
        audit_record_otlp=True,
    ) as served:
        yield served


async def use(served: Scripted) -> list[str]:
    """An answer, each kind of refusal, a bug and a deadline; returns the error texts."""
    said = []
    await served.batch(CLAIM, context=CONTEXT, token=BEARER)
    served.engine.errors = {f"{CLAIM} bug": ZeroDivisionError(f"cannot read {CLAIM}")}
    for claim, backend, token in (
        (CLAIM, "", WRONG_BEARER),
        (CLAIM, BACKEND, BEARER),
        (TOO_LONG, "", BEARER),
        (f"{CLAIM} bug", "", BEARER),
    ):
        with pytest.raises(aio.AioRpcError) as caught:
            await served.batch(claim, context=CONTEXT, backend=backend, token=token)
        said.append(f"{caught.value} {caught.value.trailing_metadata()!r}")
    served.engine.hold()
    with pytest.raises(aio.AioRpcError) as caught:
        await served.batch(CLAIM, context=CONTEXT, token=BEARER, timeout_s=0.2)
    said.append(str(caught.value))
    return said


async def use_gate(served: Scripted) -> None:
    """A rejected fact, and one that nobody has read in time."""
    metadata = (("authorization", f"Bearer {BEARER}"),)
    request = gate_pb.CheckFactsRequest(
        facts=[gate_pb.Fact(text=CLAIM, id=FACT_ID), gate_pb.Fact(text="Stuck.", id=FACT_ID)],
        evidence=[detection_pb.Evidence(context=CONTEXT)],
    )
    served.engine.stuck = {"Stuck."}
    response = await gate_stub(served).CheckFacts(request, timeout=0.5, metadata=metadata)
    assert [fact.decision for fact in response.facts] == [
        gate_pb.GATE_DECISION_REJECTED,
        gate_pb.GATE_DECISION_ACCEPTED_UNVERIFIED,
    ]


def found_in(text: str) -> list[str]:
    return [marker for marker in MARKERS if marker in text]


async def test_error_texts_repeat_nothing(guarded: Scripted) -> None:
    assert found_in("\n".join(await use(guarded))) == []


async def test_the_metrics_page_holds_nothing(guarded: Scripted) -> None:
    await use_gate(guarded)
    await use(guarded)
    text = await page_of(guarded)
    assert "groundwire_claims_total" in text
    assert "groundwire_facts_total" in text
    assert found_in(text) == []


async def test_logs_hold_nothing_even_of_bugs(
    guarded: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        await use_gate(guarded)
        await use(guarded)
    assert "fact 1 of 2 rejected: " in caplog.text
    assert "detection id=" in caplog.text
    # A bug is logged by its type and its place, which is enough to find it.
    assert "BatchEstimate failed: " in caplog.text
    assert found_in(caplog.text) == []


async def test_spans_hold_nothing(collector: Collector) -> None:
    collector.spans.clear()
    async with scripted_server(
        auth_token=BEARER, otlp_endpoint=collector.endpoint, memory_gate_enabled=True
    ) as served:
        await use_gate(served)
        await use(served)
    # Leaving the server has flushed its spans.
    names = [span.name for span in collector.spans]
    assert names.count("groundwire.read") == 4
    assert found_in("\n".join(str(span) for span in collector.spans)) == []


async def test_the_audit_record_holds_nothing(
    guarded: Scripted, collector: Collector, tmp_path: Path
) -> None:
    file = tmp_path / "audit.jsonl"
    # Lines are written soon after their calls.
    while not (collector.logs and (text := file.read_text())):
        await use_gate(guarded)
    assert '"method": "CheckFacts"' in text
    assert found_in(text + "".join(log.body.string_value for log in collector.logs)) == []


async def test_health_probes_leave_no_spans(collector: Collector) -> None:
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    collector.spans.clear()
    async with scripted_server(otlp_endpoint=collector.endpoint) as served:
        stub = health_pb2_grpc.HealthStub(served.channel)
        await stub.Check(health_pb2.HealthCheckRequest())
        await served.batch("a")
    names = [span.name for span in collector.spans]
    assert "groundwire.read" in names
    assert not any("Health" in name for name in names)


async def test_a_draft_leaves_nothing_in_logs_and_errors(
    guarded: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    metadata = (("authorization", f"Bearer {BEARER}"),)
    request = detection_pb.VerifyAnswerRequest(evidence=detection_pb.Evidence(context=CONTEXT))
    guarded.engine.errors = {f"{CLAIM} bug.": ZeroDivisionError(f"cannot read {CLAIM}")}
    call = detection_stub(guarded).VerifyDraft(metadata=metadata, timeout=WAIT_LIMIT_S)
    start = detection_pb.DraftStart(request=request)
    await call.write(detection_pb.VerifyDraftRequest(start=start))
    await call.read()
    await call.write(detection_pb.VerifyDraftRequest(text=f"{CLAIM} bug. And so on "))
    with caplog.at_level(logging.INFO), pytest.raises(aio.AioRpcError) as caught:
        await call.read()
    assert caught.value.code() is StatusCode.INTERNAL
    assert "VerifyDraft failed: " in caplog.text
    said = f"{caught.value} {caught.value.trailing_metadata()!r}"
    assert found_in(said + caplog.text) == []
