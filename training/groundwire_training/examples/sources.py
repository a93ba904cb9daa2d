"""Contexts as a retrieval sends them: one text in several sources, and other sources around it.

A model that has seen whole texts only loses a claim where another source stands before the right
one. What holds on a text holds on the same text in parts, and beside others.
"""

import random
import re
from collections.abc import Sequence

from groundwire_training.data.rows import Row
from groundwire_training.examples.questions import SENTENCE_END
from groundwire_verifier.domain.evidence import Document, Evidence

SHARE = {"own": 0.3, "scope": 0.5, "amount": 0.5, "known": 0.6, "roles": 0.6}
"""Of the contexts of a family, how many become sources."""
PARTS, OTHERS = 3, 2
"""Of a context, and of others beside it, at most."""
OTHER_CHARACTERS, BESIDE_CHARACTERS = 600, 1200
"""Of another source, and of a context that has others beside it, at most."""
IN_ORDER = 0.7
"""How often the parts keep their order."""
_HEADING = re.compile(r"^\[S\d+\]", re.MULTILINE)


def others_of(groups: Sequence[Sequence[Row]], language: str) -> list[str]:
    """The contexts that may stand beside one of this language."""
    rows = (group[0] for group in groups)
    return [
        row.context
        for row in rows
        if row.language == language
        and row.joins
        and row.text_share
        and len(row.context) <= OTHER_CHARACTERS
    ]


def as_sources(
    family: str, contexts: Sequence[str], others: Sequence[str], rng: random.Random
) -> list[str]:
    """A share of a family's contexts in parts, with the same others at the same places.

    Those that have sources, and those too short to divide where there are no others, stay as they
    are.
    """
    if rng.random() >= SHARE.get(family, 0.0) or any(map(_HEADING.search, contexts)):
        return list(contexts)
    room = max(map(len, contexts)) <= BESIDE_CHARACTERS
    beside = rng.sample(others, k=min(rng.randint(0, OTHERS), len(others))) if room else []
    seed = rng.random()
    return [_rendered(context, beside, random.Random(seed)) for context in contexts]


def _rendered(context: str, beside: Sequence[str], rng: random.Random) -> str:
    texts = _parts(context, rng)
    if rng.random() >= IN_ORDER:
        rng.shuffle(texts)
    for other in beside:
        texts.insert(rng.randint(0, len(texts)), other)
    if len(texts) == 1:
        return context
    return Evidence.of_documents([Document(f"S{i}", text) for i, text in enumerate(texts)]).context


def _parts(context: str, rng: random.Random) -> list[str]:
    """The text in up to PARTS parts, each of whole sentences."""
    ends = [found.end() for found in SENTENCE_END.finditer(context)]
    cuts = sorted(rng.sample(ends, k=min(rng.randint(0, PARTS - 1), len(ends))))
    bounds = zip([0, *cuts], [*cuts, len(context)], strict=True)
    return [part for start, end in bounds if (part := context[start:end].strip())] or [context]
