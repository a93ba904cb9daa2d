"""What follows from figures holds where they are so, and not where they are changed about."""

import random
import re

import pytest

from groundwire_training.made.comparisons import HEBREW_SCALES, SCALES, Scale, comparisons
from groundwire_training.made.twins import Twins

AROUND = ("The hall was full.", "Nobody left early.", "It rained all night.", "Tea was served.")


def made(scale: Scale) -> list[Twins]:
    return [comparisons(AROUND, [scale], random.Random(seed)) for seed in range(60)]


def figures_of(context: str, scale: Scale) -> dict[str, int]:
    pattern = re.escape(scale.told).replace(r"\{x\}", "(.+?)").replace(r"\{n\}", r"(\d+)")
    sentences = [part.rstrip(".") for part in context.split(". ")]
    found = [match for each in sentences if (match := re.fullmatch(pattern, each))]
    return {match[1].lower(): int(match[2]) for match in found}


@pytest.mark.parametrize("scale", [*SCALES, *HEBREW_SCALES])
def test_both_contexts_have_the_same_figures_of_other_things(scale: Scale) -> None:
    for twins in made(scale):
        first, second = (figures_of(context, scale) for context in twins.contexts)
        assert len(first) >= 2
        assert first.keys() == second.keys()
        assert sorted(first.values()) == sorted(second.values())
        assert first != second


@pytest.mark.parametrize("scale", [*SCALES, *HEBREW_SCALES])
def test_a_claim_holds_where_it_is_said_to_and_nowhere_else(scale: Scale) -> None:
    ways = (*scale.more, *scale.less)
    seen = 0
    for twins in made(scale):
        for told in twins.claims:
            for side, context in enumerate(twins.contexts):
                figures = figures_of(context, scale)
                holds = [
                    f"{text.format(a=a, b=b)}.".lower() == told.claim.lower()
                    and figures[a] > figures[b]
                    for text in ways
                    for a in figures
                    for b in figures
                    if a != b
                ]
                high = max(figures, key=lambda name: figures[name])
                low = min(figures, key=lambda name: figures[name])
                ends = [f"{scale.most.format(x=high)}.", f"{scale.least.format(x=low)}."]
                holds += [end.lower() == told.claim.lower() for end in ends]
                assert any(holds) is (told.in_first is (side == 0))
                seen += 1
    assert seen


def test_as_many_claims_hold_in_each() -> None:
    for scale in (*SCALES, *HEBREW_SCALES):
        held = [told.in_first for twins in made(scale) for told in twins.claims]
        assert sum(held) / len(held) == pytest.approx(0.5, abs=0.1)
