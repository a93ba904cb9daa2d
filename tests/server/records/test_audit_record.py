"""The audit record of the real server: what a line holds, where lines go, what a full disk does."""

import hashlib
import hmac
import json
import logging
import os
import resource
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.config.sources import ConfigError
from groundwire_server.records import audit_record
from groundwire_server.records.rotating_file import RotatingFile
from groundwire_server.records.worker import MOST_PENDING, Worker
from groundwire_verifier.domain.prompts import prompt_wording_id
from tests.collector import Collector
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server
from tests.scripted_services.detection import believes, documents, stub_of, verify_answer
from tests.scripted_services.gate import check, fact
from tests.scripted_services.metrics import page_of
from tests.scripted_services.traces import EVIDENCE_OF, audit

TRUE, FALSE = "The river rose in May.", "The bridge fell in June."
PASSAGE = "It is known that the river rose in May."
REQUEST = pb.VerifyClaimsRequest(
    claims=[pb.ClaimInput(text=TRUE), pb.ClaimInput(text=FALSE)], evidence=documents(PASSAGE)
)
KEY = "k" * 32

Line = Mapping[str, object]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text(KEY)
    path.chmod(0o600)
    return path


async def verified(served: Scripted) -> pb.VerifyClaimsResponse:
    served.engine.answer = believes({TRUE: PASSAGE, **EVIDENCE_OF})
    return await stub_of(served).VerifyClaims(REQUEST, timeout=WAIT_LIMIT_S)


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def mode_of(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def write(file: Path, text: str) -> None:
    file.write_text(text)


def lines_of(file: Path) -> list[Line]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def verdicts_of(line: Line) -> list[Line]:
    verdicts = line["verdicts"]
    assert isinstance(verdicts, list)
    return verdicts


def hashed(text: str) -> str:
    return hmac.digest(KEY.encode(), text.encode(), hashlib.sha256).hex()


async def test_a_line_has_the_numbers_and_who_made_them(file: Path) -> None:
    async with scripted_server(audit_record_file=file) as served:
        response = await verified(served)
        info = served.backend.info
    (line,) = lines_of(file)
    assert line["id"] == response.run.detection_id
    assert line["method"] == "VerifyClaims"
    assert (line["backend"], line["model"]) == ("local", "scripted-model")
    assert (line["identity"], line["reading_identity"]) == (info.identity, info.reading_identity)
    assert line["prompt_version"] == response.run.prompt_version
    assert line["prompt_wording_id"] == prompt_wording_id()
    assert str(line["time"]).endswith("+00:00")
    settings = line["settings"]
    assert isinstance(settings, dict)
    assert settings["policy"] == "BUDGET"
    assert settings["min_posterior"] == response.run.thresholds.min_posterior
    for index, (found, verdict) in enumerate(
        zip(verdicts_of(line), response.verdicts, strict=True)
    ):
        assert found["index"] == index
        assert f"VERDICT_{found['verdict']}" == pb.Verdict.Name(verdict.verdict)
        assert f"VERDICT_REASON_{found['reason']}" == pb.VerdictReason.Name(verdict.reason)
        assert found["p1"] == verdict.posterior.probability
        assert found["p1_raw"] == verdict.posterior.raw_probability
        assert found["p0"] == verdict.prior.probability
        assert found["gap_bits"] == verdict.budget.gap_bits


async def test_every_call_has_its_line_and_what_came_of_its_verdicts(file: Path) -> None:
    async with scripted_server(
        audit_record_file=file,
        memory_gate_enabled=True,
        trace_auditing_enabled=True,
        trace_auditing_executor="read",
    ) as served:
        await verified(served)
        await check(served, [fact(TRUE), fact(FALSE)], documents(PASSAGE))
        await audit(served, answer="41 dollars")
    claims, gate, trace = lines_of(file)
    assert claims["outcomes"] == []
    assert gate["outcomes"] == ["ACCEPTED/GROUNDED", "REJECTED/FACT_NOT_GROUNDED"]
    outcomes = trace["outcomes"]
    assert isinstance(outcomes, list)
    assert outcomes[:3] == ["ENTAILED"] * 3
    # The answer stands behind the last step.
    assert [found["index"] for found in verdicts_of(trace)] == [0, 1, 2, 3]


async def test_a_line_has_hashes_with_the_key_in_place_of_texts(file: Path, key_file: Path) -> None:
    async with scripted_server(audit_record_file=file, audit_record_key_file=key_file) as served:
        await verified(served)
    (line,) = lines_of(file)
    assert [v["claim_hash"] for v in verdicts_of(line)] == [hashed(TRUE), hashed(FALSE)]
    assert {v["evidence_hash"] for v in verdicts_of(line)} == {hashed(f"[S0]\n{PASSAGE}")}
    data = REQUEST.SerializeToString(deterministic=True)
    assert line["request_hash"] == hmac.digest(KEY.encode(), data, hashlib.sha256).hex()
    text = json.dumps(line)
    assert not [word for word in (TRUE, FALSE, PASSAGE, "river") if word in text]


def titled(title: str) -> pb.Evidence:
    document = pb.Document(text=PASSAGE, title=title)
    return pb.Evidence(sources=[pb.Source(id="1", document=document)])


async def answered(served: Scripted, *, explain: bool) -> None:
    served.engine.answer = believes({TRUE: PASSAGE})
    await verify_answer(
        served,
        f"{TRUE} [1] The river rose 5 m. [1]",
        titled("רשומות הנהר"),
        question="What did the river do?",
        options=pb.VerifyOptions(explain=explain),
    )


@pytest.mark.parametrize("explain", [True, False])
async def test_a_line_has_the_kinds_of_what_is_not_borne_out_where_it_was_explained(
    file: Path, explain: bool
) -> None:
    async with scripted_server(audit_record_file=file) as served:
        await answered(served, explain=explain)
    (line,) = lines_of(file)
    right, wrong = verdicts_of(line)
    assert [right["span_kinds"], wrong["span_kinds"]] == (
        [[], ["NUMBER"]] if explain else [None] * 2
    )
    assert [right["unstated_values"], wrong["unstated_values"]] == [0, 1]


async def test_a_line_has_hashes_of_its_question_and_of_the_titles_of_its_sources(
    file: Path, key_file: Path
) -> None:
    async with scripted_server(audit_record_file=file, audit_record_key_file=key_file) as served:
        await answered(served, explain=True)
    (line,) = lines_of(file)
    assert line["question_hash"] == hashed("What did the river do?")
    assert [v["source_hashes"] for v in verdicts_of(line)] == [[hashed("רשומות הנהר")]] * 2
    assert "source_names" not in line
    assert "רשומות" not in json.dumps(lines_of(file), ensure_ascii=False)


async def test_with_texts_a_line_has_the_names_of_its_sources(file: Path, key_file: Path) -> None:
    async with scripted_server(
        audit_record_file=file, audit_record_key_file=key_file, audit_record_text=True
    ) as served:
        await answered(served, explain=False)
        await stub_of(served).VerifyClaims(
            pb.VerifyClaimsRequest(
                claims=[pb.ClaimInput(text=TRUE, cited_ids=["S0"])], evidence=documents(PASSAGE)
            ),
            timeout=WAIT_LIMIT_S,
        )
    names = [line["source_names"] for line in lines_of(file)]
    # A source without a title is known by its id.
    assert names == [{hashed("רשומות הנהר"): "רשומות הנהר"}, {hashed("S0"): "S0"}]


async def test_equal_claims_have_other_hashes_under_another_key(tmp_path: Path) -> None:
    hashes = []
    for name in ("a", "b"):
        async with scripted_server(audit_record_file=tmp_path / name) as served:
            await verified(served)
        hashes.append(lines_of(tmp_path / name)[0]["request_hash"])
        # It was made for the file, and stays.
        assert mode_of(tmp_path / f"{name}.key") == 0o600
    assert hashes[0] != hashes[1]
    async with scripted_server(audit_record_file=tmp_path / "a") as served:
        await verified(served)
    assert [line["request_hash"] for line in lines_of(tmp_path / "a")] == [hashes[0]] * 2


async def test_texts_are_written_only_where_that_is_switched_on(file: Path) -> None:
    async with scripted_server(audit_record_file=file, audit_record_text=True) as served:
        await verified(served)
    (line,) = lines_of(file)
    assert TRUE in json.dumps(line["request"])


async def test_nothing_is_written_where_it_is_off(tmp_path: Path) -> None:
    async with scripted_server() as served:
        await verified(served)
    assert names_in(tmp_path) == []


async def test_only_the_servers_user_can_read_the_record(file: Path) -> None:
    async with scripted_server(audit_record_file=file) as served:
        await verified(served)
    assert mode_of(file) == 0o600


async def test_lines_go_to_a_collector_too(collector: Collector, key_file: Path) -> None:
    collector.logs.clear()
    async with scripted_server(
        audit_record_otlp=True,
        audit_record_key_file=key_file,
        otlp_endpoint=collector.endpoint,
    ) as served:
        response = await verified(served)
    (log,) = collector.logs
    assert log.event_name == "groundwire.audit"
    assert json.loads(log.body.string_value)["id"] == response.run.detection_id


async def test_a_full_disk_fails_no_call_and_is_counted_and_logged(
    key_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with scripted_server(
        audit_record_file=Path("/dev/full"),
        audit_record_key_file=key_file,
        metrics_listen="127.0.0.1:0",
    ) as served:
        for _ in range(3):
            assert (await verified(served)).run.detection_id
        while 'place="audit_file",result="failed"} 3.0' not in await page_of(served):
            pass
    lost = [r.getMessage() for r in caplog.records if r.name == "groundwire.records"]
    assert lost[0] == "audit_file: 1 not written: No space left on device"
    # The others are told together, at the end at the latest.
    assert lost[1] == "audit_file: 2 not written: as the server stops"


async def test_a_collector_that_refuses_lines_fails_no_call(
    collector: Collector, key_file: Path, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    collector.refuses_logs = True
    try:
        async with scripted_server(
            audit_record_otlp=True,
            audit_record_file=file,
            audit_record_key_file=key_file,
            otlp_endpoint=collector.endpoint,
        ) as served:
            assert (await verified(served)).run.detection_id
    finally:
        collector.refuses_logs = False
    assert "audit_otlp: 1 not written: the collector does not take it" in caplog.text
    # What goes elsewhere goes on.
    assert len(lines_of(file)) == 1


async def test_the_same_file_for_two_servers_ends_the_second_start(file: Path) -> None:
    async with scripted_server(audit_record_file=file):
        with pytest.raises(ConfigError, match="another server"):
            async with scripted_server(audit_record_file=file):
                pass


async def test_a_key_that_is_too_short_ends_the_start(file: Path, key_file: Path) -> None:
    write(key_file, "short")
    with pytest.raises(ConfigError, match="at least 32"):
        async with scripted_server(audit_record_file=file, audit_record_key_file=key_file):
            pass


async def test_the_files_of_the_record_are_bounded(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_record, "MAX_FILES", 2)
    many = pb.VerifyClaimsRequest(
        claims=[pb.ClaimInput(text=TRUE)] * 400, evidence=documents(PASSAGE)
    )
    async with scripted_server(audit_record_file=file, audit_record_max_bytes=1 << 16) as served:
        for _ in range(4):
            await stub_of(served).VerifyClaims(many, timeout=WAIT_LIMIT_S)
    assert sorted(name for name in names_in(file.parent) if "key" not in name) == [
        "audit.jsonl", "audit.jsonl.1",
    ]  # fmt: skip


# The file by itself.


def test_a_file_that_is_large_enough_makes_room_for_the_next(tmp_path: Path) -> None:
    lines = RotatingFile(tmp_path / "a", max_bytes=20, max_files=3)
    for number in range(9):
        lines.write(f"line {number:03}\n".encode())
    lines.close()
    found = {path.name: path.read_text().split("\n")[:-1] for path in tmp_path.iterdir()}
    assert found == {
        "a": ["line 008"],
        "a.1": ["line 006", "line 007"],
        "a.2": ["line 004", "line 005"],
    }


def test_a_file_that_was_moved_away_is_made_anew(tmp_path: Path) -> None:
    lines = RotatingFile(tmp_path / "a", max_bytes=100, max_files=3)
    lines.write(b"first\n")
    (tmp_path / "a").rename(tmp_path / "b")
    lines.write(b"second\n")
    lines.close()
    assert ((tmp_path / "b").read_text(), (tmp_path / "a").read_text()) == ("first\n", "second\n")


def test_what_fits_in_part_is_not_written(tmp_path: Path) -> None:
    lines = RotatingFile(tmp_path / "a", max_bytes=100, max_files=3)
    lines.write(b"first\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(OSError, match="No space left"):
            lines.write(b"second line\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    lines.write(b"third\n")
    lines.close()
    assert (tmp_path / "a").read_text() == "first\nthird\n"


def test_a_line_that_was_cut_off_does_not_spoil_the_next(tmp_path: Path) -> None:
    (tmp_path / "a").write_text('{"cut')
    lines = RotatingFile(tmp_path / "a", max_bytes=100, max_files=3)
    lines.write(b"next\n")
    lines.close()
    assert (tmp_path / "a").read_text() == '{"cut\nnext\n'


# The thread by itself.


async def test_more_than_may_wait_is_dropped_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    writer = Worker("test")
    reading, writing = os.pipe()
    with caplog.at_level(logging.ERROR):
        writer.hand_over(lambda: os.read(reading, 1), 0)
        for _ in range(MOST_PENDING + 2):
            writer.hand_over(list, 0)
        assert writer.counts.dropped == 3
        os.write(writing, b"x")
        await writer.close()
    assert writer.counts.written == MOST_PENDING
    assert "test: 1 not written: too much is waiting to be written" in caplog.text
    os.close(reading)
    os.close(writing)


async def test_the_text_of_a_bug_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    writer = Worker("test")

    def fail() -> None:
        raise ZeroDivisionError("a text of a request")

    writer.hand_over(fail, 0)
    await writer.close()
    assert writer.counts.failed == 1
    assert "test: 1 not written: ZeroDivisionError" in caplog.text
    assert "request" not in caplog.text
