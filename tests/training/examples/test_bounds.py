"""What only bounds a number or a time is not changed: it could still be true."""

import random

import pytest

from groundwire_training.examples.bounds import is_bound
from groundwire_training.examples.edits import EDITS
from groundwire_training.examples.hebrew import HEBREW_EDITS
from groundwire_training.examples.numbers import NUMBER, swapped

BOUNDS = [
    "More than 50 people came.",
    "No fewer than 50 people came.",
    "At least 50 people came.",
    "Over 50 people came.",
    "It seats up to 50 people.",
    "Almost 50 people came.",
    "About 50 people came.",
    "Some 50 people came.",
    "It cost more than $50 to enter.",
    "It has between 50 and 50 rooms.",
    "It seats 50 or more people.",
    "It is for 50 people and over.",
    "It was built before 1950.",
    "It has stood since the year 1950.",
    "הגיעו יותר מ-50 איש.",
    "הגיעו לפחות 50 איש.",
    "הגיעו כמעט 50 איש.",
    "האולם מכיל עד 50 איש.",
    "הגיעו כ-50 איש.",
    "הגיעו 50 איש ומעלה.",
    "הגיעו בין 50 ל-50 איש.",
    "הוא נבנה לפני 1950.",
]
PLAIN = [
    "It has 50 rooms.",
    "In all 50 people came.",
    "Prices grew by 50 percent.",
    "It was built in 1950.",
    "Only 50 people came.",
    "במוזיאון יש 50 חדרים.",
]
SEEDS = range(20)


@pytest.mark.parametrize("claim", BOUNDS)
def test_each_number_that_is_a_bound_is_found(claim: str) -> None:
    found = list(NUMBER.finditer(claim))
    assert found
    assert all(is_bound(claim, match.start(), match.end()) for match in found)


@pytest.mark.parametrize("claim", PLAIN)
def test_a_plain_amount_is_no_bound(claim: str) -> None:
    (match,) = NUMBER.finditer(claim)
    assert not is_bound(claim, match.start(), match.end())


@pytest.mark.parametrize("claim", BOUNDS)
def test_a_bound_gets_no_other_number(claim: str) -> None:
    for seed in SEEDS:
        assert swapped(claim, "Of 45 and 1946.", random.Random(seed)) is None
        assert EDITS["number"](claim, (), random.Random(seed)) is None


def test_of_several_numbers_the_plain_one_is_changed() -> None:
    for seed in SEEDS:
        for changed in (
            swapped("At least 50 people came in 1994.", "", random.Random(seed)),
            EDITS["number"]("At least 50 people came in 1994.", (), random.Random(seed)),
        ):
            assert changed is not None
            assert changed.startswith("At least 50 people came in ")
            assert changed != "At least 50 people came in 1994."


@pytest.mark.parametrize(
    ("rule", "claim"),
    [
        ("unit", "It took more than five hours."),
        ("unit", "It has at least 3 million readers."),
        ("month", "It closed before March."),
        ("month", "It has been open since May."),
    ],
)
def test_a_unit_or_a_month_of_a_bound_is_left_alone(rule: str, claim: str) -> None:
    for seed in SEEDS:
        assert EDITS[rule](claim, (), random.Random(seed)) is None


@pytest.mark.parametrize(
    "claim", ["עברו יותר מחמישה ימים.", "הוא נסגר לפני יולי.", "לפחות שלושה חודשים."]
)
def test_a_hebrew_word_of_a_bound_is_left_alone(claim: str) -> None:
    for seed in SEEDS:
        assert HEBREW_EDITS["count"](claim, (), random.Random(seed)) is None
