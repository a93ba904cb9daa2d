"""Well-known facts: supported where a text states them, and nowhere else."""

import json
import random
from pathlib import Path

import pytest

from groundwire_training.made.known import AROUND, FACTS, HEBREW_FACTS, known

ROOT = Path(__file__).parents[3]

SENTENCES = [f"The tower has {i} steps on its north side." for i in range(12)]
SEEDS = range(300)


def test_a_fact_is_supported_by_the_text_that_states_it_and_not_by_the_other() -> None:
    for seed in SEEDS:
        twins = known(SENTENCES, FACTS, random.Random(seed))
        assert twins.claims
        for told in twins.claims:
            assert (told.claim in twins.contexts[0]) is told.in_first
            assert (told.claim in twins.contexts[1]) is not told.in_first


def test_both_texts_hold_the_same_sentences_of_a_context() -> None:
    for seed in SEEDS:
        first, second = known(SENTENCES, FACTS, random.Random(seed)).contexts
        held = [each for each in SENTENCES if each in first]
        assert len(held) == AROUND
        assert held == [each for each in SENTENCES if each in second]


def test_a_context_without_sentences_gives_facts_alone() -> None:
    for seed in SEEDS:
        twins = known((), HEBREW_FACTS, random.Random(seed))
        assert all(told.claim in twins.contexts[not told.in_first] for told in twins.claims)


@pytest.mark.parametrize("facts", [FACTS, HEBREW_FACTS])
def test_no_fact_is_one_that_the_model_is_examined_on(facts: tuple[str, ...]) -> None:
    groups = json.loads((ROOT / "tests/real/citations.json").read_text(encoding="utf-8"))
    examined = {case["claim"] for group in groups for case in group.get("common_knowledge", ())}
    assert examined
    assert len(set(facts)) == len(facts)
    assert examined.isdisjoint(facts)
