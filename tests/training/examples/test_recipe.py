"""What an epoch is made of, on rows made for this."""

import re
from collections import Counter, defaultdict

import pytest

from groundwire_training.data.rows import Row
from groundwire_training.examples.made import MADE
from groundwire_training.examples.recipe import MAX_LEAVES, Recipe, epoch
from groundwire_training.examples.trees import Leaf
from groundwire_verifier.domain.evidence import DEFAULT_MARKER
from groundwire_verifier.domain.types import Label, Template

CONTEXT = "Ada Moreno met Boris Lund in Lisbon in 1994.\nThe museum was opened by Maria Costa."
ROWS = [
    Row(
        source="fm2",
        context=f"{CONTEXT}\nFloor {i} has {i + 2} rooms.",
        claim=f"Ada met Boris in Lisbon, on floor {i}." if i % 2 else f"Ada never met Boris {i}.",
        supported=bool(i % 2),
        contradicted=not i % 2,
        cited_spans=((0, 44),),
        language="en",
    )
    for i in range(40)
]
HEBREW = [
    Row("hebnli", f"ירד גשם ביום {i}.", f"היה יום גשום {i}.", True, False, (), "he")
    for i in range(20)
]


def leaves(recipe: Recipe, seed: int = 1) -> list[Leaf]:
    return [leaf for tree in epoch(ROWS + HEBREW, recipe, seed) for leaf in tree.leaves]


def test_an_epoch_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    assert epoch(ROWS + HEBREW, Recipe(), 1) == epoch(ROWS + HEBREW, Recipe(), 1)
    assert epoch(ROWS + HEBREW, Recipe(), 1) != epoch(ROWS + HEBREW, Recipe(), 2)


def test_every_row_is_learnt_once_with_its_label() -> None:
    found = leaves(Recipe().without(["injection"]))
    gold = [leaf for leaf in found if leaf.ingredient == "gold"]
    expected = [(row.claim, row.supported) for row in ROWS + HEBREW]
    assert sorted((leaf.claim, leaf.answer is Label.YES) for leaf in gold) == sorted(expected)


def test_an_ingredient_can_be_left_out() -> None:
    for name in ("gold", "edit", "sentence", "rewrite", "neighbour", "confident", "stance"):
        found = {leaf.ingredient.partition(":")[0] for leaf in leaves(Recipe().without([name]))}
        assert name not in found
    assert {"gold", "edit"} <= {leaf.ingredient.partition(":")[0] for leaf in leaves(Recipe())}


def test_rows_behind_an_instruction_are_named_so_and_keep_their_labels() -> None:
    behind = [leaf for leaf in leaves(Recipe()) if leaf.ingredient == "injection:gold"]
    labels = {row.claim: row.supported for row in ROWS + HEBREW}
    assert behind
    assert all(labels[leaf.claim] is (leaf.answer is Label.YES) for leaf in behind)


def test_a_context_without_its_evidence_supports_nothing() -> None:
    trees = epoch(ROWS + HEBREW, Recipe(), 1)
    bare = [tree for tree in trees if tree.context in (DEFAULT_MARKER, "")]
    assert bare
    for tree in bare:
        for leaf in tree.leaves:
            unsure = leaf.template is Template.YES_NO_UNSURE
            assert leaf.answer is (Label.UNSURE if unsure else Label.NO)


def test_only_the_second_template_has_the_answer_unsure() -> None:
    for leaf in leaves(Recipe()):
        assert leaf.answer is not Label.UNSURE or leaf.template is Template.YES_NO_UNSURE


def test_no_tree_is_larger_than_its_limit() -> None:
    many = [Row("summedits", CONTEXT, f"Claim {i}.", True, False, (), "en") for i in range(100)]
    assert max(len(tree.leaves) for tree in epoch(many + ROWS + HEBREW, Recipe(), 1)) <= MAX_LEAVES


