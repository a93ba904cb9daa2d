"""Contexts as sources: in parts, among others, and with the same words as before."""

import random

from groundwire_training.examples.sources import as_sources, others_of
from tests.training.examples.test_recipe import HEBREW, ROWS

FIRST = "The mill was built in 1820. It burnt down. A school stands there now."
SECOND = "The mill was built in 1830. It burnt down. A school stands there now."
OTHERS = ["Bees make honey.", "The ferry leaves at nine.", "Iron rusts."]
MADE = [as_sources("roles", (FIRST, SECOND), OTHERS, random.Random(seed)) for seed in range(200)]


def test_every_sentence_stands_in_one_of_the_sources() -> None:
    for first, _ in MADE:
        for sentence in FIRST.split(". "):
            assert first.count(sentence) == 1


def test_twins_differ_in_what_they_say_and_in_nothing_else() -> None:
    for first, second in MADE:
        assert first.replace("1820", "1830") == second


def test_a_source_stands_before_the_right_one_in_many() -> None:
    at = [first.index("The mill") for first, _ in MADE]
    assert sum(place > len("[S0]\n") for place in at) > len(MADE) // 4


def test_a_text_stays_as_it_is_where_nothing_stands_beside_it() -> None:
    assert as_sources("roles", ["Iron rusts."], [], random.Random(1)) == ["Iron rusts."]


def test_sources_stay_the_sources_that_they_are() -> None:
    context = "[S0] mill.txt\nThe mill burnt down. Nobody lived there."
    assert as_sources("roles", [context], OTHERS, random.Random(1)) == [context]


def test_others_are_of_the_same_language() -> None:
    groups = [[row] for row in (*ROWS, *HEBREW)]
    own = {row.context for row in HEBREW}
    assert set(others_of(groups, "he")) <= own
