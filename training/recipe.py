"""What one epoch is made of: every context with its questions, and the contexts that are made.

The same seed gives the same epoch. Knows which ingredients there are, not how one is made.
"""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from training.contexts import counterfactuals, cut, documents, injected, scrubbed
from training.pool import Pool
from training.questions import questions
from training.rows import Row, by_context
from training.trees import Tree

INGREDIENTS = (
    "gold", "edit", "sentence", "rewrite", "counterfactual", "neighbour", "confident", "scrubbed",
    "documents", "stance", "injection",
)  # fmt: skip
INJECTION_SHARE = 0.1
MAX_LEAVES = 24


@dataclass(frozen=True, slots=True)
class Recipe:
    """Which ingredients an epoch has."""

    ingredients: frozenset[str] = frozenset(INGREDIENTS)

    def without(self, names: Collection[str]) -> "Recipe":
        """The same recipe less some ingredients, for an ablation."""
        return Recipe(self.ingredients.difference(names))


def epoch(rows: Sequence[Row], recipe: Recipe, seed: int) -> list[Tree]:
    """The trees of one epoch, shuffled."""
    rng = random.Random(seed)
    groups = by_context(rows)
    pool = Pool(rows, rng)
    trees = [_own_tree(group, recipe.ingredients, pool, rng) for group in groups]
    if "scrubbed" in recipe.ingredients:
        trees += scrubbed(groups, recipe.ingredients, pool, rng)
    if "counterfactual" in recipe.ingredients:
        trees += counterfactuals(groups, recipe.ingredients, pool, rng)
    if "documents" in recipe.ingredients:
        trees += documents(groups, recipe.ingredients, rng)
    trees = [part for tree in trees if tree.leaves for part in _bounded(tree)]
    rng.shuffle(trees)
    return trees


def _own_tree(
    group: Sequence[Row], ingredients: Collection[str], pool: Pool, rng: random.Random
) -> Tree:
    leaves = questions(group, ingredients, pool, rng)
    context = cut(group, rng)
    if "injection" in ingredients and rng.random() < INJECTION_SHARE:
        context = injected(context, rng)
    return Tree(context, tuple(leaves), group[0].source)


def _bounded(tree: Tree) -> list[Tree]:
    """The same leaves in trees of at most MAX_LEAVES."""
    leaves = tree.leaves
    return [
        replace(tree, leaves=leaves[start : start + MAX_LEAVES])
        for start in range(0, len(leaves), MAX_LEAVES)
    ]
