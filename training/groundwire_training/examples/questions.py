"""The questions of a context as it stands: gold rows, near misses, sentences, numbers, neighbours.

Each ingredient has its own name, so that a run can leave it out.
"""

import random
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from groundwire_training.data.chance import Chance
from groundwire_training.data.rows import Row
from groundwire_training.examples.bounds import LANGUAGES
from groundwire_training.examples.edits import near_miss
from groundwire_training.examples.numbers import compared, swapped
from groundwire_training.examples.pool import Pool
from groundwire_training.examples.rewrites import confident, merged, rewritten
from groundwire_training.examples.trees import Leaf, ask, ask_stance
from groundwire_verifier.domain.types import Label

MIN_SENTENCE, MAX_SENTENCE = 30, 260
SENTENCE_SHARE = 0.3
REWRITE_SHARE = 0.4
NEIGHBOUR_SHARE = 0.2
CONFIDENT_SHARE = 0.06
STANCE_SHARE = 0.25
NUMBER_SHARE = 0.6
COMPARISON_SHARE = 0.5
COMBINED_SHARE = 0.5
EDIT_SHARE = 0.7
"""How often a rule is applied where it could be; each question costs time."""

_FIRST_LETTER = re.compile(r"[A-Z\u00c0-\u00deא-ת]")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


def questions(
    group: Sequence[Row], text: str, ingredients: Collection[str], pool: Pool, chance: Chance
) -> list[Leaf]:
    """What is asked about one context: its rows, and what rules make of them and of its sentences.

    `group` holds the rows of one context, at least one; `text` is what is left of the context.
    """
    first = group[0]
    leaves: list[Leaf] = []
    if "gold" in ingredients:
        leaves += [ask(row.claim, row.supported, "gold") for row in group]
    if "stance" in ingredients:
        rng = chance.of("stance")
        leaves += [leaf for row in group if rng.random() < STANCE_SHARE for leaf in _stances(row)]
    if first.language == "en":
        names = pool.names(first.context, chance.of("names"))
        leaves += _in_english(group, text, ingredients, names, chance)
    else:
        names = []
    leaves += _by_rule(group, text, ingredients, names, chance)
    leaves += _of_numbers(group, text, ingredients, chance)
    rng = chance.of("combined")
    if "combined" in ingredients and rng.random() < COMBINED_SHARE:
        leaves += _combined(group, text, rng)
    rng = chance.of("neighbour")
    # What is said of one picture is often true of another: only of running text.
    if "neighbour" in ingredients and first.text_share and rng.random() < NEIGHBOUR_SHARE:
        claim = pool.neighbour(first.language, first.context, rng)
        leaves += [] if claim is None else [ask(claim, False, "neighbour")]
        if claim is not None and "stance" in ingredients and rng.random() < STANCE_SHARE:
            leaves.append(ask_stance(claim, Label.UNSURE))
    return leaves


def _by_rule(
    group: Sequence[Row],
    text: str,
    ingredients: Collection[str],
    names: Sequence[str],
    chance: Chance,
) -> list[Leaf]:
    """What the rules of its language make of the claims and of the context's sentences."""
    first = group[0]
    leaves: list[Leaf] = []
    if "edit" in ingredients:
        supported = [row.claim for row in group if row.supported and not row.is_answer]
        leaves += _edited(supported, names, chance.of("edit"), ingredients, first.language)
    rng = chance.of("sentence")
    if "sentence" in ingredients and rng.random() < SENTENCE_SHARE * first.text_share:
        leaves += _sentences(text, first.language, names, rng, ingredients)
    return leaves


def _in_english(
    group: Sequence[Row],
    text: str,
    ingredients: Collection[str],
    names: Sequence[str],
    chance: Chance,
) -> list[Leaf]:
    """What rules for English alone make."""
    leaves: list[Leaf] = []
    rng = chance.of("rewrite")
    if "rewrite" in ingredients and rng.random() < REWRITE_SHARE * group[0].text_share:
        leaves += _rewrites(text, names, rng)
    rng = chance.of("confident")
    if "confident" in ingredients:
        leaves += [
            ask(confident(row.claim, rng), row.supported, "confident")
            for row in group
            if not row.is_answer and rng.random() < CONFIDENT_SHARE
        ]
    return leaves


