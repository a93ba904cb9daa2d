"""Amounts said otherwise: reckoned here once more from what the texts say."""

import random
import re
from collections.abc import Callable

import pytest

from groundwire_training.made.amounts import MEASURES, amounts
from groundwire_training.made.twins import Told, Twins
from groundwire_training.made.words import NUMBER_WORDS

SEEDS = range(400)


def read(text: str) -> list[float]:
    """Every number, in digits or words."""
    words = {word: str(value) for value, word in enumerate(NUMBER_WORDS)}
    digits = re.sub(r"[A-Za-z]+", lambda m: words.get(m.group().lower(), m.group()), text)
    return [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?:\.\d+)?", digits)]


def of_kind(kind: str) -> list[tuple[Twins, Told]]:
    made = [amounts(random.Random(seed)) for seed in SEEDS]
    found = [(twins, told) for twins in made for told in twins.claims if told.kind == kind]
    assert found
    return found


def in_small(text: str) -> float:
    """The amount of a text in its small unit."""
    for measure in MEASURES:
        start, _, end = measure.text.partition("{}")
        match = re.fullmatch(rf"{re.escape(start)}([\d,]+) (\w+){re.escape(end)}", text)
        if match is not None:
            value = float(match[1].replace(",", ""))
            return value * {measure.large: measure.factor, measure.small: 1}[match[2]]
    raise AssertionError(text)


def span(text: str) -> float:
    begun, ended = read(text)
    return ended - begun


CHECKS: dict[str, tuple[Callable[[str], float], Callable[[str], float]]] = {
    "unit": (in_small, in_small),
    "span": (span, lambda claim: read(claim)[0]),
    "sum": (lambda text: sum(read(text)), lambda claim: read(claim)[0]),
    "word": (lambda text: read(text)[0], lambda claim: read(claim)[0]),
}


@pytest.mark.parametrize("kind", CHECKS)
def test_a_claim_holds_where_its_amount_is_the_one_of_the_text(kind: str) -> None:
    of_text, of_claim = CHECKS[kind]
    for twins, told in of_kind(kind):
        for context, holds in zip(twins.contexts, (told.in_first, not told.in_first), strict=True):
            assert (of_text(context) == of_claim(told.claim)) is holds, (context, told.claim)


def test_a_unit_a_word_or_digits_are_never_those_of_the_text() -> None:
    for kind in ("unit", "word"):
        for twins, told in of_kind(kind):
            assert told.claim not in twins.contexts


def test_almost_a_number_is_a_little_less_and_more_than_it_is_more() -> None:
    for twins, told in of_kind("round"):
        (whole,) = read(told.claim)
        for context, holds in zip(twins.contexts, (told.in_first, not told.in_first), strict=True):
            (own,) = read(context)
            assert own != whole
            assert abs(own - whole) < 0.3
            is_less = re.search("almost|less than", told.claim) is not None
            assert (is_less is (own < whole)) is holds


def test_3_75_is_almost_four() -> None:
    assert any(
        "3.75" in twins.contexts[0] and told.in_first and re.search("almost (?:4|four)", told.claim)
        for twins, told in of_kind("round")
    )
