"""Exchanges with layer 2's questions: by rule and by hand, each with answers that follow."""

import random

from groundwire_training.data.rows import Row
from groundwire_training.examples.assessment import CASES, exchanges, made, tree_of
from groundwire_training.examples.cases import read_cases
from groundwire_training.examples.recipe import Recipe, epoch
from groundwire_verifier.checks.assessment.common_sense import CommonSense, labels_of
from groundwire_verifier.domain.types import Label, Template

MADE = [made(random.Random(seed)) for seed in range(600)]


def _row(number: int, supported: bool, contradicted: bool) -> Row:
    context, claim = f"The hall number {number} is blue.", f"Hall {number} is blue."
    return Row("fm2", context, claim, supported, contradicted, (), "en")


def _has_number(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


ROWS = [_row(i, i % 2 == 0, i % 2 == 1) for i in range(40)]


def test_every_question_has_each_answer_with_and_without_a_call() -> None:
    for place in range(len(CommonSense)):
        for called in (False, True):
            answers = {m.answers[place] for m in MADE if bool(m.exchange.tool_calls) is called}
            assert {Label.YES, Label.NO} <= answers


def test_a_number_without_a_call_is_not_always_live_data() -> None:
    said = [m for m in MADE if not m.exchange.tool_calls and _has_number(m.exchange.response)]
    share = sum(m.answers[2] is Label.YES for m in said) / len(said)
    assert 0.2 < share < 0.8


def test_no_slot_stays_open() -> None:
    for case in MADE:
        text = tree_of(case).context
        assert "<" not in text
    assert {m.language for m in MADE} == {"en", "he"}


def test_a_context_that_says_otherwise_makes_a_response_made_up_or_contradictory() -> None:
    trees = exchanges(ROWS, 300, random.Random(1))
    searched = [tree for tree in trees if "search({" in tree.context and "number" in tree.context]
    paired = [tree for tree in trees if len(tree.leaves) == 2]
    assert searched
    assert paired
    for tree in searched:
        odd = int(tree.context.split("Hall ")[1].split()[0]) % 2 == 1
        assert tree.leaves[-1].answer is (Label.YES if odd else Label.NO)
    for tree in paired:
        odd = int(tree.context.split("Hall ")[1].split()[0]) % 2 == 1
        assert tree.leaves[1].answer is (Label.YES if odd else Label.NO)


def test_cases_by_hand_are_read_with_all_their_answers() -> None:
    cases = read_cases(CASES / "assessment.jsonl")
    assert len(cases) > 100
    assert all(None not in case.answers for case in cases)
    assert labels_of("YNU-") == (Label.YES, Label.NO, Label.UNSURE, None)


def test_the_recipe_keeps_what_was_there_beside_the_exchanges() -> None:
    whole, less = (
        epoch(ROWS, recipe, 3) for recipe in (Recipe(), Recipe().without(["assessment"]))
    )
    assert [tree for tree in whole if tree.source != "assessment"] == less
    more = epoch(ROWS, Recipe(exchanges=1.0), 3)
    assessed = [tree for tree in more if tree.source == "assessment"]
    assert len(assessed) == 40
    assert all(f.template is Template.ASSESSMENT for tree in assessed for f in tree.leaves)
