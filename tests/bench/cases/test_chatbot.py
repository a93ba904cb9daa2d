"""The bench of a chatbot's answers: its data, and what it counts as right."""

from collections import Counter

from bench.cases.chatbot import Judged, judged_by, load_answers, tables
from groundwire import Client, Document, Evidence

FEWEST_ANSWERS = 40
ANSWERS = load_answers()


def judged(*, supported: bool, budget: bool, score: bool) -> Judged:
    grounded = {"BUDGET": budget, "GROUNDING_SCORE": score}
    return Judged("a", "en", "mixed", "x", supported, 0.5, 0.5, "UNSUPPORTED", grounded)


def test_there_are_enough_answers_of_every_kind_in_both_languages() -> None:
    assert len(ANSWERS) >= FEWEST_ANSWERS
    assert len({answer.id for answer in ANSWERS}) == len(ANSWERS)
    assert len(set(Counter((answer.language, answer.kind) for answer in ANSWERS).values())) == 1


def test_what_an_answer_is_called_fits_its_labels() -> None:
    for answer in ANSWERS:
        labels = {supported for _, supported in answer.claims}
        expected = {"supported": {True}, "mixed": {True, False}}.get(answer.kind, {False})
        assert labels == expected, answer.id


def test_every_sentence_of_every_answer_is_found_as_a_claim(scripted_client: Client) -> None:
    for answer in ANSWERS:
        evidence = Evidence.documents([Document(*source) for source in answer.sources.items()])
        report = scripted_client.verify_answer(answer.text, evidence)
        assert len(judged_by(answer, {"BUDGET": report})) == len(answer.claims)


def test_a_claim_is_right_where_it_is_grounded_as_it_is_labelled() -> None:
    found = [
        judged(supported=True, budget=True, score=False),
        judged(supported=False, budget=False, score=False),
    ]
    text = "\n".join(tables(found))
    assert "| all | 1 | 2 | 0.50 | 2 of 2 | 1 of 1 | 1 of 2 | 0 of 1 |" in text
