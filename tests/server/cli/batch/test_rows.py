"""What is a row, and what of another one is wrong."""

import json

import pytest

from groundwire import Document
from groundwire_server.batch.rows import RowError, parse_row


def test_sources_are_texts_or_objects() -> None:
    line = {
        "id": 7,
        "answer": "It rained [w].",
        "sources": ["Dry.", {"id": "w", "title": "Weather", "text": "It rained."}, {"text": "x"}],
        "question": "Was it wet?",
    }
    row = parse_row(3, json.dumps(line).encode())
    assert (row.number, row.id, row.answer, row.question) == (
        3, 7, "It rained [w].", "Was it wet?",
    )  # fmt: skip
    assert row.sources == (
        Document("S0", "Dry."),
        Document("w", "It rained.", "Weather"),
        Document("S2", "x"),
    )


def test_null_is_as_good_as_left_out() -> None:
    row = parse_row(1, b'{"id": null, "answer": "a", "sources": "one text", "question": null}')
    assert (row.id, row.question, row.sources) == (None, "", (Document("S0", "one text"),))


def test_rows_with_the_same_sources_have_one_key() -> None:
    first, same, other = (
        parse_row(1, json.dumps({"answer": answer, "sources": sources}).encode())
        for answer, sources in (("a", ["x", "y"]), ("b", ["x", {"text": "y"}]), ("a", ["xy"]))
    )
    assert first.sources_key() == same.sources_key() != other.sources_key()


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        (b"{", "", "is not JSON"),
        (b"[" * 100_000, "", "is not JSON"),
        (b"\xff{}", "", "is not UTF-8"),
        (b"[1]", "", "must be a JSON object"),
        (b'{"sources": ["x"]}', "answer", "is missing"),
        (b'{"answer": 5, "sources": ["x"]}', "answer", "must be a text"),
        (b'{"answer": "a"}', "sources", "is missing"),
        (b'{"answer": "a", "sources": []}', "sources", "at least one"),
        (b'{"answer": "a", "sources": {"text": "x"}}', "sources", "must be a text, or a list"),
        (b'{"answer": "a", "sources": ["x", 5]}', "sources[1]", "must be a text, or an object"),
        (b'{"answer": "a", "sources": [{"id": "S0"}]}', "sources[0].text", "is missing"),
        (b'{"answer": "a", "sources": [{"txt": "x"}]}', "sources[0].txt", "is unknown"),
        (b'{"answer": "a", "sources": ["x"], "context": "x"}', "context", "is unknown; use: id"),
        (b'{"answer": "a", "sources": ["x"], "id": 1.5}', "id", "whole number"),
        (b'{"answer": "a", "sources": ["x"], "id": true}', "id", "whole number"),
        (b'{"answer": "\\ud800", "sources": ["x"]}', "answer", "half a surrogate"),
    ],
)
def test_what_is_wrong_is_named(line: bytes, field: str, reason: str) -> None:
    with pytest.raises(RowError) as raised:
        parse_row(1, line)
    assert raised.value.field == field
    assert reason in raised.value.reason
