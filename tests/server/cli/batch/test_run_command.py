"""`groundwire run` as a user runs it, against a scripted server: results and exit codes."""

import json
from pathlib import Path

import grpc
import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from groundwire_server.batch import command
from groundwire_server.cli.main import main
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_CONFIG, EXIT_OK, EXIT_UNAVAILABLE
from tests.client.plain_answers import answer_response, info_response, unverified
from tests.client.scripted import ScriptedServer, bad_request, failing, retry_after
from tests.server.cli.batch.rows_to_run import Run, lines_of, rejected, row, write
from tests.serving import free_port


def plainly(_: grpc.ServicerContext) -> None:
    """A step that leaves its call to the plain answer."""


BEFORE_ROWS = (plainly, plainly)
"""What the server is asked before the first row: whether it serves, and what it is."""


def verified(server: ScriptedServer) -> list[str]:
    """The answers that the server was asked about."""
    requests = [each.request for each in server.received]
    return [each.answer for each in requests if isinstance(each, pb.VerifyAnswerRequest)]


def test_each_row_has_one_result_in_the_form_of_verify(run: Run, out: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "rows.jsonl", [row(id="a", question="Why?"), row("0.75 0.125 0.25")])
    code, printed, told = run(file)
    assert (code, printed) == (EXIT_OK, f"{out}\n")
    first, second = sorted(lines_of(out), key=lambda each: str(each["row"]))
    assert (first["row"], first["id"], first["error"]) == (1, "a", None)
    assert (second["row"], second["id"]) == (2, None)
    report = first["report"]
    assert isinstance(report, dict)
    parts = ["answer", "question", "sources", "claims", "summary", "run", "correction"]
    assert list(report) == parts
    assert report["question"] == "Why?"
    assert first["versions"] == second["versions"]
    assert isinstance(first["versions"], dict)
    assert first["versions"]["model"] == "tiny"
    assert "2 rows, 50.0% grounded" in told
    assert "claims: 3 SUPPORTED, 2 UNSUPPORTED" in told
    assert "160 tokens of prompts, 100 of them computed" in told


def test_what_is_no_row_is_kept_apart_with_its_field(run: Run, out: Path, tmp_path: Path) -> None:
    file = write(
        tmp_path / "rows.jsonl",
        [row(id="a"), "no JSON", row(colour="red"), row(id="a"), {"answer": "x"}, row(id="b")],
    )
    code, _, told = run(file)
    assert code == EXIT_BELOW
    assert {each["id"] for each in lines_of(out)} == {"a", "b"}
    assert sorted(rejected(out), key=str) == [(2, ""), (3, "colour"), (4, "id"), (5, "sources")]
    assert "4 rejected" in told


def test_an_empty_file_is_a_job_without_rows(run: Run, out: Path, tmp_path: Path) -> None:
    code, printed, _ = run(write(tmp_path / "rows.jsonl", []), "--json")
    assert code == EXIT_OK
    assert out.read_bytes() == b""
    assert json.loads(printed)["rows"] == 0


def test_what_the_server_refuses_of_a_row_is_its_result(
    run: Run, server: ScriptedServer, out: Path, tmp_path: Path
) -> None:
    refused = failing(
        grpc.StatusCode.INVALID_ARGUMENT,
        "TEXT_TOO_LONG",
        details=(bad_request(answer="has 9 characters; at most 3"),),
    )
    server.script(*BEFORE_ROWS, refused)
    code, _, told = run(write(tmp_path / "rows.jsonl", [row(), row()]), "--parallel", "1")
    assert code == EXIT_BELOW
    error = lines_of(out)[0]["error"]
    assert error == {
        "reason": "TEXT_TOO_LONG",
        "message": "the message",
        "fields": [{"field": "answer", "description": "has 9 characters; at most 3"}],
    }
    assert "without a full report: 1 TEXT_TOO_LONG" in told


def test_an_answer_without_a_claim_has_a_reason(
    run: Run, server: ScriptedServer, out: Path, tmp_path: Path
) -> None:
    empty = answer_response("0.5")
    del empty.claims[:], empty.summary.review_order[:]
    empty.summary.total_claims = empty.summary.grounded_claims = 0
    empty.summary.grounding_ratio = empty.summary.verified_share = 0
    empty.summary.overall_grounded = False
    server.script(*BEFORE_ROWS, empty)
    assert run(write(tmp_path / "rows.jsonl", [row()]))[0] == EXIT_BELOW
    (result,) = lines_of(out)
    assert isinstance(result["error"], dict)
    assert result["error"]["reason"] == "NO_CLAIM"
    assert result["report"] is not None


def test_a_busy_server_is_asked_again(
    run: Run, server: ScriptedServer, out: Path, tmp_path: Path
) -> None:
    busy = failing(
        grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL", details=(retry_after(0, 1_000_000),)
    )
    server.script(*BEFORE_ROWS, busy, busy)
    assert run(write(tmp_path / "rows.jsonl", [row()]))[0] == EXIT_OK
    assert len(lines_of(out)) == 1


