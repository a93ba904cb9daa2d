"""The labelled rows of the shared data."""

import json
from pathlib import Path

import pytest

from bench.tools.common import BenchError
from bench.tools.labelled import SETS, choose, parse_rows, read_rows
from tests.bench.labelled_rows import labelled

CONTEXT = "Ada wrote a program. It computed numbers. Nobody ran it."


def row(identity: str, context: str = CONTEXT, **changes: object) -> dict[str, object]:
    plain = {"id": identity, "context": context, "claim": f"Claim {identity}.", "label": 1}
    return {**plain, "source": "test", "split": "dev", "meta": {}, **changes}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Rows on two contexts, with the contexts mixed and one row of another split."""
    rows = [
        row("a"),
        row("b", "Another context.", label=0),
        row("c", meta={"lang": "he", "kind": "number", "label3": "entailment"}),
        row("d", split="train"),
        row("e"),
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    return path


def test_a_split_is_read_whole_and_alone(file: Path) -> None:
    assert [r.id for r in parse_rows(file, "dev")] == ["a", "b", "c", "e"]
    assert [r.id for r in parse_rows(file, "train")] == ["d"]


def test_a_row_that_names_no_language_has_that_of_its_set(file: Path) -> None:
    assert [r.language for r in parse_rows(file, "dev", "fr")] == ["fr", "fr", "he", "fr"]


def test_a_limit_takes_whole_contexts_and_always_the_same(file: Path) -> None:
    rows = parse_rows(file, "dev")
    chosen = choose(rows, 2)
    assert chosen == choose(rows, 2)
    assert len(chosen) >= 2
    contexts = {r.context for r in chosen}
    assert chosen == [r for r in rows if r.context in contexts]
    assert choose(rows, None) == rows


@pytest.mark.parametrize("wrong", [{"label": 2}, {"claim": ""}, {"context": None}])
def test_a_row_that_is_no_row_is_told_with_its_line(
    tmp_path: Path, wrong: dict[str, object]
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row("a")) + "\n" + json.dumps({**row("b"), **wrong}) + "\n", "utf-8")
    with pytest.raises(BenchError, match="line 2"):
        parse_rows(path, "dev")


def test_word_overlap_is_the_share_of_the_claims_words_in_the_context() -> None:
    found = labelled("a", "The tower was built TWICE.", "The tower, built in 1348.")
    assert found.word_overlap == pytest.approx(3 / 5)
    assert labelled("a", "?", "x").word_overlap == 0


@pytest.mark.parametrize("name", SETS)
def test_every_row_of_a_shared_split_is_read_once(
    shared: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWIRE_SHARED", str(shared))
    with (shared / "data" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        dev = [r for r in map(json.loads, lines) if r["split"] == "dev"]
    assert [(r.id, r.context, r.claim, r.supported) for r in read_rows(name, "dev")] == [
        (r["id"], r["context"], r["claim"], r["label"] == 1) for r in dev
    ]
