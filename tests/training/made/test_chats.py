"""Conversations: who said what, and that a question says nothing."""

import random

from groundwire_training.made.chats import _OPEN, TOPICS, chat
from groundwire_training.made.twins import Twins

SENTENCES = ["The tower opened in 1889 in the north.", "A storm closed it for two years."]
SEEDS = range(300)


def of_kind(kind: str) -> list[Twins]:
    made = [chat(SENTENCES, random.Random(seed)) for seed in SEEDS]
    found = [twins for twins in made if twins.claims[0].kind == kind]
    assert found
    return found


def test_sentences_of_the_contexts_are_said_too() -> None:
    made = [chat(SENTENCES, random.Random(seed)) for seed in SEEDS]
    assert any(SENTENCES[0] in twins.contexts[0] for twins in made)
    assert any(SENTENCES[0] not in twins.contexts[0] for twins in made)


def test_what_was_said_is_claimed_of_its_speaker_only() -> None:
    for kind in ("speaker", "asker"):
        for twins in of_kind(kind):
            for told in twins.claims:
                turns = [turn.partition(": ") for turn in twins.contexts[0].splitlines()]
                said = any(
                    who.lower() in told.claim and text in told.claim for who, _, text in turns
                )
                assert said is told.in_first, told.claim


def test_what_only_a_question_holds_is_not_said() -> None:
    statements = {topic.yes for topic in TOPICS}
    open_ones = 0
    for twins in of_kind("answer"):
        for told in twins.claims:
            plain = told.claim[0].lower() + told.claim[1:-1]
            for context, holds in zip(
                twins.contexts, (told.in_first, not told.in_first), strict=True
            ):
                if any(text in context for text in _OPEN):
                    open_ones += 1
                    assert not holds
                elif plain in statements:
                    assert holds is (": Yes" in context)
                else:
                    assert holds is (": No" in context)
    assert open_ones


def test_a_sentence_that_is_doubted_is_claimed_only_where_somebody_says_it() -> None:
    for twins in of_kind("asked"):
        for told in twins.claims:
            for context, holds in zip(
                twins.contexts, (told.in_first, not told.in_first), strict=True
            ):
                assert (f": {told.claim}" in context) is holds
                assert told.claim in context
