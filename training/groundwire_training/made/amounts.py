"""Amounts said otherwise: other units, spans of years, sums, words for digits, round numbers.

In the twin the context has another amount, so that each claim is true of one of both. The Hebrew
ones are apart.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from groundwire_training.made.twins import Twins, told_apart
from groundwire_training.made.words import NAMES, NUMBER_WORDS, capital, number_word


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured, with `{}` for the amount, in a large unit and a small one.

    `factor` small ones are one large one; `most` large ones are as many as there can be.
    """

    text: str
    large: str
    small: str
    factor: int
    most: int


@dataclass(frozen=True, slots=True)
class Sum:
    """A text with two amounts, `{}` each, and one with what they are together."""

    text: str
    together: str


MEASURES: Sequence[Measure] = (
    Measure("The trail is {} long.", "km", "metres", 1000, 40),
    Measure("The tunnel has a length of {}.", "kilometres", "m", 1000, 60),
    Measure("The next village is {} away.", "kilometres", "metres", 1000, 25),
    Measure("The wall is {} high.", "metres", "centimetres", 100, 12),
    Measure("The rope has a length of {}.", "m", "cm", 100, 30),
    Measure("The sack weighs {}.", "kg", "grams", 1000, 50),
    Measure("The recipe needs {} of flour.", "kilograms", "g", 1000, 8),
    Measure("The bridge carries {}.", "tonnes", "kg", 1000, 60),
    Measure("The tank holds {} of water.", "litres", "millilitres", 1000, 90),
    Measure("The film lasts {}.", "hours", "minutes", 60, 5),
    Measure("The ride took {}.", "hours", "minutes", 60, 12),
    Measure("The break is {} long.", "minutes", "seconds", 60, 20),
    Measure("The course goes on for {}.", "weeks", "days", 7, 12),
    Measure("The battery lasts {}.", "days", "hours", 24, 9),
)
SPANS: Sequence[tuple[str, str]] = (
    ("The school was open from {} to {}.", "The school was open for {} years."),
    ("{name} was mayor from {} until {}.", "{name} was mayor for {} years."),
    ("{name} began the book in {} and ended it in {}.", "{name} wrote the book in {} years."),
    ("The bridge was begun in {} and finished in {}.", "It took {} years to build the bridge."),
    ("{name} lived in the town between {} and {}.", "{name} lived in the town for {} years."),
    ("The league existed from {} to {}.", "The league existed for {} years."),
)  # fmt: skip
SUMS: Sequence[Sum] = (
    Sum("The choir spent {} euros on books and {} euros on lamps.",
        "On books and lamps the choir spent {} euros together."),
    Sum("In the first half of the year {} houses were built, and in the second half {}.",
        "In the whole year {} houses were built."),
    Sum("The morning train had {} passengers, the evening train {}.",
        "Both trains had {} passengers altogether."),
    Sum("There are {} chairs in the hall and {} chairs in the yard.",
        "In the hall and the yard there are {} chairs in total."),
    Sum("On Monday the library lent {} books. On Tuesday it lent {}.",
        "On Monday and Tuesday the library lent {} books in all."),
    Sum("{} students study law and {} study physics.",
        "Together {} students study law or physics."),
)  # fmt: skip
COUNTS: Sequence[str] = (
    "The club has {} teams.", "{} bridges cross the river.", "The house has {} windows.",
    "The choir gave {} concerts.", "There are {} islands in the lake.", "The box holds {} pens.",
)  # fmt: skip
ROUNDED: Sequence[str] = (
    "The walls are {} metres thick.", "The river is {} kilometres long.",
    "The fish weighs {} kilograms.", "The trip cost {} million euros.",
    "The flight lasts {} hours.", "Prices rose by {} percent.",
)  # fmt: skip


def amounts(rng: random.Random) -> Twins:
    """Two contexts with other amounts, and claims on each of them."""
    return rng.choice((_converted, _span, _sum, _in_words, _rounded))(rng)


def _converted(rng: random.Random) -> Twins:
    """The same in the other unit."""
    measure = rng.choice(MEASURES)
    numbers = _two(range(2, measure.most + 1), rng)
    in_large = [f"{number} {measure.large}" for number in numbers]
    in_small = [f"{_digits(number * measure.factor, rng)} {measure.small}" for number in numbers]
    pairs = [in_large, in_small] if rng.random() < 0.5 else [in_small, in_large]
    said, claimed = ([measure.text.format(amount) for amount in both] for both in pairs)
    return _twins("unit", said, claimed)


def _span(rng: random.Random) -> Twins:
    """How many years lie between the first and the last."""
    name = rng.choice(NAMES)
    text, claim = (part.replace("{name}", name) for part in rng.choice(SPANS))
    begun, spans = rng.randint(1700, 2010), _two(range(2, 13), rng)
    as_word = rng.random() < 0.5
    written = [number_word(span) if as_word else str(span) for span in spans]
    return _twins(
        "span",
        [text.format(begun, begun + span) for span in spans],
        [claim.format(span) for span in written],
    )


def _sum(rng: random.Random) -> Twins:
    """Two stated amounts together; in the twin one of them is another."""
    chosen = rng.choice(SUMS)
    kept = rng.randint(3, 60)
    others = _two(range(4, 60), rng)
    is_first = rng.random() < 0.5
    return _twins(
        "sum",
        [chosen.text.format(*((kept, n) if is_first else (n, kept))) for n in others],
        [chosen.together.format(kept + n) for n in others],
    )


def _in_words(rng: random.Random) -> Twins:
    """Digits in place of a word, or a word in place of digits."""
    text = rng.choice(COUNTS)
    numbers = _two(range(2, len(NUMBER_WORDS)), rng)
    written = [[str(n) for n in numbers], [number_word(n) for n in numbers]]
    rng.shuffle(written)
    said, claimed = ([_sentence(text, number) for number in both] for both in written)
    return _twins("word", said, claimed)


def _rounded(rng: random.Random) -> Twins:
    """A little less than a whole number, and a little more."""
    text, whole = rng.choice(ROUNDED), rng.randint(2, 11)
    below, above = (whole + sign * rng.choice((0.05, 0.1, 0.15, 0.2, 0.25)) for sign in (-1, 1))
    written = number_word(whole) if rng.random() < 0.5 else str(whole)
    claimed = [
        [_sentence(text, f"{phrase} {written}") for phrase in phrases]
        for phrases in (("almost", "less than"), ("a little over", "more than"))
    ]
    return Twins(
        (text.format(_decimal(below)), text.format(_decimal(above))),
        tuple(told_apart("round", *claimed)),
    )


def _twins(kind: str, contexts: Sequence[str], claimed: Sequence[str]) -> Twins:
    """The first claim holds in the first context, the second in the second."""
    first, second = contexts
    return Twins((first, second), tuple(told_apart(kind, claimed[:1], claimed[1:])))


def _two(numbers: range, rng: random.Random) -> list[int]:
    """A number and another one, half of the time next to it."""
    number = rng.choice(numbers)
    near = [other for other in (number - 1, number + 1) if other in numbers]
    far = [other for other in numbers if other != number]
    pair = [number, rng.choice(near if rng.random() < 0.5 else far)]
    rng.shuffle(pair)
    return pair


def _digits(number: int, rng: random.Random) -> str:
    """Thousands apart or not."""
    return f"{number:,}" if rng.random() < 0.5 else str(number)


def _decimal(value: float) -> str:
    return f"{math.floor(value * 100 + 0.5) / 100:g}"


def _sentence(text: str, amount: str) -> str:
    return capital(text.format(amount))
