"""Amounts of money in Hebrew: shekels as a sign and as words, in digits, thousands and millions.

In the twin the context has another amount, so that each claim is true of one of both.
"""

import random
from collections.abc import Sequence

from groundwire_training.made.twins import Twins, told_apart

THOUSAND, MILLION = 1_000, 1_000_000
_LARGEST = 1000 * MILLION
TEXTS: Sequence[tuple[str, str]] = (
    ("מחיר הדירה הוא {}.", "הדירה עולה {}."),
    ("התקציב השנתי של הספרייה הוא {}.", "לספרייה יש תקציב שנתי של {}."),
    ("עלות השיפוץ הייתה {}.", "השיפוץ עלה {}."),
    ("העירייה השקיעה {} בגן החדש.", "בגן החדש הושקעו {}."),
    ("החברה הרוויחה {} בשנה שעברה.", "רווחי החברה בשנה שעברה היו {}."),
    ("בית הספר קיבל תרומה של {}.", "התרומה לבית הספר הייתה {}."),
    ("המכונית נמכרה תמורת {}.", "תמורת המכונית שולמו {}."),
    ("הקנס שהוטל עליו הוא {}.", "עליו לשלם קנס של {}."),
)  # fmt: skip
_SHEKELS = ("שקל", "שקלים", "₪", 'ש"ח')
_MORE, _LESS = "יותר מ-", "פחות מ-"


def hebrew_amounts(rng: random.Random) -> Twins:
    """Two contexts with other amounts; on each the same amount said otherwise, and a bound."""
    text, claim = rng.choice(TEXTS)
    small, large = _two(rng)
    form, other = rng.sample(range(3), k=2)
    unit, other_unit = (rng.choice(_SHEKELS) for _ in range(2))
    contexts = [text.format(_written(value, form, unit)) for value in (small, large)]
    claimed = [[claim.format(_written(value, other, other_unit))] for value in (small, large)]
    between = _between(small, large)
    if between is not None:
        for claims, phrase in zip(claimed, (_LESS, _MORE), strict=True):
            claims.append(claim.format(f"{phrase}{_written(between, other, other_unit)}"))
    return Twins((contexts[0], contexts[1]), tuple(told_apart("hebrew", *claimed)))


def _two(rng: random.Random) -> tuple[int, int]:
    """An amount and a larger one: near, or ten times or a thousand times as much."""
    step = rng.choice((THOUSAND, 10 * THOUSAND, 100 * THOUSAND, MILLION))
    small = rng.randint(11, 90) * step
    larger = (small + rng.randint(1, 9) * step, small * 2, small * 10, small * THOUSAND)
    weights = [
        weight * (amount < _LARGEST) for weight, amount in zip((4, 2, 2, 1), larger, strict=True)
    ]
    return small, rng.choices(larger, weights=weights)[0]


def _between(small: int, large: int) -> int | None:
    """The middle of both where it is one of the amounts that can be written; else None."""
    middle = (small + large) // 2
    return middle if middle % THOUSAND == 0 and small < middle < large else None


def _written(amount: int, form: int, unit: str) -> str:
    """In digits (0), in thousands (1), or in millions if they are not too small for it (2)."""
    if form == 0:
        return f"{amount:,} {unit}"
    if form == 1 and amount < MILLION:
        return f"{amount // THOUSAND:,} אלף {unit}"
    if amount >= MILLION:
        return f"{amount / MILLION:,.6g} מיליון {unit}"
    return f"{amount:,} {unit}"
