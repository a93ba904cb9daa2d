"""Which is more, which is first: what follows from figures without being said.

In the twin the same figures belong to others, so that each claim holds in one of both.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from groundwire_training.made.twins import Twins, between, part_of, told_apart
from groundwire_training.made.words import HEBREW_NAMES, NAMES, sentence

FEWEST, MOST = 2, 4
"""Things of a context with a figure each."""
AROUND = 3
"""Sentences of a context beside those that are made, at most."""
CLAIMS = 6
"""For each of both contexts, at most."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How things of `pool` are measured: `told` says that `{x}` has `{n}`.

    `more` and `less` say how `{a}`, which has more, stands to `{b}`; `most` and `least` which one
    stands first and last. Figures lie in `figures`.
    """

    told: str
    more: Sequence[str]
    less: Sequence[str]
    most: str
    least: str
    figures: range
    pool: Sequence[str]


_PLACES = (
    "the mill", "the chapel", "the old tower", "the lighthouse", "the station", "the museum",
    "the town hall", "the inn", "the school", "the theatre",
)  # fmt: skip
_GOODS = (
    "the red car", "the oak table", "the larger boat", "the marble statue", "the blue bicycle",
    "the piano", "the new stove", "the leather chair", "the tent",
)  # fmt: skip
SCALES: Sequence[Scale] = (
    Scale(
        "{x} is {n} metres high", ("{a} is higher than {b}", "{a} is taller than {b}"),
        ("{b} is lower than {a}", "{b} is not as high as {a}"),
        "{x} is the highest", "{x} is the lowest", range(8, 95), _PLACES,
    ),
    Scale(
        "{x} costs {n} euros", ("{a} costs more than {b}", "{a} is more expensive than {b}"),
        ("{b} is cheaper than {a}", "{b} costs less than {a}"),
        "{x} is the most expensive", "{x} is the cheapest", range(20, 900), _GOODS,
    ),
    Scale(
        "{x} weighs {n} kg", ("{a} is heavier than {b}", "{a} weighs more than {b}"),
        ("{b} is lighter than {a}", "{b} weighs less than {a}"),
        "{x} is the heaviest", "{x} is the lightest", range(3, 400), _GOODS,
    ),
    Scale(
        "{x} is {n} years old", ("{a} is older than {b}",), ("{b} is younger than {a}",),
        "{x} is the oldest", "{x} is the youngest", range(18, 90), NAMES,
    ),
    Scale(
        "{x} sold {n} tickets", ("{a} sold more tickets than {b}",),
        ("{b} sold fewer tickets than {a}",),
        "{x} sold the most tickets", "{x} sold the fewest tickets", range(4, 300), NAMES,
    ),
    Scale(
        "{x} was opened in {n}",
        ("{a} was opened later than {b}", "{a} is newer than {b}"),
        ("{b} was opened before {a}", "{b} is older than {a}"),
        "{x} was opened last", "{x} was opened first", range(1820, 2020), _PLACES,
    ),
    Scale(
        "{x} arrived at {n} minutes past nine", ("{a} arrived later than {b}",),
        ("{b} arrived before {a}", "{b} came earlier than {a}"),
        "{x} arrived last", "{x} arrived first", range(2, 59), NAMES,
    ),
)  # fmt: skip
HEBREW_SCALES: Sequence[Scale] = (
    Scale(
        "{x} בן {n}", ("{a} מבוגר מ{b}",), ("{b} צעיר מ{a}",),
        "{x} הוא המבוגר ביותר", "{x} הוא הצעיר ביותר", range(18, 90), HEBREW_NAMES,
    ),
    Scale(
        "{x} מכר {n} כרטיסים", ("{a} מכר יותר כרטיסים מ{b}",), ("{b} מכר פחות כרטיסים מ{a}",),
        "{x} מכר הכי הרבה כרטיסים", "{x} מכר הכי מעט כרטיסים", range(4, 300), HEBREW_NAMES,
    ),
    Scale(
        "{x} שוקל {n} קילוגרם", ("{a} כבד מ{b}", "{a} שוקל יותר מ{b}"),
        ("{b} קל מ{a}", "{b} שוקל פחות מ{a}"),
        "{x} הוא הכבד ביותר", "{x} הוא הקל ביותר", range(45, 130), HEBREW_NAMES,
    ),
    Scale(
        "{x} נולד בשנת {n}", ("{a} נולד אחרי {b}",), ("{b} נולד לפני {a}",),
        "{x} נולד אחרון", "{x} נולד ראשון", range(1900, 2010), HEBREW_NAMES,
    ),
)  # fmt: skip


def comparisons(sentences: Sequence[str], scales: Sequence[Scale], rng: random.Random) -> Twins:
    """Some of these sentences with figures of several things between them, and with them changed
    about."""
    scale = rng.choice(scales)
    things = rng.sample(list(scale.pool), k=rng.randint(FEWEST, MOST))
    first = rng.sample(scale.figures, k=len(things))
    second = [*first[1:], first[0]]
    around = part_of(sentences, AROUND, rng)
    one, other = (
        [sentence(scale.told, x=x, n=n) for x, n in zip(things, figures, strict=True)]
        for figures in (first, second)
    )
    contexts = between(around, one, other, rng)
    claims = (_following(scale, things, figures) for figures in (first, second))
    kinds = told_apart("comparisons", *claims)
    held = [told for told in kinds if told.in_first], [told for told in kinds if not told.in_first]
    chosen = [told for side in held for told in rng.sample(side, k=min(CLAIMS, len(side)))]
    rng.shuffle(chosen)
    return Twins(contexts, tuple(chosen))


def _following(scale: Scale, things: Sequence[str], figures: Sequence[int]) -> list[str]:
    """All that follows from the figures."""
    ranked = [thing for _, thing in sorted(zip(figures, things, strict=True))]
    found = [
        sentence(text, a=more, b=less)
        for less, more in combinations(ranked, 2)
        for text in (*scale.more, *scale.less)
    ]
    if len(things) > FEWEST:
        found += [sentence(scale.most, x=ranked[-1]), sentence(scale.least, x=ranked[0])]
    return found
