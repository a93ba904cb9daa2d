"""The first pass: the order of work, and lines that are no rows."""

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from groundwire_server.batch import row_files
from groundwire_server.batch.plan import Plan, make_plan
from groundwire_server.batch.row_files import RowFile, open_rows
from groundwire_server.config.sources import ConfigError
from tests.server.cli.batch.rows_to_run import row, write


def plan_of(file: RowFile) -> tuple[Plan, str]:
    """The plan of a file, and what was rejected."""
    rejected = io.BytesIO()
    return make_plan(file, rejected, lambda _: None), rejected.getvalue().decode()


def test_rows_with_the_same_sources_come_together_where_their_first_stands(tmp_path: Path) -> None:
    sources = ["a", "b", "a", "c", "b", "a"]
    file = write(tmp_path / "rows.jsonl", [row(source=source) for source in sources])
    with open_rows(file, tmp_path / "spool") as rows:
        plan, _ = plan_of(rows)
        assert [each.number for each in plan.rows(rows)] == [1, 3, 6, 2, 5, 4]
        left = plan.without(np.array([3, 2], dtype=np.uint64))
        assert [each.number for each in left.rows(rows)] == [1, 6, 5, 4]


def test_shards_are_whole_groups_unless_one_is_larger(tmp_path: Path) -> None:
    sources = ["a"] * 2 + ["b"] * 3 + ["c"] + ["d"] * 9
    file = write(tmp_path / "rows.jsonl", [row(source=source) for source in sources])
    with open_rows(file, tmp_path / "spool") as rows:
        plan, _ = plan_of(rows)
    assert list(plan.shards(3)) == [(0, 5), (5, 11), (11, 15)]
    assert list(plan.shards(100)) == [(0, 15)]
    assert list(plan.without(plan.numbers).shards(3)) == []


def test_blank_lines_and_a_mark_are_no_rows(tmp_path: Path) -> None:
    file = write(tmp_path / "rows.jsonl", [b"\xef\xbb\xbf" + b'{"answer": "a", "sources": "x"}'])
    file.write_bytes(file.read_bytes() + b"\n  \n" + b'{"answer": "b", "sources": "x"}')
    with open_rows(file, tmp_path / "spool") as rows:
        plan, rejected = plan_of(rows)
        assert [(each.number, each.answer) for each in plan.rows(rows)] == [(1, "a"), (4, "b")]
    assert rejected == ""


def test_a_line_that_is_too_long_is_rejected_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_files, "MAX_ROW_BYTES", 200)
    file = write(tmp_path / "rows.jsonl", [row(source="x" * 1000), row("b")])
    with open_rows(file, tmp_path / "spool") as rows:
        plan, rejected = plan_of(rows)
        assert [each.answer for each in plan.rows(rows)] == ["b"]
    assert '"row": 1' in rejected
    assert "bytes" in rejected


def test_half_a_surrogate_is_told_where_it_stands(tmp_path: Path) -> None:
    file = write(
        tmp_path / "rows.jsonl", [json.dumps(row(id="a\ud800")), json.dumps({"\ud800": 1})]
    )
    with open_rows(file, tmp_path / "spool") as rows:
        _, rejected = plan_of(rows)
    first, second = map(json.loads, rejected.splitlines())
    assert (first["row"], first["id"], first["field"]) == (1, "a\ud800", "id")
    assert (second["row"], second["field"]) == (2, "\ud800")


def test_an_id_counts_once(tmp_path: Path) -> None:
    ids = ["a", None, "b", "a", None, 1, "1", 1]
    file = write(tmp_path / "rows.jsonl", [row(id=id) for id in ids])
    with open_rows(file, tmp_path / "spool") as rows:
        plan, rejected = plan_of(rows)
        assert sorted(each.number for each in plan.rows(rows)) == [1, 2, 3, 5, 6, 7]
    assert plan.rejected == 2
    assert "is that of row 1 already" in rejected
    assert "is that of row 6 already" in rejected


def test_other_rows_have_another_digest(tmp_path: Path) -> None:
    digests = set()
    for rows in ([row("a")], [row("b")], ["{", row("a")], [row("a"), "{"]):
        with open_rows(write(tmp_path / "rows.jsonl", rows), tmp_path / "spool") as file:
            digests.add(plan_of(file)[0].digest)
    assert len(digests) == 4


def test_a_file_that_changes_while_it_is_read_is_told(tmp_path: Path) -> None:
    file = write(tmp_path / "rows.jsonl", [row("a"), row("b")])
    with open_rows(file, tmp_path / "spool") as rows:
        plan, _ = plan_of(rows)
        file.write_bytes(b"no rows any more")
        with pytest.raises(ConfigError, match="has changed"):
            list(plan.rows(rows))


def test_parquet_without_its_extra_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    file = tmp_path / "rows.parquet"
    file.write_bytes(b"PAR1")
    with (
        pytest.raises(ConfigError, match=r"\[parquet\]'"),
        open_rows(file, tmp_path / "spool"),
    ):
        pass
