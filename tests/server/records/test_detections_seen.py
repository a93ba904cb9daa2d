"""What is seen of a detection from outside: one id in the result, the span and the log, and counts.

Each of the five measures that are asked for is read from the metrics page of the real server.
"""

import json
import logging
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1.feedback_pb2 import FEEDBACK_VERDICT_NOT_GROUNDED, RecordFeedbackRequest
from groundwire.v1.feedback_pb2_grpc import FeedbackStub
from groundwire.v1.output_verification_pb2 import SubmitVerificationRequest
from groundwire_server.records.audit_file import read_audit
from groundwire_server.records.feedback_store import read_corrected
from groundwire_server.records.log_lines import JsonLines, formatter
from groundwire_server.rpc.telemetry import Telemetry
from tests.collector import Collector
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server
from tests.scripted_services.detection import believes, documents, stub_of, verify_answer
from tests.scripted_services.gate import check, fact
from tests.scripted_services.metrics import total
from tests.scripted_services.outputs import result_of, user
from tests.scripted_services.traces import EVIDENCE_OF, THREE, WRONG_PRICE, audit

TRUE, FALSE = "The river rose in May.", "The bridge fell in June."
PASSAGE = "It is known that the river rose in May."
ANSWER = f"{TRUE} {FALSE}"
ID = re.compile("[0-9a-f]{32}")


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server(
        metrics_listen="127.0.0.1:0",
        memory_gate_enabled=True,
        trace_auditing_enabled=True,
        trace_auditing_executor="read",
        result_cache_entries=1000,
    ) as served:
        served.engine.answer = believes({TRUE: PASSAGE, **EVIDENCE_OF})
        yield served


async def answered(served: Scripted) -> pb.VerifyAnswerResponse:
    return await verify_answer(served, ANSWER, documents(PASSAGE))


async def claims(served: Scripted) -> pb.VerifyClaimsResponse:
    request = pb.VerifyClaimsRequest(
        claims=[pb.ClaimInput(text=TRUE), pb.ClaimInput(text=FALSE)], evidence=documents(PASSAGE)
    )
    return await stub_of(served).VerifyClaims(request, timeout=WAIT_LIMIT_S)


async def streamed(served: Scripted) -> pb.VerifyAnswerResponse:
    request = pb.VerifyAnswerStreamRequest(
        request=pb.VerifyAnswerRequest(answer=ANSWER, evidence=documents(PASSAGE))
    )
    *_, last = [piece async for piece in stub_of(served).VerifyAnswerStream(request)]
    return last.report


async def ids_of_all_calls(served: Scripted) -> dict[str, str]:
    return {
        "VerifyClaims": (await claims(served)).run.detection_id,
        "VerifyAnswer": (await answered(served)).run.detection_id,
        "VerifyAnswerStream": (await streamed(served)).run.detection_id,
        "CheckFacts": (await check(served, [fact(TRUE)], documents(PASSAGE))).run.detection_id,
        "AuditTrace": (await audit(served)).run.detection_id,
    }


def events_in(caplog: pytest.LogCaptureFixture) -> list[Mapping[str, object]]:
    records = [r for r in caplog.records if r.name == "groundwire.detections"]
    return [json.loads(JsonLines().format(record)) for record in records]


async def test_every_result_has_an_id_of_its_own(served: Scripted) -> None:
    found = list((await ids_of_all_calls(served)).values())
    found += [(await answered(served)).run.detection_id for _ in range(3)]
    assert all(ID.fullmatch(each) for each in found)
    assert len(set(found)) == len(found)


