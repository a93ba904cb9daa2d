"""Trees of texts that are made: tables, conversations, scopes of negation, amounts, facts, roles.

Each text has a twin, and each claim is asked about both, so that it is answered with YES as often
as with NO. How many there are follows the contexts of their language.
"""

import random
from collections.abc import Callable, Sequence

from groundwire_training.data.rows import Row
from groundwire_training.examples.questions import fit_sentences
from groundwire_training.examples.sources import as_sources, others_of
from groundwire_training.examples.trees import Tree, ask
from groundwire_training.made.amounts import amounts
from groundwire_training.made.chats import chat
from groundwire_training.made.hebrew_amounts import hebrew_amounts
from groundwire_training.made.known import FACTS, HEBREW_FACTS, known
from groundwire_training.made.records import records
from groundwire_training.made.roles import hebrew_roles, roles
from groundwire_training.made.scope import scope
from groundwire_training.made.twins import Twins

MADE = ("table", "chat", "scope", "amount", "known", "roles")
SHARES = {
    "table": {"en": 0.01},
    "chat": {"en": 0.02},
    "scope": {"en": 0.04},
    "amount": {"en": 0.05, "he": 0.08},
    "known": {"en": 0.04, "he": 0.08},
    "roles": {"en": 0.06, "he": 0.12},
}
"""Twins for each context of a language."""

Groups = Sequence[Sequence[Row]]


def made(name: str, groups: Groups, rng: random.Random) -> list[Tree]:
    """The trees of one of MADE."""
    trees: list[Tree] = []
    for language, share in SHARES[name].items():
        own = [group for group in groups if group[0].language == language]
        others = others_of(own, language)
        for _ in range(round(share * len(own))):
            twins = _MAKERS[name, language](own, rng)
            trees += _trees(name, as_sources(name, twins.contexts, others, rng), twins)
    return trees


def _trees(name: str, contexts: Sequence[str], twins: Twins) -> list[Tree]:
    return [
        Tree(
            context,
            tuple(
                ask(told.claim, told.in_first is is_first, f"{name}:{told.kind}")
                for told in twins.claims
            ),
            name,
        )
        for context, is_first in zip(contexts, (True, False), strict=True)
    ]


def _sentences(groups: Groups, rng: random.Random) -> Sequence[str]:
    """Those of one of the contexts; none of a context whose sentences are not learnt from."""
    context = rng.choice(groups)[0]
    return fit_sentences(context.context) if context.text_share else ()


Maker = Callable[[Groups, random.Random], Twins]
_MAKERS: dict[tuple[str, str], Maker] = {
    ("table", "en"): lambda _, rng: records(rng),
    ("chat", "en"): lambda groups, rng: chat(_sentences(groups, rng), rng),
    ("scope", "en"): lambda _, rng: scope(rng),
    ("amount", "en"): lambda _, rng: amounts(rng),
    ("amount", "he"): lambda _, rng: hebrew_amounts(rng),
    ("known", "en"): lambda groups, rng: known(_sentences(groups, rng), FACTS, rng),
    ("known", "he"): lambda groups, rng: known(_sentences(groups, rng), HEBREW_FACTS, rng),
    ("roles", "en"): lambda groups, rng: roles(_sentences(groups, rng), rng),
    ("roles", "he"): lambda groups, rng: hebrew_roles(_sentences(groups, rng), rng),
}
