"""`groundwire feedback export`: the rows of a server's file, which `groundwire calibrate` reads."""

import json
import stat
from pathlib import Path

import pytest

from groundwire_server.cli.main import main
from groundwire_server.models.labelled_file import LabelledClaim, read_labelled
from groundwire_server.records.feedback_store import SqliteFeedback
from groundwire_training.data.user_rows import read_user_rows
from groundwire_verifier.checks.feedback import Feedback, FeedbackVerdict, KeptClaim

SAID = (FeedbackVerdict.GROUNDED, FeedbackVerdict.NOT_GROUNDED, FeedbackVerdict.UNSURE)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file in which two people have said something of three claims, of four."""
    path = tmp_path / "feedback.sqlite"
    store = SqliteFeedback(path, 1e9, 1 << 20)
    claims = [KeptClaim(i, f"claim {i}", "הגשר", "SUPPORTED", 0.75, 0.25) for i in range(4)]
    store.keep("a" * 32, "", "tiny", claims)
    for index, verdict in enumerate(SAID):
        store.record(Feedback("a" * 32, index, verdict, "why"), "")
    store.close()
    return path


def export(file: Path, out: Path) -> int:
    return main(["feedback", "export", "--out", str(out), "--feedback-file", str(file)])


def test_what_calibrate_reads_is_what_people_said(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    assert export(file, out) == 0
    assert read_labelled(out) == [
        LabelledClaim("הגשר", "claim 0", supported=True),
        LabelledClaim("הגשר", "claim 1", supported=False),
    ]


def test_train_takes_the_same_rows(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    export(file, out)
    rows = read_user_rows(out)
    found = (*rows.train, *rows.held_out, *rows.dev)
    assert [(row.context, row.claim, row.supported, row.contradicted) for row in found] == [
        ("הגשר", "claim 0", True, False),
        ("הגשר", "claim 1", False, None),
    ]


def test_a_row_has_the_numbers_and_where_it_is_from(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    export(file, out)
    row = json.loads(out.read_text().splitlines()[1])
    assert row == {
        "context": "הגשר",
        "claim": "claim 1",
        "label": 0,
        "p1": 0.75,
        "p0": 0.25,
        "verdict": "SUPPORTED",
        "model": "tiny",
        "note": "why",
        "detection_id": "a" * 32,
        "index": 1,
    }


def test_what_was_left_out_is_told(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export(file, tmp_path / "rows.jsonl")
    assert "2 rows: 1 grounded, 1 not; 1 unsure are left out" in capsys.readouterr().err


def test_only_who_exports_can_read_the_rows(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    export(file, out)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


def test_what_a_server_keeps_for_longer_than_the_command_stays(tmp_path: Path) -> None:
    path = tmp_path / "feedback.sqlite"
    # Of 1970.
    store = SqliteFeedback(path, float("inf"), 1 << 20, clock=lambda: 0.0)
    store.keep("a" * 32, "", "tiny", [KeptClaim(0, "x" * 2000, "y", "SUPPORTED", 0.75, 0.25)])
    store.record(Feedback("a" * 32, 0, FeedbackVerdict.GROUNDED, ""), "")
    store.close()
    path.chmod(0o640)
    before = path.read_bytes()
    out = tmp_path / "rows.jsonl"
    for _ in range(2):
        assert export(path, out) == 0
        assert len(read_labelled(out)) == 1
    assert path.read_bytes() == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_server_that_is_running_is_read_with_what_it_has_just_kept(tmp_path: Path) -> None:
    path = tmp_path / "feedback.sqlite"
    store = SqliteFeedback(path, 1e9, 1 << 20)
    store.keep("a" * 32, "", "tiny", [KeptClaim(0, "claim", "y", "SUPPORTED", 0.75, 0.25)])
    store.record(Feedback("a" * 32, 0, FeedbackVerdict.GROUNDED, ""), "")
    assert export(path, tmp_path / "rows.jsonl") == 0
    # Which goes on.
    assert store.record(Feedback("a" * 32, 0, FeedbackVerdict.NOT_GROUNDED, ""), "")
    store.close()


@pytest.mark.parametrize("content", [b"", b"no database" * 100])
def test_a_file_without_feedback_is_refused_and_left_as_it_is(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    assert export(path, tmp_path / "rows.jsonl") == 2
    assert "feedback_file cannot be read" in capsys.readouterr().err
    assert path.read_bytes() == content


def test_it_exits_with_1_where_nobody_has_said_anything(tmp_path: Path) -> None:
    SqliteFeedback(tmp_path / "empty.sqlite", 1e9, 1 << 20).close()
    assert export(tmp_path / "empty.sqlite", tmp_path / "rows.jsonl") == 1


def test_a_file_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(tmp_path / "nothing.sqlite", tmp_path / "rows.jsonl") == 2
    assert "nothing.sqlite" in capsys.readouterr().err
    assert not (tmp_path / "nothing.sqlite").exists()
