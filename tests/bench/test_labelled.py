"""The labelled rows, and the calls that ask about them."""

import json
from pathlib import Path

import pytest

from bench.tools.common import BenchError
from bench.tools.labelled import SETS, calls_for, choose, parse_rows
from groundwire import Evidence, SourceRange

CONTEXT = "Ada wrote a program. It computed numbers. Nobody ran it."


def row(identity: str, context: str = CONTEXT, **changes: object) -> dict[str, object]:
    plain = {"id": identity, "context": context, "claim": f"Claim {identity}.", "label": 1}
    return {**plain, "source": "test", "split": "dev", "meta": {}, **changes}


def spans(*found: tuple[int, int]) -> dict[str, object]:
    return {"cited_spans": found}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Rows on two contexts, with the contexts mixed and one row of another split."""
    rows = [
        row("a", meta=spans((0, 20))),
        row("b", "Another context.", label=0),
        row("c", meta=spans((21, 41), (0, 20))),
        row("d", split="train"),
        row("e", meta=spans((0, 20))),
        row("f"),
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    return path


def test_a_split_is_read_whole_and_alone(file: Path) -> None:
    assert [r.id for r in parse_rows(file, "dev")] == ["a", "b", "c", "e", "f"]
    assert [r.id for r in parse_rows(file, "train")] == ["d"]


def test_every_row_is_in_exactly_one_call_with_the_rows_on_its_context(file: Path) -> None:
    calls = calls_for(parse_rows(file, "dev"), max_claims=100)
    assert [[r.id for r in call.rows] for call in calls] == [["a", "c", "e", "f"], ["b"]]


def test_a_call_holds_no_more_claims_than_the_server_takes(file: Path) -> None:
    calls = calls_for(parse_rows(file, "dev"), max_claims=3)
    assert [[r.id for r in call.rows] for call in calls] == [["a", "c", "e"], ["f"], ["b"]]


def test_claims_cite_their_own_spans_or_else_the_whole_context(file: Path) -> None:
    call, other = calls_for(parse_rows(file, "dev"), max_claims=100)

    cited = [cited_text(call.evidence, claim.cited_ids) for claim in call.claims]
    assert cited == [
        ["Ada wrote a program."],
        ["Ada wrote a program.", "It computed numbers."],
        ["Ada wrote a program."],
        [CONTEXT],
    ]
    assert len({claim.cited_ids for claim in call.claims}) == 3
    assert other.evidence == Evidence.context(
        "Another context.", [SourceRange("gold", 0, len("Another context."))]
    )


def cited_text(evidence: Evidence, ids: tuple[str, ...]) -> list[str]:
    return [
        evidence.context_text[source.start : source.end]
        for source in evidence.sources
        if isinstance(source, SourceRange) and source.id in ids
    ]


def test_a_limit_takes_whole_contexts_and_always_the_same(file: Path) -> None:
    rows = parse_rows(file, "dev")
    chosen = choose(rows, 2)
    assert chosen == choose(rows, 2)
    assert len(chosen) >= 2
    assert len({r.context_number for r in rows if r not in chosen} & {0, 1}) <= 1
    numbers = {r.context_number for r in chosen}
    assert chosen == [r for r in rows if r.context_number in numbers]
    assert choose(rows, None) == rows


@pytest.mark.parametrize(
    "wrong",
    [
        {"label": 2},
        {"meta": spans((0, 1000))},
        {"meta": spans((5, 5))},
        {"meta": None},
    ],
)
def test_a_row_that_is_no_row_is_told_with_its_line(
    tmp_path: Path, wrong: dict[str, object]
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row("a")) + "\n" + json.dumps({**row("b"), **wrong}) + "\n", "utf-8")
    with pytest.raises(BenchError, match="line 2"):
        parse_rows(path, "dev")


@pytest.mark.parametrize("name", SETS)
def test_every_shared_row_is_asked_once_and_cites_what_the_data_names(
    shared: Path, name: str
) -> None:
    path = shared / "data" / f"{name}.jsonl"
    with path.open(encoding="utf-8") as lines:
        dev = [r for r in map(json.loads, lines) if r["split"] == "dev"]
    calls = calls_for(parse_rows(path, "dev"), max_claims=1000)

    asked = {r.id: (c, r) for c in calls for r in c.rows}
    assert sum(len(c.rows) for c in calls) == len(asked) == len(dev)
    assert len(calls) == len({r["context"] for r in dev})
    for original in dev:
        call, found = asked[original["id"]]
        claim = call.claims[call.rows.index(found)]
        whole = [[0, len(original["context"])]]
        expected = original["meta"].get("cited_spans", whole)
        assert (claim.text, found.supported) == (original["claim"], original["label"] == 1)
        assert call.evidence.context_text == original["context"]
        assert sorted(cited_text(call.evidence, claim.cited_ids)) == sorted(
            original["context"][start:end] for start, end in expected
        )
