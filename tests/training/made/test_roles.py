"""Who did it to whom: both contexts tell the same of changed places, and a claim holds in one."""

import random
import re

import pytest

from groundwire_training.made.roles import (
    HEBREW_RELATIONS,
    RELATIONS,
    Relation,
    hebrew_roles,
    roles,
)
from groundwire_training.made.twins import Twins

TWINS = [roles((), random.Random(seed)) for seed in range(300)]
HEBREW = [hebrew_roles((), random.Random(seed)) for seed in range(100)]
AROUND = ("The hall was full.", "Nobody left early.", "It rained all night.", "Tea was served.")


@pytest.mark.parametrize("relation", [*RELATIONS, *HEBREW_RELATIONS])
def test_each_way_to_say_a_relation_names_both(relation: Relation) -> None:
    sayings = relation.sayings
    assert len(set(sayings)) == len(sayings) > 1
    assert all(sorted(set(re.findall(r"\{(\w)\}", saying))) == ["a", "b"] for saying in sayings)


@pytest.mark.parametrize("twins", [TWINS, HEBREW])
def test_each_claim_holds_in_one_context_and_as_many_in_each(twins: list[Twins]) -> None:
    for one in twins:
        held = [told.claim for told in one.claims if told.in_first]
        denied = [told.claim for told in one.claims if not told.in_first]
        assert held
        assert denied
        assert not set(held) & set(denied)
    first = sum(told.in_first for one in twins for told in one.claims)
    assert first == pytest.approx(sum(len(one.claims) for one in twins) / 2, rel=0.05)


def test_what_a_context_says_itself_holds_in_it() -> None:
    for one in TWINS + HEBREW:
        for told in one.claims:
            here, there = one.contexts if told.in_first else reversed(one.contexts)
            assert told.claim not in there or told.claim in here


def test_claims_are_said_in_the_active_and_in_the_passive() -> None:
    claims = [told.claim for one in TWINS for told in one.claims]
    passive = [claim for claim in claims if re.search(r"\b(?:was|were) \w+(?: \w+)? by\b", claim)]
    assert 0.1 < len(passive) / len(claims) < 0.5


def test_sentences_of_a_text_stand_around_in_their_order() -> None:
    for seed in range(30):
        for context in roles(AROUND, random.Random(seed)).contexts:
            places = [context.find(sentence) for sentence in AROUND if sentence in context]
            assert len(places) == 3
            assert places == sorted(places)


def test_a_work_without_its_maker_has_the_year_of_one_context_only() -> None:
    agentless = re.compile(r"The (?P<work>.*) was \w+(?: up)? in (?P<year>\d{4})\.")
    asked = [
        (match, one.contexts, told.in_first)
        for one in TWINS
        for told in one.claims
        if (match := agentless.fullmatch(told.claim))
    ]
    assert asked
    for match, contexts, in_first in asked:
        dated = re.compile(rf"{match['work']}[^.]* {match['year']}\.", re.I)
        assert [bool(dated.search(context)) for context in contexts] == [in_first, not in_first]
