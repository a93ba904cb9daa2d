"""Supported claims made of sentences: what is left out or moved, and what is not."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire_training.examples.rewrites import REWRITES, confident, merged, rewritten


@pytest.mark.parametrize(
    ("rule", "sentence", "expected"),
    [
        (
            "parenthesis",
            "Ada Moreno (born 1850) kept a log of every storm.",
            "Ada Moreno kept a log of every storm.",
        ),
        (
            "relative",
            "Ada Moreno, who was a chemist in Lisbon, opened a school in the harbour.",
            "Ada Moreno opened a school in the harbour.",
        ),
        (
            "relative",
            "Ada Moreno, who married Jon, was the keeper of the lighthouse.",
            "Ada Moreno was the keeper of the lighthouse.",
        ),
        (
            "lead",
            "In 1871, the lighthouse was finished by two brothers.",
            "The lighthouse was finished by two brothers in 1871.",
        ),
        (
            "tail",
            "The lighthouse was finished in 1871.",
            "In 1871, the lighthouse was finished.",
        ),
        (
            "half",
            "The lighthouse is 42 metres high, and the lamp was made in Oslo.",
            "The lighthouse is 42 metres high.",
        ),
    ],
)
def test_a_rule_keeps_what_the_sentence_says(rule: str, sentence: str, expected: str) -> None:
    assert REWRITES[rule](sentence) == expected


def test_a_list_is_not_taken_for_two_clauses() -> None:
    assert REWRITES["half"]("The keeper had a lamp, a log, and two dogs.") is None


def test_two_sentences_become_one_claim() -> None:
    assert merged("Ada kept a log.", "The lamp was lit.") == "Ada kept a log, and the lamp was lit."
    assert merged("Ada kept a log.", "Oslo bought it.") == "Ada kept a log, and Oslo bought it."


def test_confidence_changes_nothing_else() -> None:
    said = confident("The lamp was lit.", random.Random(1))
    assert said.endswith("the lamp was lit.")
    assert said != "the lamp was lit."


@given(st.text(max_size=200), st.integers(0, 100))
def test_any_text_gives_another_one_or_none(sentence: str, seed: int) -> None:
    found = rewritten(sentence, random.Random(seed))
    assert found is None or found[0] != sentence