def _of_numbers(
    group: Sequence[Row], text: str, ingredients: Collection[str], chance: Chance
) -> list[Leaf]:
    """Claims with another number, and comparisons with a round one."""
    first = group[0]
    leaves: list[Leaf] = []
    rng = chance.of("number")
    if "number" in ingredients and first.language in LANGUAGES:
        for row in group:
            if row.supported and rng.random() < NUMBER_SHARE:
                changed = swapped(row.claim, row.context, rng)
                leaves += [] if changed is None else [ask(changed, False, "number")]
    rng = chance.of("comparison")
    if "comparison" in ingredients and rng.random() < COMPARISON_SHARE * first.text_share:
        fit = fit_sentences(text)
        rng.shuffle(fit)
        made = compared(fit, first.language, rng)
        leaves += [ask(claim, true, "comparison") for claim, true in made]
    return leaves


def _combined(group: Sequence[Row], text: str, rng: random.Random) -> list[Leaf]:
    """A true and a false statement, each as one claim with the same other one, which is true.

    Both or none: else one of the answers would be the likelier one wherever two are said.
    """
    statements = [row for row in group if not row.is_answer]
    true = [row.claim for row in statements if row.supported]
    false = [row.claim for row in statements if not row.supported]
    others = fit_sentences(text) if rng.random() < group[0].text_share else []
    if not true or not false:
        return []
    held, denied = rng.choice(true), rng.choice(false)
    beside = [claim for claim in true + others if claim not in (held, denied)]
    if not beside:
        return []
    other, is_first = rng.choice(beside), rng.random() < 0.5
    return [
        ask(
            " ".join(_ended(part) for part in ((one, other) if is_first else (other, one))),
            yes,
            "combined",
        )
        for one, yes in ((held, True), (denied, False))
    ]


def _ended(claim: str) -> str:
    return f"{claim.rstrip('. ')}."


def fit_sentences(context: str) -> list[str]:
    """The sentences of a context that can stand as claims, by their length and first letter."""
    parts = [part.strip() for part in SENTENCE_END.split(context)]
    return [p for p in parts if MIN_SENTENCE <= len(p) <= MAX_SENTENCE and _FIRST_LETTER.match(p)]


def _edited(
    claims: Sequence[str],
    names: Sequence[str],
    rng: random.Random,
    ingredients: Collection[str],
    language: str,
) -> list[Leaf]:
    leaves: list[Leaf] = []
    for claim in claims:
        changed = near_miss(claim, names, rng, language) if rng.random() < EDIT_SHARE else None
        if changed is not None:
            leaves.append(ask(changed[0], False, f"edit:{changed[1]}"))
            clear = changed[1] not in ("name", "overclaim") and rng.random() < STANCE_SHARE
            if "stance" in ingredients and clear:
                leaves.append(ask_stance(changed[0], Label.NO))
    return leaves


def _sentences(
    context: str,
    language: str,
    names: Sequence[str],
    rng: random.Random,
    ingredients: Collection[str],
) -> list[Leaf]:
    fit = fit_sentences(context)
    chosen = rng.sample(fit, k=min(1, len(fit)))
    leaves = [ask(text, True, "sentence") for text in chosen]
    changed = _edited(chosen, names, rng, ingredients, language)
    return leaves + [replace(leaf, ingredient=f"sentence-{leaf.ingredient}") for leaf in changed]


def _rewrites(context: str, names: Sequence[str], rng: random.Random) -> list[Leaf]:
    """A supported claim that is no copy, and the same with one thing changed."""
    fit = fit_sentences(context)
    rng.shuffle(fit)
    found = (rewritten(sentence, rng) for sentence in fit)
    claim = next((change[0] for change in found if change is not None), None)
    if len(fit) > 1 and rng.random() < (0.3 if claim else 1.0):
        first, second = rng.sample(fit, k=2)
        claim = merged(first, second) if len(first) + len(second) <= MAX_SENTENCE else claim
    if claim is None:
        return []
    changed = near_miss(claim, names, rng)
    leaves = [ask(claim, True, "rewrite")]
    return leaves if changed is None else [*leaves, ask(changed[0], False, "rewrite-edit")]


def _stances(row: Row) -> list[Leaf]:
    if row.supported:
        return [ask_stance(row.claim, Label.YES)]
    if row.contradicted is None:
        return []
    return [ask_stance(row.claim, Label.NO if row.contradicted else Label.UNSURE)]