def test_a_row_that_runs_out_of_time_twice_has_that_as_its_result(
    run: Run, server: ScriptedServer, out: Path, tmp_path: Path
) -> None:
    late = failing(grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED")
    server.script(*BEFORE_ROWS, late, plainly, late, plainly)
    file = write(tmp_path / "rows.jsonl", [row(), row("0.5")])
    assert run(file, "--parallel", "1")[0] == EXIT_BELOW
    first, second = lines_of(out)
    assert isinstance(first["error"], dict)
    assert first["error"]["reason"] == "DEADLINE_EXCEEDED"
    assert second["error"] is None


@pytest.mark.parametrize("how", ["the call", "the report"])
def test_a_failed_engine_ends_the_job_and_the_same_command_goes_on(
    run: Run, server: ScriptedServer, out: Path, tmp_path: Path, how: str
) -> None:
    # Not UNAVAILABLE, which a client tries again by itself.
    lost = failing(grpc.StatusCode.INTERNAL, "ENGINE_FAILED")
    half = answer_response("0.75 none")
    del half.summary.unverified[:]
    half.summary.unverified.append(unverified(1, "VERDICT_REASON_BACKEND_FAILED"))
    half.claims[1].verdict.reason = pb.VERDICT_REASON_BACKEND_FAILED
    half.summary.overall_grounded = half.summary.complete = False
    dead = info_response(backend_pb.SERVER_STATE_FAILED)
    server.script(*BEFORE_ROWS, plainly, *([lost] if how == "the call" else [half, dead]))
    answers = ["0.5", "0.75 none", "0.875"]
    file = write(tmp_path / "rows.jsonl", [row(answer) for answer in answers])
    code, _, told = run(file, "--parallel", "1")
    assert code == EXIT_UNAVAILABLE
    assert "the same command goes on from there" in told
    assert [each["row"] for each in lines_of(out)] == [1]
    server.received.clear()
    assert run(file, "--parallel", "1")[0] == EXIT_OK
    assert [each["row"] for each in lines_of(out)] == [1, 2, 3]
    assert verified(server) == answers[1:]


def test_an_answer_that_breaks_the_contract_is_the_row_s_own(
    run: Run, server: ScriptedServer, out: Path, tmp_path: Path
) -> None:
    wrong = answer_response("0.75 none")
    del wrong.summary.unverified[:]
    server.script(*BEFORE_ROWS, wrong)
    file = write(tmp_path / "rows.jsonl", [row(), row("0.5")])
    assert run(file, "--parallel", "1")[0] == EXIT_BELOW
    first, second = lines_of(out)
    assert isinstance(first["error"], dict)
    assert first["error"]["reason"] == "INVALID_RESPONSE"
    assert second["error"] is None


def test_many_rows_that_fail_in_a_row_end_the_job_with_their_errors(
    run: Run, server: ScriptedServer, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "MOST_FAILED_IN_A_ROW", 2)
    bug = failing(grpc.StatusCode.INTERNAL, "INTERNAL")
    server.script(*BEFORE_ROWS, bug, plainly, bug, bug)
    file = write(tmp_path / "rows.jsonl", [row(answer) for answer in ("0.5", "1", "0", "1", "0.5")])
    code, _, told = run(file, "--parallel", "1")
    assert code == EXIT_UNAVAILABLE
    assert "2 rows failed one after the other, the last with INTERNAL: the message" in told
    assert [each["row"] for each in lines_of(out)] == [1, 2, 3, 4]
    assert run(file)[0] == EXIT_BELOW
    assert [each["row"] for each in lines_of(out)] == [1, 2, 3, 4, 5]


def test_a_job_that_is_done_asks_nobody(run: Run, server: ScriptedServer, tmp_path: Path) -> None:
    file = write(tmp_path / "rows.jsonl", [row(), row()])
    run(file)
    server.received.clear()
    code, printed, _ = run(file, "--json")
    assert (code, server.received) == (EXIT_OK, [])
    summary = json.loads(printed)
    assert (summary["rows"], summary["left"], summary["done_now"]) == (2, 0, 0)


def test_a_mistake_of_the_whole_job_ends_it(
    run: Run, server: ScriptedServer, out: Path, tmp_path: Path
) -> None:
    unknown = failing(grpc.StatusCode.INVALID_ARGUMENT, "UNKNOWN_BACKEND")
    server.script(*BEFORE_ROWS, unknown)
    code, _, told = run(write(tmp_path / "rows.jsonl", [row()]), "--parallel", "1")
    assert code == EXIT_CONFIG
    assert "UNKNOWN_BACKEND" in told
    assert lines_of(out) == []


def test_no_server_is_a_reason_to_come_again(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "WAIT_FOR_SERVER_S", 0.5)
    file = write(tmp_path / "rows.jsonl", [row()])
    given = ["--out", str(out), "--target", f"127.0.0.1:{free_port()}"]
    assert main(["run", str(file), *given]) == EXIT_UNAVAILABLE


def test_a_terminal_sees_how_far_it_is(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes a terminal of stderr for rich
    assert "3/3" in run(write(tmp_path / "rows.jsonl", [row()] * 3))[2]
