"""Two contexts that differ in one thing, and claims of which each holds in one of them only.

So each claim is learnt twice, once with YES and once with NO, and neither its words nor its kind
tell which.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Told:
    """A claim of some kind, and which of two contexts it holds in."""

    kind: str
    claim: str
    in_first: bool


@dataclass(frozen=True, slots=True)
class Twins:
    """Two contexts and the claims on both."""

    contexts: tuple[str, str]
    claims: tuple[Told, ...]


def told_apart(kind: str, first: Iterable[str], second: Iterable[str]) -> list[Told]:
    """Claims that hold in the first context only, and in the second only.

    One that is in both lists tells the contexts apart no more, and is left out.
    """
    in_first, in_second = dict.fromkeys(first), dict.fromkeys(second)
    return [Told(kind, claim, True) for claim in in_first if claim not in in_second] + [
        Told(kind, claim, False) for claim in in_second if claim not in in_first
    ]


def part_of(sentences: Sequence[str], most: int, rng: random.Random) -> Sequence[str]:
    """So many of these sentences, at most, one behind the other."""
    spare = len(sentences) - most
    start = rng.randrange(spare + 1) if spare > 0 else 0
    return sentences[start : start + most]


def between(
    around: Sequence[str], first: Sequence[str], second: Sequence[str], rng: random.Random
) -> tuple[str, str]:
    """Two texts of the same sentences, with as many statements at the same places in each."""
    places = sorted(rng.randint(0, len(around)) for _ in first)
    return _placed(around, places, first), _placed(around, places, second)


def _placed(around: Sequence[str], places: Sequence[int], statements: Sequence[str]) -> str:
    """Sentences with each statement before the one at its place; the places are in their order."""
    parts = list(around)
    for place, statement in zip(reversed(places), reversed(statements), strict=True):
        parts.insert(place, statement)
    return " ".join(parts)