@pytest.mark.parametrize("name", ["gold", "edit", "sentence", "rewrite", "neighbour", "confident"])
def test_an_ingredient_left_out_changes_nothing_of_the_others_nor_their_order(name: str) -> None:
    def others(found: list[Leaf]) -> list[Leaf]:
        # Stance is also asked of what other ingredients make.
        return [leaf for leaf in found if not leaf.ingredient.startswith((name, "stance"))]

    assert leaves(Recipe().without([name])) != leaves(Recipe())
    rest = Recipe().without(["injection"])
    assert others(leaves(rest.without([name]))) == others(leaves(rest))


@pytest.mark.parametrize("language", ["de", "en-he"])
def test_a_language_without_rules_has_the_ingredients_that_need_none(language: str) -> None:
    text = "Das Museum wurde im Mai 1994 eröffnet und hat {} Räume in zwei Stockwerken."
    rows = [
        Row("eigen", text.format(i), f"Es hat {i} Räume.", True, False, (), language)
        for i in range(30, 90)
    ]
    made = {
        leaf.ingredient.partition(":")[0]
        for tree in epoch(rows, Recipe(), 1)
        for leaf in tree.leaves
    }
    assert {"gold", "stance", "sentence", "neighbour", "scrubbed", "documents"} <= made
    of_rules = {"edit", "number", "rewrite", "confident", "counterfactual", "comparison"}
    assert made.isdisjoint(of_rules)
    assert made.isdisjoint(MADE)


def test_claims_of_two_statements_are_as_often_supported_as_not() -> None:
    groups = [
        [
            Row("mnli", f"Text {i}.", f"Claim {i} {n}.", supported, False, (), "en", 0.0)
            for n, supported in enumerate((True, False, False, True, False))
        ]
        for i in range(60)
    ]
    rows = [row for group in groups for row in group]
    made = [leaf for tree in epoch(rows, Recipe(), 1) for leaf in tree.leaves]
    answers = Counter(leaf.answer for leaf in made if leaf.ingredient == "combined")
    assert answers[Label.YES] == answers[Label.NO] > 5


def test_a_claim_of_two_statements_is_supported_where_both_are() -> None:
    for leaf in leaves(Recipe().without(["injection"])):
        if leaf.ingredient == "combined":
            is_false = "never met" in leaf.claim
            assert is_false is (leaf.answer is Label.NO)


def test_a_sentence_that_a_context_has_lost_is_not_said_to_stand_in_it() -> None:
    lines = "\n".join(f"The museum has the number {n} in this town." for n in range(30, 60))
    rows = [
        Row("fm2", f"Door {i}.\n{lines}", f"Claim {i}.", True, False, ((0, 4),), "en")
        for i in range(60)
    ]
    found = 0
    for tree in epoch(rows, Recipe(frozenset({"sentence"})), 1):
        for leaf in tree.leaves:
            found += leaf.ingredient == "sentence"
            assert leaf.ingredient != "sentence" or leaf.claim in tree.context
    assert found > 5


@pytest.mark.parametrize("name", MADE)
def test_each_claim_of_a_made_text_is_as_often_supported_as_not(name: str) -> None:
    rows = [
        Row("fm2", f"{CONTEXT} Floor {i}.", f"It is {i}.", True, False, (), language)
        for language in ("en", "he")
        for i in range(400)
    ]
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for tree in epoch(rows, Recipe(frozenset({name})), 1):
        for leaf in tree.leaves:
            assert leaf.ingredient.startswith(f"{name}:")
            found[leaf.claim][leaf.answer.value] += 1
    assert found
    assert all(counts["YES"] == counts["NO"] for counts in found.values())


def test_amounts_are_made_in_the_languages_of_the_rows() -> None:
    hebrew = [Row("heq", f"יום {i}.", f"זה {i}.", True, False, (), "he") for i in range(100)]
    trees = epoch(hebrew, Recipe(frozenset(MADE)), 1)
    assert trees
    assert all(re.search("[א-ת]", tree.context) for tree in trees)


def test_a_claim_without_any_beside_it_has_no_neighbour() -> None:
    (row,) = ROWS[:1]
    found = [leaf for tree in epoch([row], Recipe(), 1) for leaf in tree.leaves]
    assert "neighbour" not in {leaf.ingredient for leaf in found}
