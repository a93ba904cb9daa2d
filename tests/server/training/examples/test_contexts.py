"""Contexts that are made: how long the long ones are, by a guess that needs no tokeniser."""

import random

import pytest

from groundwire_server.training.data.rows import Row
from groundwire_server.training.examples.contexts import (
    LONG_TOKENS,
    guessed_tokens,
    long_contexts,
)


@pytest.mark.parametrize(("language", "word"), [("en", "tower "), ("he", "מגדל ")])
def test_a_long_context_has_a_length_within_its_bounds(language: str, word: str) -> None:
    rng = random.Random(1)
    texts = [word * rng.randint(5, 400) for _ in range(1500)]
    groups = [[Row("fm2", text, "A claim.", True, None, (), language)] for text in texts]
    shortest, longest = LONG_TOKENS
    lengths = [guessed_tokens(tree.context) for tree in long_contexts(groups, ("scrubbed",), rng)]
    assert len(lengths) > 10
    assert all(shortest <= length <= longest for length in lengths)


def test_words_and_signs_are_counted_and_letters_of_other_scripts_one_by_one() -> None:
    assert guessed_tokens("It is 42.") == pytest.approx(2 * 1.2 + 3)
    assert guessed_tokens("מגדל") == pytest.approx(4 * 1.3)
