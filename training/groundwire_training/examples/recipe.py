"""What one epoch is made of: every context with its questions, and the contexts that are made.

The same seed gives the same epoch; an ingredient that is left out changes nothing of the others nor
of their order.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from groundwire_training.data.chance import Chance
from groundwire_training.data.rows import Row, by_context
from groundwire_training.examples.assessment import exchanges
from groundwire_training.examples.contexts import (
    counterfactuals,
    cut,
    documents,
    injected,
    long_contexts,
    scrubbed,
)
from groundwire_training.examples.made import MADE, made
from groundwire_training.examples.pool import Pool
from groundwire_training.examples.questions import questions
from groundwire_training.examples.sources import as_sources, others_of
from groundwire_training.examples.trees import Tree

INGREDIENTS = (
    "gold", "edit", "sentence", "rewrite", "counterfactual", "neighbour", "confident", "scrubbed",
    "documents", "stance", "injection", "number", "comparison", "combined", "long",
    *MADE, "assessment",
)  # fmt: skip
INJECTION_SHARE = 0.1
EXCHANGES = 0.1
"""So many exchanges there are for each context of the rows."""
MAX_LEAVES = 24


@dataclass(frozen=True, slots=True)
class Recipe:
    """Which ingredients an epoch has; `exchanges` there are for each context of the rows."""

    ingredients: frozenset[str] = frozenset(INGREDIENTS)
    exchanges: float = EXCHANGES

    def without(self, names: Collection[str]) -> "Recipe":
        """The same recipe less some ingredients."""
        return replace(self, ingredients=self.ingredients.difference(names))


def epoch(rows: Sequence[Row], recipe: Recipe, seed: int) -> list[Tree]:
    """The trees of one epoch, shuffled."""
    chance, ingredients = Chance(str(seed)), recipe.ingredients
    groups = by_context(rows)
    pool = Pool(rows)
    others = {name: others_of(groups, name) for name in {group[0].language for group in groups}}
    families = {
        "own": [
            _own_tree(group, ingredients, pool, others[group[0].language], chance.within(number))
            for number, group in enumerate(groups)
        ]
    }
    if "scrubbed" in ingredients:
        families["scrubbed"] = scrubbed(groups, ingredients, pool, chance.of("scrubbed"))
    if "counterfactual" in ingredients:
        rng = chance.of("counterfactual")
        families["counterfactual"] = counterfactuals(groups, ingredients, pool, rng)
    if "documents" in ingredients:
        families["documents"] = documents(groups, ingredients, chance.of("documents"))
    if "long" in ingredients:
        families["long"] = long_contexts(groups, ingredients, chance.of("long"))
    for name in MADE:
        if name in ingredients:
            families[name] = made(name, groups, chance.of(name))
    if "assessment" in ingredients:
        count = round(recipe.exchanges * len(groups))
        families["assessment"] = exchanges(rows, count, chance.of("assessment"))
    return _shuffled(families, chance)


def _shuffled(families: Mapping[str, Sequence[Tree]], chance: Chance) -> list[Tree]:
    """Each tree that asks something at a place of its own, whatever the other families hold."""
    placed: list[tuple[float, Tree]] = []
    for name, trees in families.items():
        for number, tree in enumerate(trees):
            rng = chance.within(name).within(number).of("place")
            placed += [(rng.random(), part) for part in _bounded(tree)]
    return [tree for _, tree in sorted(placed, key=lambda pair: pair[0])]


def _own_tree(
    group: Sequence[Row],
    ingredients: Collection[str],
    pool: Pool,
    others: Sequence[str],
    chance: Chance,
) -> Tree:
    context = cut(group, chance.of("cut"))
    leaves = questions(group, context, ingredients, pool, chance)
    rng = chance.of("injection")
    if "injection" in ingredients and rng.random() < INJECTION_SHARE:
        context = injected(context, rng)
        leaves = [replace(leaf, ingredient=f"injection:{leaf.ingredient}") for leaf in leaves]
    rng = chance.of("sources")
    if "documents" in ingredients and group[0].joins:
        (context,) = as_sources("own", [context], others, rng)
    return Tree(context, tuple(leaves), group[0].source)


def _bounded(tree: Tree) -> list[Tree]:
    """The same leaves in trees of at most MAX_LEAVES; none if there is no leaf."""
    leaves = tree.leaves
    return [
        replace(tree, leaves=leaves[start : start + MAX_LEAVES])
        for start in range(0, len(leaves), MAX_LEAVES)
    ]
