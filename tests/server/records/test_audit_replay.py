"""`groundwire audit replay` against the real server: the same, another verdict, what is missing."""

import asyncio
import json
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as gate_pb
from groundwire.v1 import output_verification_pb2 as output_pb
from groundwire.v1 import response_assessment_pb2 as assessment_pb
from groundwire.v1 import trace_audit_pb2 as trace_pb
from groundwire_server.cli.main import main
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server
from tests.scripted_services.assessment import stub_of as assessment_stub
from tests.scripted_services.detection import believes, documents, stub_of
from tests.scripted_services.gate import fact
from tests.scripted_services.gate import stub_of as gate_stub
from tests.scripted_services.outputs import assistant, end_of, tool, user
from tests.scripted_services.outputs import stub_of as output_stub
from tests.scripted_services.traces import EVIDENCE, EVIDENCE_OF, STEPS
from tests.scripted_services.traces import stub_of as trace_stub

TRUE, FALSE = "The river rose in May.", "The bridge fell in June."
PASSAGE = "It is known that the river rose in May."
CLAIMS = detection_pb.VerifyClaimsRequest(
    claims=[detection_pb.ClaimInput(text=TRUE), detection_pb.ClaimInput(text=FALSE)],
    evidence=documents(PASSAGE),
)
ANSWER = detection_pb.VerifyAnswerRequest(answer=f"So? {TRUE} {FALSE}", evidence=documents(PASSAGE))
FACTS = gate_pb.CheckFactsRequest(facts=[fact(TRUE)], evidence=[documents(PASSAGE)])
TRACE = trace_pb.AuditTraceRequest(steps=STEPS, evidence=EVIDENCE, answer="41 dollars")
QUESTION = "What of the river?"
OUTPUT = output_pb.SubmitVerificationRequest(
    response=f"So? {TRUE} {FALSE}",
    turns=[user(QUESTION), assistant(FALSE), tool(PASSAGE, name="news")],
    documents=[output_pb.ConversationDocument(id="D", text="Of rivers.", title="Rivers")],
    question=QUESTION,
    extract=detection_pb.ExtractOptions(min_assertion_confidence=0.1),
)
EXCHANGE = assessment_pb.AssessResponseRequest(
    response=f"{TRUE} {FALSE} It is 12 °C there now.",
    tool_calls=[assessment_pb.ToolCall(name="news", result=f"{PASSAGE} It is 3 °C.")],
)
REQUESTS: dict[str, Message] = {
    "VerifyClaims": CLAIMS,
    "VerifyAnswer": ANSWER,
    "VerifyAnswerStream": ANSWER,
    "CheckFacts": FACTS,
    "AuditTrace": TRACE,
    "SubmitVerification": OUTPUT,
    "AssessResponse": EXCHANGE,
}
SETTINGS = {
    "memory_gate_enabled": True,
    "trace_auditing_enabled": True,
    "response_assessment_enabled": True,
    "trace_auditing_executor": "read",
    "result_cache_entries": 1000,
}
WITH_QUESTION = f"Question: {QUESTION} Answer: "
KNOWN = {TRUE: PASSAGE, f"{WITH_QUESTION}{TRUE}": PASSAGE, **EVIDENCE_OF}
KNOWS = believes(KNOWN)
OTHER_MIND = believes({**KNOWN, FALSE: PASSAGE, f"{WITH_QUESTION}{FALSE}": PASSAGE})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


async def ask_all(served: Scripted) -> None:
    detection = stub_of(served)
    await detection.VerifyClaims(CLAIMS, timeout=WAIT_LIMIT_S)
    await detection.VerifyAnswer(ANSWER, timeout=WAIT_LIMIT_S)
    stream = detection_pb.VerifyAnswerStreamRequest(request=ANSWER)
    assert [piece async for piece in detection.VerifyAnswerStream(stream)]
    await gate_stub(served).CheckFacts(FACTS, timeout=WAIT_LIMIT_S)
    await trace_stub(served).AuditTrace(TRACE, timeout=WAIT_LIMIT_S)
    accepted = await output_stub(served).SubmitVerification(OUTPUT, timeout=WAIT_LIMIT_S)
    await end_of(served, accepted.status.id)
    await assessment_stub(served).AssessResponse(EXCHANGE, timeout=WAIT_LIMIT_S)


async def record(folder: Path, *, text: bool) -> Path:
    """A folder with a record of one detection of each method, and with its key."""
    settings = {
        **SETTINGS,
        "output_verification_enabled": True,
        "output_verification_backend": "local",
        "output_verification_store": str(folder / "outputs.sqlite"),
        "audit_record_file": folder / "audit.jsonl",
        "audit_record_text": text,
    }
    async with scripted_server(**settings) as served:  # type: ignore[arg-type]
        served.engine.answer = KNOWS
        await ask_all(served)
    return folder


@pytest.fixture(scope="module")
async def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record with texts."""
    return await record(tmp_path_factory.mktemp("texts"), text=True)


@pytest.fixture(scope="module")
async def hashes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One without."""
    return await record(tmp_path_factory.mktemp("hashes"), text=False)


@pytest.fixture
def with_texts(file: Path, texts: Path) -> None:
    """A record with texts in the file."""
    shutil.copytree(texts, file.parent, dirs_exist_ok=True)


@pytest.fixture
def with_hashes(file: Path, hashes: Path) -> None:
    """One without in the file."""
    shutil.copytree(hashes, file.parent, dirs_exist_ok=True)


async def replay(served: Scripted, *arguments: str | Path) -> int:
    """The exit code of the command."""
    target = ("--target", served.running.target)
    return await asyncio.to_thread(main, ["audit", "replay", *map(str, arguments), *target])


