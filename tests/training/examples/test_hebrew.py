"""Near misses in Hebrew."""

import random

import pytest

from groundwire_training.examples.edits import near_miss
from groundwire_training.examples.hebrew import HEBREW_EDITS


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
