"""What of an answer and its contexts is compared."""

import pytest

from groundwire_verifier.checks.similarity.texts import (
    PASSAGE_CHARACTERS,
    check_comparison,
    check_count,
    comparison_texts,
    find_answer_sentences,
    passages_of,
    split_into_sentences,
)
from groundwire_verifier.domain.errors import InvalidInputError
from groundwire_verifier.domain.types import Limits

LIMITS = Limits(claims=10, claim_tokens=10, text_characters=100, sources=3, evidence_characters=250)


def fields_of(answer: str, contexts: list[str], threshold: float = 0.6) -> list[str]:
    with pytest.raises(InvalidInputError) as caught:
        check_comparison(answer, contexts, threshold, LIMITS)
    return [violation.field for violation in caught.value.violations]


def test_abbreviations_numbers_and_addresses_end_no_sentence() -> None:
    text = "Dr. Smith is 4.5 m tall. He lives at https://a.example/b.c?d=e. Ask him!"
    assert split_into_sentences(text) == [
        "Dr. Smith is 4.5 m tall.",
        "He lives at https://a.example/b.c?d=e.",
        "Ask him!",
    ]


def test_items_and_rows_are_sentences_and_code_is_none() -> None:
    text = "Two ways:\n\n- by train\n- by bus\n\n```\nx = 1. Y\n```\n"
    assert split_into_sentences(text) == ["Two ways:", "by train", "by bus"]


def test_hebrew_is_split_at_its_own_sentence_ends() -> None:
    assert split_into_sentences("הבית גדול. הוא נבנה ב-1932.") == ["הבית גדול.", "הוא נבנה ב-1932."]


def test_a_sentence_stands_where_its_span_says() -> None:
    text = "It **rained**\nall day. It snowed at night."
    first, second = find_answer_sentences(text)
    assert first.text == "It rained all day."
    assert first.span.of(text) == "It **rained**\nall day."
    assert second.span.of(text) == second.text == "It snowed at night."


def test_ten_characters_are_enough_and_nine_are_not() -> None:
    texts = comparison_texts("It is hot.\n\nIt is ok.", ["context"])
    assert [each.text for each in texts.sentences] == ["It is hot."]
    assert texts.short == 1


def test_a_long_context_is_cut_at_sentence_ends_and_nothing_of_it_is_lost() -> None:
    text = " ".join(f"This is sentence number {i} of many." for i in range(100))
    passages = passages_of(text)
    assert all(len(passage) <= PASSAGE_CHARACTERS for passage in passages)
    assert all(passage.endswith(".") for passage in passages)
    assert all(any(f"number {i} of" in passage for passage in passages) for i in range(100))


def test_each_passage_knows_its_context() -> None:
    texts = comparison_texts("It rained all day.", ["a", "One sentence here. " * 100, "b"])
    assert texts.context_of[0] == 0
    assert texts.context_of[-1] == 2
    assert set(texts.context_of[1:-1]) == {1}


def test_equal_texts_are_embedded_once() -> None:
    texts = comparison_texts("It rained all day. It rained all day.", ["x", "x"])
    assert texts.texts == ["It rained all day.", "x"]
    assert len(texts.sentences) == len(texts.passages) == 2


def test_all_that_is_wrong_is_told_at_once() -> None:
    assert fields_of("", [], 2.0) == ["answer", "contexts", "threshold"]


@pytest.mark.parametrize(
    ("answer", "contexts", "field"),
    [
        ("It rained all day. " * 5, ["a"], "answer"),
        ("It rained.", list("abcde"), "contexts"),
    ],
)
def test_more_than_may_be_compared_names_what_there_is_more_of(
    answer: str, contexts: list[str], field: str
) -> None:
    texts = comparison_texts(answer, contexts)
    check_count(texts, 6)
    with pytest.raises(InvalidInputError, match="the limit is 5 together") as caught:
        check_count(texts, 5)
    assert caught.value.violations[0].field == field
