"""Which texts of callers lie on the disk, by looking for them in every file that there is."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from grpc import aio

from groundwire.v1 import feedback_pb2 as pb
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1.feedback_pb2_grpc import FeedbackStub
from groundwire_server.cli.main import main
from groundwire_server.exit_codes import EXIT_CONFIG
from groundwire_server.records.feedback_store import read_corrected
from tests.scripted import WAIT_LIMIT_S, Scripted, reason_of, scripted_server
from tests.scripted_services.assessment import assess
from tests.scripted_services.detection import believes, documents, stub_of, verify_answer
from tests.scripted_services.gate import check, fact
from tests.scripted_services.traces import audit

TRUE = "The river rose in May."
REJECTED = ("Ada owes 41 dollars to the violet bank.", "עדה חייבת 41 דולר לבנק הסגול.")
PASSAGE = "It is known that the river rose in May."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@contextlib.asynccontextmanager
async def keeping(folder: Path) -> AsyncIterator[Scripted]:
    """All that can keep the texts of facts keeps them."""
    async with scripted_server(
        memory_gate_enabled=True,
        feedback_enabled=True,
        feedback_file=folder / "feedback.sqlite",
        audit_record_file=folder / "audit.jsonl",
        audit_record_text=True,
    ) as served:
        served.engine.answer = believes({TRUE: PASSAGE})
        yield served


def holds(folder: Path, text: str) -> bool:
    """Whether a text lies in any file, as it is or as JSON writes it."""
    written = (text.encode(), json.dumps(text)[1:-1].encode())
    files = [path for path in folder.rglob("*") if path.is_file()]
    return any(form in path.read_bytes() for path in files for form in written)


async def say(served: Scripted, detection_id: str, index: int) -> None:
    request = pb.RecordFeedbackRequest(
        detection_id=detection_id, index=index, verdict=pb.FEEDBACK_VERDICT_GROUNDED
    )
    await FeedbackStub(served.channel).RecordFeedback(request, timeout=WAIT_LIMIT_S)


@pytest.mark.parametrize("rejected", REJECTED)
async def test_the_text_of_a_rejected_fact_is_written_nowhere(folder: Path, rejected: str) -> None:
    async with keeping(folder) as served:
        gate = await check(served, [fact(rejected), fact(TRUE)], documents(PASSAGE))
        await say(served, gate.run.detection_id, 1)
        assert not holds(folder, rejected)
    assert not holds(folder, rejected)
    assert holds(folder, TRUE)


async def test_a_rejected_fact_takes_no_feedback_and_the_others_do(folder: Path) -> None:
    async with keeping(folder) as served:
        gate = await check(served, [fact(REJECTED[0]), fact(TRUE)], documents(PASSAGE))
        await say(served, gate.run.detection_id, 1)
        with pytest.raises(aio.AioRpcError) as caught:
            await say(served, gate.run.detection_id, 0)
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    assert reason_of(caught.value) == "DETECTION_NOT_FOUND"
    assert [each.kept.claim for each in read_corrected(folder / "feedback.sqlite")] == [TRUE]


async def test_a_fact_that_is_let_through_without_support_is_kept(folder: Path) -> None:
    async with scripted_server(
        memory_gate_enabled=True,
        memory_gate_reject_unsupported=False,
        audit_record_file=folder / "audit.jsonl",
        audit_record_text=True,
    ) as served:
        served.engine.answer = believes({})
        await check(served, [fact(REJECTED[0])], documents(PASSAGE))
    assert holds(folder, REJECTED[0])


async def test_a_line_without_a_rejected_text_is_not_replayed_as_if_it_were_whole(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with keeping(folder) as served:
        await check(served, [fact(REJECTED[0]), fact(TRUE)], documents(PASSAGE))
    async with scripted_server(memory_gate_enabled=True) as served:
        command = ["audit", "replay", str(folder / "audit.jsonl"), "--target"]
        code = await asyncio.to_thread(main, [*command, served.running.target])
    assert code == EXIT_CONFIG
    assert "1 without their request" in capsys.readouterr().err


async def test_where_texts_are_switched_off_no_call_leaves_any(folder: Path) -> None:
    async with scripted_server(
        memory_gate_enabled=True,
        trace_auditing_enabled=True,
        trace_auditing_executor="read",
        response_assessment_enabled=True,
        feedback_file=folder / "feedback.sqlite",
        audit_record_file=folder / "audit.jsonl",
    ) as served:
        served.engine.answer = believes({TRUE: PASSAGE})
        evidence = documents(PASSAGE)
        claims = detection_pb.VerifyClaimsRequest(
            claims=[detection_pb.ClaimInput(text=TRUE)], evidence=evidence
        )
        await stub_of(served).VerifyClaims(claims, timeout=WAIT_LIMIT_S)
        await verify_answer(served, TRUE, evidence)
        await check(served, [fact(TRUE), fact(REJECTED[0])], evidence)
        await audit(served, [TRUE], evidence)
        await assess(served, TRUE)
    lines = (folder / "audit.jsonl").read_text().splitlines()
    assert len(lines) == 5
    for text in (TRUE, PASSAGE, *REJECTED):
        assert not holds(folder, text)
