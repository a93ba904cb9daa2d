"""The bench of whole answers: which sentences it reads, and what it counts."""

import json

from bench.answers import UNREAD, Judged, parse_answer, report

ANSWER = {
    "id": "a",
    "lang": "en",
    "question": "How high?",
    "sources": [{"id": "S0", "title": "Tower", "text": "It is 330 m high."}],
    "answer": "Hello. It is 330 m high. It is 330 m high, and old.",
    "sentences": [
        {"text": "Hello.", "label": "-"},
        {"text": "It is 330 m high.", "label": "S"},
        {"text": "It is 330 m high, and old.", "label": "N"},
    ],
    "spans": [{"text": "old", "in": 2, "kind": "DETAIL"}],
}


def sentence(label: str, verdict: str, p1: float | None, answer: str = "a") -> Judged:
    return Judged(answer, "en", label, ("DETAIL",) if label == "N" else (), verdict, p1, 0.5)


def test_equal_words_are_found_behind_the_sentence_before() -> None:
    _, first, second = parse_answer(json.dumps(ANSWER)).sentences
    assert (first.span.start, second.span.start) == (7, 25)
    assert second.kinds == ("DETAIL",)


def test_right_sentences_above_wrong_ones_are_an_auroc_of_one() -> None:
    table = report([sentence("S", "SUPPORTED", 0.9), sentence("N", "UNSUPPORTED", 0.2)])[0]
    assert "| all | 2 | 1.00 |" in table


def test_wrong_sentences_that_came_out_supported_are_counted_by_kind() -> None:
    found = [sentence("N", "SUPPORTED", 0.9), sentence("N", "UNSUPPORTED", 0.1)]
    assert "| DETAIL | 2 | 0.50 of 2 |" in report([*found, sentence("S", "SUPPORTED", 0.8)])[4]


def test_a_sentence_without_a_reading_is_the_first_to_look_at() -> None:
    assert sentence("N", UNREAD, None).doubt > sentence("S", "SUPPORTED", 0.01).doubt


def test_an_answer_is_as_good_as_its_worst_sentence() -> None:
    found = [
        sentence("S", "SUPPORTED", 0.9),
        sentence("N", "UNSUPPORTED", 0.3),
        sentence("S", "SUPPORTED", 0.8, answer="b"),
    ]
    assert "| 2 | 1 | 1.00 |" in report(found)[6]
