"""Lists and tables: what a row says, what another row says, and how many there are."""

import random
import re

import pytest

from groundwire_training.made.records import KINDS, LAYOUTS, Layout, records
from groundwire_training.made.twins import Told, Twins
from groundwire_training.made.words import NUMBER_WORDS, capital

SEEDS = range(200)
ROWS = [["lamp", "12 euros", "red"], ["kettle", "40 euros", "blue"]]
LABELS = ["product", "price", "colour"]


MEANT = {
    capital(form.format(name=name, value=value)): (name, value)
    for kind in KINDS
    for column in kind.columns
    for form in column.claims
    for name in kind.names
    for value in column.values
}
"""The name and the value that each claim on a row is about."""


def of_rows() -> list[tuple[Twins, Told]]:
    made = [records(random.Random(seed)) for seed in SEEDS]
    return [(twins, told) for twins in made for told in twins.claims if told.kind == "row"]


def parts(context: str) -> list[str]:
    """A text for each record: blocks, or lines of a table or a list."""
    return re.split(r"\n\n|\n(?=[-|])", context)


def stands(text: str, context: str) -> bool:
    found = re.search(rf"(?<![\w,:]){re.escape(text)}(?!\w|[,:]\w)", context, re.IGNORECASE)
    return found is not None


@pytest.mark.parametrize(
    ("layout", "text"),
    list(
        zip(
            LAYOUTS,
            (
                "| product | price | colour |\n| --- | --- | --- |\n"
                "| lamp | 12 euros | red |\n| kettle | 40 euros | blue |",
                "product: lamp\nprice: 12 euros\ncolour: red\n\n"
                "product: kettle\nprice: 40 euros\ncolour: blue",
                "- Lamp: price 12 euros, colour red\n- Kettle: price 40 euros, colour blue",
            ),
            strict=True,
        )
    ),
)
def test_records_are_a_table_or_lines_of_keys_or_a_list(layout: Layout, text: str) -> None:
    assert layout(LABELS, ROWS) == text


def test_a_value_is_claimed_of_the_row_that_has_it_and_of_one_that_has_not() -> None:
    for twins, told in of_rows():
        name, value = MEANT[told.claim]
        holds = [
            any(stands(name, part) and stands(value, part) for part in parts(context))
            for context in twins.contexts
        ]
        assert holds == [told.in_first, not told.in_first], told.claim


def test_name_and_value_of_a_claim_stand_in_both_texts() -> None:
    for twins, told in of_rows():
        for text in MEANT[told.claim]:
            assert all(stands(text, context) for context in twins.contexts)


def test_a_number_of_items_is_that_of_the_text() -> None:
    for seed in SEEDS:
        twins = records(random.Random(seed))
        counted = [told for told in twins.claims if told.kind == "count"]
        assert len(counted) == 2
        for told in counted:
            words = [word.lower() for word in re.findall(r"\w+", told.claim)]
            (said,) = [
                int(word) if word.isdigit() else NUMBER_WORDS.index(word)
                for word in words
                if word.isdigit() or word in NUMBER_WORDS
            ]
            context = twins.contexts[0 if told.in_first else 1]
            assert said == _items(context)


def _items(context: str) -> int:
    lines = context.splitlines()
    if any(line.startswith("|") for line in lines):
        return sum(line.startswith("|") for line in lines) - 2
    if any(line.startswith("- ") for line in lines):
        return sum(line.startswith("- ") for line in lines)
    return sum(re.match(r"(?:product|employee|train|town): ", line) is not None for line in lines)
