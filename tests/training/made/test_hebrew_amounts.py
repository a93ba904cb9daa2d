"""Amounts of money in Hebrew, reckoned here once more."""

import random
import re

from groundwire_training.made.hebrew_amounts import hebrew_amounts
from groundwire_training.made.twins import Twins

SEEDS = range(300)
SCALES = {"אלף": 1_000, "מיליון": 1_000_000}


def made() -> list[Twins]:
    return [hebrew_amounts(random.Random(seed)) for seed in SEEDS]


def shekels(text: str) -> float:
    match = re.search(r'([\d,]+(?:\.\d+)?) (?:(אלף|מיליון) )?(?:שקלים|שקל|₪|ש"ח)', text)
    assert match is not None, text
    return float(match[1].replace(",", "")) * SCALES.get(match[2] or "", 1)


def test_an_amount_holds_where_it_is_the_one_of_the_text_or_on_the_said_side_of_it() -> None:
    for twins in made():
        for told in twins.claims:
            said = shekels(told.claim)
            for context, holds in zip(
                twins.contexts, (told.in_first, not told.in_first), strict=True
            ):
                own = shekels(context)
                if "יותר מ-" in told.claim:
                    assert (own > said) is holds
                elif "פחות מ-" in told.claim:
                    assert (own < said) is holds
                else:
                    assert (abs(own - said) < 1e-3) is holds


def test_all_forms_of_an_amount_are_written() -> None:
    texts = " ".join(context for twins in made() for context in twins.contexts)
    assert all(form in texts for form in ("₪", "שקל", 'ש"ח', "אלף", "מיליון"))


def test_no_claim_is_its_context() -> None:
    assert all(told.claim not in twins.contexts for twins in made() for told in twins.claims)
