"""Near misses: one thing changed, and not by accident into the same claim."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire_training.examples.edits import EDITS, names_in, near_miss
from groundwire_training.examples.hebrew import HEBREW_EDITS

NAMES = ["Lisbon", "Ada Moreno", "Oslo"]


@pytest.mark.parametrize(
    ("rule", "claim"),
    [
        ("number", "The tower has 9 floors and opened in 1889."),
        ("number", "It costs 1,250.50 euros."),
        ("month", "It was founded in March."),
        ("name", "The painter moved to Paris."),
        ("roles", "The prize was given to Maria by Boris."),
        ("opposite", "Exports increased before the war."),
        ("unit", "The wall is 5 kilometres long."),
        ("overclaim", "Some birds cannot fly."),
        ("negation", "The library is open."),
        ("negation", "The library is not open."),
        ("negation", "The release removed the lock."),
    ],
)
def test_a_rule_changes_its_kind_of_claim(rule: str, claim: str) -> None:
    changed = EDITS[rule](claim, NAMES, random.Random(1))
    assert changed is not None
    assert changed != claim


def test_a_negated_verb_gets_its_own_past_back() -> None:
    changed = EDITS["negation"]("Version 3 did not remove the lock.", (), random.Random(1))
    assert changed == "Version 3 removed the lock."


@pytest.mark.parametrize("claim", ["It opened on 3 May.", "It was at most a hill."])
def test_an_overclaim_is_not_made_of_a_month_nor_of_what_is_at_most(claim: str) -> None:
    assert EDITS["overclaim"](claim, (), random.Random(1)) is None


def test_a_small_may_is_no_month() -> None:
    assert EDITS["month"]("It may rain on the march.", (), random.Random(1)) is None


@pytest.mark.parametrize(
    "claim",
    [
        "The museum did not open.",
        "The museum didn't open.",
        "The museum wanted to open.",
        "It was not widely accepted.",
        "It costs at most that.",
    ],
)
def test_what_is_denied_or_has_no_opposite_verb_gets_no_opposite(claim: str) -> None:
    for seed in range(20):
        assert EDITS["opposite"](claim, (), random.Random(seed)) is None


def test_no_part_of_a_contraction_is_changed() -> None:
    for rule in ("negation", "opposite", "overclaim"):
        for seed in range(20):
            assert EDITS[rule]("It can't fly.", (), random.Random(seed)) is None


def test_a_claim_that_no_rule_fits_is_left_out() -> None:
    assert near_miss("birds fly", (), random.Random(1)) is None


def test_the_names_of_a_text_leave_out_what_only_begins_a_sentence() -> None:
    assert names_in("Later she saw Ada Moreno in Oslo. Then it rained in March.") == [
        "Ada Moreno",
        "Oslo",
    ]


@given(st.text(max_size=200), st.integers(0, 100))
def test_any_text_gives_another_one_or_none(claim: str, seed: int) -> None:
    found = near_miss(claim, NAMES, random.Random(seed))
    assert found is None or found[0] != claim


@pytest.mark.parametrize(
    ("rule", "claim", "changed"),
    [
        ("negation", "במוזיאון יש חמש קומות.", "במוזיאון אין חמש קומות."),
        ("negation", "הוא לא היה בבית.", "הוא היה בבית."),
        ("opposite", "הוא בא לפני החג.", "הוא בא אחרי החג."),
        ("opposite", "העיר בצפון הארץ.", "העיר בדרום הארץ."),
    ],
)
def test_a_rule_changes_one_word_and_keeps_its_prefix(rule: str, claim: str, changed: str) -> None:
    assert HEBREW_EDITS[rule](claim, (), random.Random(1)) == changed


def test_amounts_months_and_units_become_others_of_their_kind() -> None:
    made = {
        HEBREW_EDITS["count"]("ביולי עברו שלושה חודשים.", (), random.Random(s)) for s in range(40)
    }
    assert "ביולי עברו ארבעה חודשים." in made
    assert "ביולי עברו שלושה ימים." in made
    assert "ביולי עברו שלושה חודשים." not in made


@pytest.mark.parametrize("claim", ["הבמאי ישב למעלה.", "צריך לפחות שניים."])
def test_a_word_that_only_holds_another_is_left_alone(claim: str) -> None:
    for rule in ("count", "opposite"):
        assert HEBREW_EDITS[rule](claim, (), random.Random(1)) is None


def test_a_near_miss_is_made_by_the_rules_of_its_language() -> None:
    changed = near_miss("הוא לא היה בבית.", [], random.Random(1), "he")
    assert changed == ("הוא היה בבית.", "negation")
