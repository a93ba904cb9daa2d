"""Which words of an edited sentence are wrong: those in which it differs from its right twin."""

import pytest

from bench.explain import differing


@pytest.mark.parametrize(
    ("wrong", "right", "words"),
    [
        ("The mill closed in 1950.", "The mill closed in 1940.", "1950"),
        ("Miners own the shop.", "Farmers own the shop.", "Miners"),
        ("The ferry is very slow..", "The ferry is fast.", "very slow"),
        ("He saw ten big cats there.", "He saw ten cats there.", "big"),
        ("The red red door opens.", "The red door opens.", "red"),
        ("הטחנה נסגרה בשנת 1950.", "הטחנה נסגרה בשנת 1940.", "1950"),
        ("The same words.", "The same words.", ""),
        ("Shorter.", "Shorter. And more.", ""),
    ],
)
def test_what_both_begin_and_end_with_is_not_wrong(wrong: str, right: str, words: str) -> None:
    assert differing(wrong, right).of(wrong) == words
