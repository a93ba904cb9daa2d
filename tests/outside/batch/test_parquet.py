"""Parquet as the input of a batch job: the same rows as JSON lines, with a real pyarrow."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from groundwire_server.batch import row_files
from groundwire_server.batch.plan import make_plan
from groundwire_server.batch.row_files import open_rows
from groundwire_server.batch.rows import Row
from groundwire_server.cli.main import main
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_CONFIG

ROWS = [
    {"id": "a", "answer": "It rained.", "sources": [{"id": "w", "text": "Wet.", "title": None}]},
    {"id": None, "answer": "שלום", "sources": [{"id": None, "text": "Dry.", "title": "Sun"}]},
    {"id": "a", "answer": "Again.", "sources": [{"id": "w", "text": "Wet.", "title": None}]},
    {"id": "d", "answer": None, "sources": []},
]


def rows_of(path: Path) -> tuple[list[Row], list[dict[str, object]]]:
    """The rows of a file, and what was rejected."""
    spool, rejected = path.with_name("spool"), path.with_name("rejected")
    with open_rows(path, spool) as file, rejected.open("wb") as target:
        rows = list(make_plan(file, target, lambda _: None).rows(file))
    assert not spool.exists()
    return rows, [json.loads(line) for line in rejected.read_bytes().splitlines()]


def test_rows_are_those_of_json_lines(tmp_path: Path) -> None:
    table, lines = tmp_path / "rows.parquet", tmp_path / "rows.jsonl"
    # Groups smaller than a batch, and a batch that ends in the middle of one.
    parquet.write_table(pa.Table.from_pylist(ROWS * 300), table, row_group_size=7)
    lines.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS * 300), encoding="utf-8")
    rows, rejected = rows_of(table)
    assert (rows, rejected) == rows_of(lines)
    # The row without an id is no repeat of any.
    assert len(rows) == 1 + 300
    assert {each["field"] for each in rejected} == {"id", "answer"}


def test_a_list_of_texts_is_as_good(tmp_path: Path) -> None:
    table = tmp_path / "rows.parquet"
    column = {"answer": ["x", "y"], "sources": [["one", "two"], ["three"]], "id": [7, 8]}
    parquet.write_table(pa.table(column), table)
    rows, rejected = rows_of(table)
    assert [(row.id, [source.text for source in row.sources]) for row in rows] == [
        (7, ["one", "two"]),
        (8, ["three"]),
    ]
    assert rejected == []


def test_an_unknown_column_is_named(tmp_path: Path) -> None:
    table = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"answer": ["x"], "context": ["y"]}), table)
    with pytest.raises(ConfigError, match="the column context is unknown; use: id"):
        rows_of(table)


def as_it_is(texts: list[bytes]) -> pa.Array:
    """A column of texts that nobody has looked at."""
    column = pa.array(texts, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(column), column.buffers())


def test_a_text_that_is_not_utf8_rejects_its_row_alone(tmp_path: Path) -> None:
    table = tmp_path / "rows.parquet"
    texts = as_it_is([b"Wet.", b"Wet.", b"\xff\xfe"])
    sources = pa.StructArray.from_arrays([texts], ["text"])
    columns = {
        "id": ["a", "b", "c"],
        "answer": as_it_is(["é".encode(), b"It \xe9 rained.", b"It rained."]),
        "sources": pa.ListArray.from_arrays([0, 1, 2, 3], sources),
    }
    parquet.write_table(pa.table(columns), table)
    rows, rejected = rows_of(table)
    assert [(row.id, row.answer) for row in rows] == [("a", "é")]
    reason = "half a surrogate, or bytes that are not UTF-8"
    assert rejected == [
        {"row": 2, "id": "b", "field": "answer", "reason": f"holds no character at 3: {reason}"},
        {
            "row": 3,
            "id": "c",
            "field": "sources[0].text",
            "reason": f"holds no character at 0: {reason}",
        },
    ]


def test_a_column_of_bytes_is_read_as_text(tmp_path: Path) -> None:
    table = tmp_path / "rows.parquet"
    column = pa.array(["é".encode(), b"\xff"], pa.binary())
    parquet.write_table(pa.table({"answer": column, "sources": [["x"], ["x"]]}), table)
    rows, rejected = rows_of(table)
    assert [row.answer for row in rows] == ["é"]
    assert [(each["row"], each["field"]) for each in rejected] == [(2, "answer")]


def test_a_damaged_page_is_an_error_of_the_job(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "rows.parquet"
    columns = {"answer": [f"{i} " * 50 for i in range(999)], "sources": [["x"]] * 999}
    parquet.write_table(pa.table(columns), table)
    content = bytearray(table.read_bytes())
    content[200:260] = bytes(60)
    table.write_bytes(content)
    assert main(["run", str(table), "--out", str(tmp_path / "out.jsonl")]) == EXIT_CONFIG
    assert "rows.parquet cannot be read, it may be damaged" in capsys.readouterr().err


def test_what_is_no_parquet_is_told(tmp_path: Path) -> None:
    table = tmp_path / "rows.parquet"
    table.write_bytes(b'{"answer": "x"}\n')
    with pytest.raises(ConfigError, match="is no Parquet file"):
        rows_of(table)


def that_name_one_text(path: Path, text: str, times: list[int]) -> None:
    """Write a file whose rows name a text so many times as sources; the file has it once."""
    indices = pa.array([0] * sum(times), pa.int32())
    texts = pa.DictionaryArray.from_arrays(indices, [text])
    sources = pa.StructArray.from_arrays([texts], ["text"])
    offsets = [sum(times[:i]) for i in range(len(times) + 1)]
    columns = {
        "answer": ["It rained."] * len(times),
        "sources": pa.ListArray.from_arrays(offsets, sources),
    }
    parquet.write_table(
        pa.table(columns),
        path,
        dictionary_pagesize_limit=2 * len(text),
        store_schema=False,
        compression="zstd",
    )


def test_a_row_that_names_one_text_too_often_is_rejected_without_being_written_out(
    tmp_path: Path,
) -> None:
    table = tmp_path / "rows.parquet"
    that_name_one_text(table, "x" * (1 << 20), [1, 100_000, 2])
    assert table.stat().st_size < 10_000
    rows, rejected = rows_of(table)
    assert [(row.number, len(row.sources)) for row in rows] == [(1, 1), (3, 2)]
    reason = f"has more than {row_files.MAX_ROW_BYTES:,} bytes"
    assert rejected == [{"row": 2, "id": None, "field": "", "reason": reason}]


def test_a_small_file_does_not_fill_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_files, "MAX_SPOOL_BYTES", 1 << 20)
    table = tmp_path / "rows.parquet"
    that_name_one_text(table, "x" * (1 << 18), [1] * 100)
    with pytest.raises(ConfigError, match=r"its first 4 rows take more than 1,048,576 bytes: spl"):
        rows_of(table)
