"""Contexts that are made: what is true where evidence is removed, and how long long ones are."""

import random

import pytest

from groundwire_training.data.rows import Row
from groundwire_training.examples.contexts import (
    LONG_TOKENS,
    LONGER_TOKENS,
    documents,
    guessed_tokens,
    long_contexts,
    scrubbed,
)
from groundwire_training.examples.pool import Pool
from groundwire_verifier.domain.types import Label


@pytest.mark.parametrize(("language", "word"), [("en", "tower "), ("he", "מגדל ")])
def test_a_long_context_has_a_length_within_its_bounds(language: str, word: str) -> None:
    rng = random.Random(1)
    texts = [word * rng.randint(5, 400) for _ in range(1500)]
    groups = [[Row("fm2", text, "A claim.", True, None, (), language)] for text in texts]
    trees = long_contexts(groups, ("scrubbed",), rng)
    lengths = [guessed_tokens(tree.context) for tree in trees]
    assert len(lengths) > 10
    assert all(LONG_TOKENS[0] <= length <= LONGER_TOKENS[1] for length in lengths)
    longer = [tree for tree in trees if guessed_tokens(tree.context) > LONG_TOKENS[1]]
    assert len(longer) > len(trees) / 4
    assert all(tree.context.startswith("[S0]\n") for tree in longer)


def test_contexts_that_others_could_speak_of_stand_alone() -> None:
    texts = [f"{i} " + "tower " * 200 for i in range(200)]
    groups = [
        [Row("bbq", text, "A claim.", True, None, (), "en", text_share=0.0, joins=False)]
        for text in texts
    ]
    assert long_contexts(groups, (), random.Random(1)) == []
    assert documents(groups, (), random.Random(1)) == []


def test_of_many_languages_few_claims_are_asked_where_nothing_is_left() -> None:
    rows = [
        Row("written", f"Text {i}.", f"Claim {i}.", True, False, (), f"l{i % 40}")
        for i in range(400)
    ]
    markers = [
        tree
        for tree in scrubbed([[row] for row in rows], (), Pool(rows), random.Random(1))
        if tree.source == "marker"
    ]
    assert {len(tree.leaves) for tree in markers} == {4}


def test_words_and_signs_are_counted_and_letters_of_other_scripts_one_by_one() -> None:
    assert guessed_tokens("It is 42.") == pytest.approx(2 * 1.2 + 3)
    assert guessed_tokens("מגדל") == pytest.approx(4 * 1.3)


def test_where_evidence_is_removed_what_is_left_is_as_often_true_as_what_is_gone_is_false() -> None:
    cited, left = "The tower opened in the year 1889.", "The harbour has two piers made of stone."
    # Too long to be asked beside removed claims, too.
    context = f"{left} {cited}" + " Is the harbour older than the tower of the town?" * 12
    start = context.index(cited)
    spans = ((start, start + len(cited)),)
    rows = [
        Row("fm2", f"{context} Part {i}.", "It opened in 1889.", True, None, spans, "en")
        for i in range(60)
    ]
    trees = scrubbed([[row] for row in rows], (), Pool(rows), random.Random(1))
    with_rest = [tree for tree in trees if tree.source == "fm2"]
    assert len(with_rest) == 20
    for tree in with_rest:
        assert cited not in tree.context
        assert [(leaf.claim, leaf.answer) for leaf in tree.leaves] == [
            ("It opened in 1889.", Label.NO),
            (left, Label.YES),
        ]


@pytest.mark.parametrize("language", ["en", "he"])
def test_rows_keep_their_answers_beside_claims_that_are_removed(language: str) -> None:
    rows = [
        Row("fm2", f"Tower {i} is tall.", f"Claim {i}.", i % 2 == 0, None, (), language)
        for i in range(80)
    ]
    trees = scrubbed([[row] for row in rows], (), Pool(rows), random.Random(1))
    beside = [tree for tree in trees if tree.source == "fm2"]
    assert len(beside) == 20
    for tree in beside:
        own, removed = tree.leaves
        (row,) = [row for row in rows if row.claim == own.claim]
        assert row.context in tree.context
        assert tree.context != row.context
        assert own.answer is (Label.YES if row.supported else Label.NO)
        assert removed.answer is Label.NO
        assert removed.claim not in tree.context
