"""Answers explained and put right by the real model, in English and in Hebrew."""

import pytest

from groundwire import AnswerReport, Client, EditKind, Evidence, PassageRelation, SpanKind
from tests.serving import Served

CASES = {
    "value": (
        "The Galata Tower has nine floors and is 82 m high. It was built by the Genoese in 1348.",
        "The Galata Tower is 63 metres high. It has nine floors. "
        "It was built by the Genoese in 1348.",
        "The Galata Tower has nine floors and is 63 m high. It was built by the Genoese in 1348.",
        EditKind.VALUE_REPLACED,
    ),
    "clause": (
        "- The tower stands in Paris because of a bet.\n- It opened in 1889.",
        "The tower stands in Paris. It opened in 1889.",
        "- The tower stands in Paris.\n- It opened in 1889.",
        EditKind.CLAUSE_LEFT_OUT,
    ),
    "sentence": (
        "Tickets cost 15 euros [S0]. Dogs are welcome.",
        "Opening hours: the museum opens at 10:00 on weekdays. Tickets cost 15 euros.",
        "Tickets cost 15 euros [S0].",
        EditKind.SENTENCE_LEFT_OUT,
    ),
    "hebrew": (
        "המוזיאון נפתח בשנת 1985. כרטיס עולה 30 שקלים.",
        "המוזיאון נפתח בשנת 1985. כרטיס עולה 45 שקלים.",
        "המוזיאון נפתח בשנת 1985. כרטיס עולה 45 שקלים.",
        EditKind.VALUE_REPLACED,
    ),
}


@pytest.fixture(scope="module")
def reports(served: Served) -> dict[str, AnswerReport]:
    with Client(served.target, timeout_s=120) as client:
        return {
            name: client.verify_answer(answer, Evidence.documents({"S0": source}), correct=True)
            for name, (answer, source, *_) in CASES.items()
        }


@pytest.mark.parametrize("case", CASES)
def test_an_answer_is_put_right_by_its_source(reports: dict[str, AnswerReport], case: str) -> None:
    _, _, right, kind = CASES[case]
    correction = reports[case].correction
    assert correction is not None
    assert correction.corrected_answer == right
    assert [edit.kind for edit in correction.edits] == [kind]
    assert correction.summary is not None
    assert correction.summary.grounding_ratio == 1.0
    assert not correction.untried_claims


@pytest.mark.parametrize(("case", "value"), [("value", "82 m"), ("hebrew", "30 שקלים")])
def test_the_wrong_value_is_marked_and_the_sentence_that_decides_is_told(
    reports: dict[str, AnswerReport], case: str, value: str
) -> None:
    answer = CASES[case][0]
    (wrong,) = [each for each in reports[case] if each.unsupported_spans]
    assert [(each.span.of(answer), each.kind) for each in wrong.unsupported_spans] == [
        (value, SpanKind.NUMBER)
    ]
    told = [(each.relation, each.source_id) for each in wrong.deciding_passages[:1]]
    # In bfloat16 no sentence is near enough to the bar to be told of the height.
    assert told == [(PassageRelation.CONTRADICTS, "S0")] or (case == "value" and not told)