def lines_of(file: Path) -> list[str]:
    return file.read_text().splitlines(keepends=True)


def write(file: Path, lines: Iterable[str]) -> None:
    file.write_text("".join(lines))


def write_inputs(path: Path, **requests: Message) -> Path:
    rows = [
        {"method": method, "request": json_format.MessageToDict(request)}
        for method, request in requests.items()
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


@pytest.mark.usefixtures("with_texts")
async def test_the_same_requests_have_the_same_verdicts(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with scripted_server(**SETTINGS) as served:  # type: ignore[arg-type]
        served.engine.answer = KNOWS
        assert await replay(served, file) == 0
        read = len(served.engine.prompts)
        # Past the cache: each replay reads all of it anew.
        assert await replay(served, file) == 0
        assert len(served.engine.prompts) == 2 * read
    out, err = capsys.readouterr()
    assert out == ""
    assert "7 detections: 7 the same, 0 different" in err


@pytest.mark.usefixtures("with_hashes")
async def test_a_record_without_texts_is_replayed_with_the_requests(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = write_inputs(tmp_path / "inputs.jsonl", **REQUESTS)
    async with scripted_server(**SETTINGS) as served:  # type: ignore[arg-type]
        served.engine.answer = KNOWS
        assert await replay(served, file, "--inputs", inputs) == 0
    assert "7 the same" in capsys.readouterr().err


@pytest.mark.usefixtures("with_texts")
async def test_a_verdict_that_differs_is_named_with_the_numbers_and_what_else_changed(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with scripted_server(**SETTINGS, verify_min_posterior=0.25) as served:  # type: ignore[arg-type]
        served.engine.answer = OTHER_MIND
        assert await replay(served, file) == 1
    out, err = capsys.readouterr()
    assert "7 detections: 2 the same, 5 different" in err
    assert "verdict 1: UNSUPPORTED/" in out
    assert "SUPPORTED/BUDGET_COVERED today (p1 0.0202 to 0.9798, " in out
    assert "settings.min_posterior: 0.5 then, 0.25 today" in out
    # The texts stay where they are.
    assert FALSE not in out


@pytest.mark.usefixtures("with_hashes")
async def test_a_request_that_is_missing_is_no_success(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = write_inputs(tmp_path / "inputs.jsonl", VerifyClaims=CLAIMS)
    async with scripted_server(**SETTINGS) as served:  # type: ignore[arg-type]
        served.engine.answer = KNOWS
        assert await replay(served, file, "--inputs", inputs) == 2
    assert "1 the same, 0 different, 6 without their request" in capsys.readouterr().err


@pytest.mark.usefixtures("with_hashes")
async def test_requests_are_matched_by_what_they_say(file: Path, tmp_path: Path) -> None:
    other = detection_pb.VerifyClaimsRequest()
    other.CopyFrom(CLAIMS)
    other.claims[0].text = "The river rose in June."
    inputs = write_inputs(tmp_path / "inputs.jsonl", VerifyClaims=other)
    async with scripted_server(**SETTINGS) as served:  # type: ignore[arg-type]
        assert await replay(served, file, "--inputs", inputs) == 2
        assert served.engine.prompts == []


async def test_what_nobody_has_read_is_neither_the_same_nor_different(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with scripted_server(
        audit_record_file=file, audit_record_text=True, memory_gate_enabled=True
    ) as served:
        served.engine.stuck = {TRUE}
        await gate_stub(served).CheckFacts(FACTS, timeout=WAIT_LIMIT_S)
    async with scripted_server(**SETTINGS) as served:  # type: ignore[arg-type]
        assert await replay(served, file) == 2
    assert "1 that nobody has read" in capsys.readouterr().err


@pytest.mark.usefixtures("with_texts")
async def test_a_line_that_was_cut_off_is_left_out_and_told(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = lines_of(file)
    write(file, [*whole[:2], f"{whole[2][:100]}\n", *whole[3:], "\0\0"])
    async with scripted_server(**SETTINGS) as served:  # type: ignore[arg-type]
        served.engine.answer = KNOWS
        # It cannot be said of all of the record.
        assert await replay(served, file) == 2
    err = capsys.readouterr().err
    assert "6 detections: 6 the same" in err
    assert f"{file}, line 3 is not JSON" in err
    assert f"{file}, line 8 is not JSON" in err


@pytest.mark.usefixtures("with_texts")
async def test_a_call_that_this_version_does_not_know_is_counted_and_the_rest_replayed(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, *others = lines_of(file)
    other = json.loads(first) | {"method": "VerifyPicture", "request": {"picture": ""}}
    write(file, [f"{json.dumps(other)}\n", *others])
    async with scripted_server(**SETTINGS) as served:  # type: ignore[arg-type]
        served.engine.answer = KNOWS
        assert await replay(served, file) == 2
    err = capsys.readouterr().err
    assert "7 detections: 6 the same, 0 different" in err
    assert "1 of calls that this version cannot replay" in err


@pytest.mark.parametrize("text", ["no json", "[]", '{"version": 2}', '{"version": 1}'])
def test_what_is_no_record_is_refused_with_its_line(
    file: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(f"{text}\n")
    assert main(["audit", "replay", str(file)]) == 2
    assert f"{file}, line 1" in capsys.readouterr().err


@pytest.mark.usefixtures("with_texts")
async def test_without_a_server_nothing_is_replayed(file: Path) -> None:
    arguments = ["audit", "replay", str(file), "--target", "127.0.0.1:1", "--timeout-s", "2"]
    assert await asyncio.to_thread(main, arguments) == 5
