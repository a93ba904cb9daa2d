"""Labelled rows of one's own: their parts, and what is said of a bad one."""

import json
from pathlib import Path

import pytest

from groundwire_server.config.sources import ConfigError
from groundwire_training.data.rows import HELD_OUT_ONE_IN
from groundwire_training.data.user_rows import read_user_rows

ROW: dict[str, object] = {"context": "The sun is hot.", "claim": "It is hot.", "label": 1}


def written(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def many(count: int, **more: object) -> list[dict[str, object]]:
    return [ROW | {"context": f"Context {i // 2}.", "label": i % 2} | more for i in range(count)]


def test_one_context_in_twelve_is_held_out_and_no_two_parts_share_one(tmp_path: Path) -> None:
    dev = [ROW | {"context": f"Context {i}.", "split": "dev"} for i in range(20)]
    rows = read_user_rows(written(tmp_path / "a.jsonl", *many(2400), *dev))
    parts = [rows.train, rows.held_out, rows.dev]
    contexts = [{row.context for row in part} for part in parts]
    assert sum(map(len, parts)) == 2420
    assert sum(map(len, contexts)) == len(set.union(*contexts)) == 1200
    assert len(contexts[1]) / 1180 == pytest.approx(1 / HELD_OUT_ONE_IN, abs=0.03)
    # A context with a dev row is set apart whole.
    assert len(rows.dev) == 60


def test_a_folder_gives_all_its_files_and_a_file_names_its_rows(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    written(tmp_path / "b.jsonl", ROW | {"source": "tickets", "language": "de"})
    written(tmp_path / "more" / "a.jsonl", ROW | {"label": 0, "cited_spans": [[0, 7]]})
    (tmp_path / "notes.txt").write_text("no rows")
    rows = read_user_rows(tmp_path)
    (first, second) = (*rows.train, *rows.held_out)
    assert (first.source, first.language, first.contradicted) == ("tickets", "de", False)
    assert (second.source, second.language, second.contradicted) == ("a", "en", None)
    assert second.cited_spans == ((0, 7),)


def test_a_row_that_does_not_name_its_language_has_that_of_its_claim(tmp_path: Path) -> None:
    rows = read_user_rows(written(tmp_path / "a.jsonl", ROW, ROW | {"claim": "השמש חמה."}))
    assert [row.language for row in (*rows.train, *rows.held_out)] == ["en", "he"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"claim": " "}, "claim must be more than blanks"),
        ({"claim": 3}, "claim must be a text"),
        ({"label": "yes"}, "label must be 1"),
        ({"split": "test"}, 'split must be "train" or "dev"'),
        ({"language": ""}, "language must be a text of 1 to 100 characters"),
        ({"source": "x" * 101}, "source must be a text"),
        ({"contradicted": 1}, "contradicted must be true or false"),
        ({"contradicted": True}, "contradicted must be false where label is 1"),
        ({"cited_spans": [[3, 99]]}, r"cited_spans must be a list of \[start, end\)"),
        ({"cited_spans": [[0, True]]}, "cited_spans must be"),
        ({"cited_spans": "0-7"}, "cited_spans must be"),
    ],
)
def test_a_bad_row_is_refused_with_its_file_line_and_field(
    tmp_path: Path, change: dict[str, object], told: str
) -> None:
    path = written(tmp_path / "a.jsonl", ROW, ROW | change)
    with pytest.raises(ConfigError, match=told) as refused:
        read_user_rows(path)
    assert str(refused.value).startswith(f"{path}, line 2: ")


def test_a_folder_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"holds no file that ends in \.jsonl"):
        read_user_rows(tmp_path)