async def test_the_log_has_one_event_for_each_detection_with_its_id(
    served: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        ids = await ids_of_all_calls(served)
        events = events_in(caplog)
    assert {event["method"]: event["id"] for event in events} == ids
    assert len(events) == len(ids)


async def test_an_output_is_told_as_any_other_detection_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    record, kept = tmp_path / "audit.jsonl", tmp_path / "feedback.sqlite"
    async with scripted_server(
        metrics_listen="127.0.0.1:0",
        output_verification_enabled=True,
        output_verification_store=str(tmp_path / "outputs.sqlite"),
        output_verification_backend="local",
        audit_record_file=record,
        audit_record_text=True,
        feedback_enabled=True,
        feedback_file=kept,
    ) as served:
        served.engine.answer = believes({TRUE: PASSAGE})
        with caplog.at_level(logging.INFO):
            result = await result_of(served, ANSWER, user(PASSAGE))
            (event,) = events_in(caplog)
        own_id = result.report.run.detection_id
        request = RecordFeedbackRequest(
            detection_id=own_id, index=1, verdict=FEEDBACK_VERDICT_NOT_GROUNDED
        )
        await FeedbackStub(served.channel).RecordFeedback(request, timeout=WAIT_LIMIT_S)
        verdicts = await total(
            served, "groundwire_hallucinations_total", method="SubmitVerification"
        )
    assert (event["method"], event["id"]) == ("SubmitVerification", own_id)
    assert verdicts == 1
    (line,) = read_audit(record).detections
    assert (line.method, line.id, list(line.verdicts)) == ("SubmitVerification", own_id, [0, 1])
    # As it was sent: the backend of the settings is not in it.
    assert line.request == SubmitVerificationRequest(response=ANSWER, turns=[user(PASSAGE)])
    (corrected,) = read_corrected(kept)
    assert (corrected.feedback.detection_id, corrected.kept.claim) == (own_id, FALSE)


async def test_an_event_says_in_fields_what_was_found_and_what_it_took(
    served: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        response = await claims(served)
        (event,) = events_in(caplog)
    assert event["event"] == "detection"
    assert event["claims"] == 2
    assert event["verdicts"] == {"SUPPORTED": 1, "UNSUPPORTED": 1}
    gaps = [verdict.budget.gap_bits for verdict in response.verdicts]
    assert event["largest_gap_bits"] == max(gaps)
    assert (event["backend"], event["model"]) == ("local", response.run.model)
    assert event["identity"] == served.backend.info.identity
    for name in ("queue_s", "inference_s", "total_s"):
        assert isinstance(event[name], float)


async def test_the_event_of_a_gate_and_of_an_audit_say_what_came_of_the_verdicts(
    served: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        await check(served, [fact(TRUE), fact(FALSE)], documents(PASSAGE))
        await audit(served, (WRONG_PRICE, THREE))
        gate, trace = events_in(caplog)
    assert gate["outcomes"] == {"ACCEPTED/GROUNDED": 1, "REJECTED/FACT_NOT_GROUNDED": 1}
    assert trace["outcomes"] == {"NOT_IN_CONTEXT": 2, "NOT_CHECKED": 1}


async def test_an_event_is_readable_as_text_too(
    served: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        response = await claims(served)
    (record,) = [r for r in caplog.records if r.name == "groundwire.detections"]
    line = formatter("text").format(record)
    assert f"detection id={response.run.detection_id} method=VerifyClaims " in line
    assert "verdicts.SUPPORTED=1 verdicts.UNSUPPORTED=1" in line


def test_a_line_of_json_has_level_and_message_and_where_it_is_from() -> None:
    record = logging.LogRecord("groundwire.server", 30, "x.py", 1, "%d of %s", (1, "a"), None)
    line = json.loads(formatter("json").format(record))
    assert (line["level"], line["logger"], line["message"]) == (
        "warning",
        "groundwire.server",
        "1 of a",
    )
    assert line["time"].endswith("+00:00")


async def test_the_span_of_every_call_has_the_id(collector: Collector) -> None:
    collector.spans.clear()
    async with scripted_server(
        otlp_endpoint=collector.endpoint,
        memory_gate_enabled=True,
        trace_auditing_enabled=True,
        trace_auditing_executor="read",
    ) as served:
        served.engine.answer = believes({TRUE: PASSAGE, **EVIDENCE_OF})
        wanted = await ids_of_all_calls(served)
    # Leaving the server has flushed its spans.
    marked = {
        span.name.rpartition("/")[2]: attribute.value.string_value
        for span in collector.spans
        for attribute in span.attributes
        if attribute.key == "groundwire.detection_id"
    }
    assert marked == wanted


async def test_claims_verified_are_counted_over_all_calls(served: Scripted) -> None:
    await ids_of_all_calls(served)
    await served.batch(TRUE, FALSE, context=PASSAGE)
    name = "groundwire_claims_verified_total"
    of_methods = {
        method: await total(served, name, method=method)
        for method in (
            "VerifyClaims", "VerifyAnswer", "VerifyAnswerStream", "CheckFacts", "AuditTrace",
            "BatchEstimate",
        )
    }  # fmt: skip
    assert of_methods == {
        "VerifyClaims": 2,
        "VerifyAnswer": 2,
        "VerifyAnswerStream": 2,
        "CheckFacts": 1,
        "AuditTrace": 3,
        "BatchEstimate": 2,
    }


async def test_hallucinations_are_counted_by_status_over_all_calls(served: Scripted) -> None:
    await ids_of_all_calls(served)
    await check(served, [fact(FALSE)], documents(PASSAGE))
    await audit(served, (WRONG_PRICE,))
    name = "groundwire_hallucinations_total"
    assert await total(served, name, status="UNSUPPORTED", method="VerifyClaims") == 1
    assert await total(served, name, status="UNSUPPORTED", method="CheckFacts") == 1
    assert await total(served, name, status="UNSUPPORTED", method="AuditTrace") == 1
    assert await total(served, name) == 5


async def test_the_latency_of_every_call_is_measured(served: Scripted) -> None:
    methods = list(await ids_of_all_calls(served))
    counts = [
        await total(served, "groundwire_call_duration_seconds_count", method=method, code="OK")
        for method in methods
    ]
    assert counts == [1] * len(methods)


async def test_the_hit_rate_of_the_cache_is_shown(served: Scripted) -> None:
    assert await total(served, "groundwire_result_cache_hit_rate") == 0
    await served.batch(TRUE, context=PASSAGE)
    assert await total(served, "groundwire_result_cache_hit_rate") == 0
    for _ in range(3):
        await served.batch(TRUE, context=PASSAGE)
    assert await total(served, "groundwire_result_cache_hit_rate", backend="local") == 0.75


async def test_rejected_facts_are_counted(served: Scripted) -> None:
    await check(served, [fact(TRUE), fact(FALSE)], documents(PASSAGE))
    assert await total(served, "groundwire_facts_total", decision="REJECTED") == 1
    assert await total(served, "groundwire_facts_total", decision="ACCEPTED") == 1


async def test_a_detection_that_cannot_be_told_shows_no_text_and_no_token(
    served: Scripted, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    # As a bug would: asyncio logs the callback with what it was called with.
    monkeypatch.setattr(Telemetry, "record_detection", fail)
    request = pb.VerifyClaimsRequest(claims=[pb.ClaimInput(text=TRUE)], evidence=documents(PASSAGE))
    metadata = (("authorization", "Bearer zebra-token-4711"),)
    await stub_of(served).VerifyClaims(request, timeout=WAIT_LIMIT_S, metadata=metadata)
    assert "ZeroDivisionError" in caplog.text
    assert not [word for word in ("zebra", "river") if word in caplog.text]


def test_a_server_logs_json_where_that_is_set(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "groundwire_server.cli.main", "serve", "--log-format", "json"]
    command += [
        "--listen",
        "127.0.0.1:0",
        "--metrics-listen",
        "",
        "--model",
        str(tmp_path / "none"),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    # Last, the command itself says why it ends.
    *lines, _ = ended.stderr.splitlines()
    assert {json.loads(line)["logger"] for line in lines} == {"groundwire.server"}
