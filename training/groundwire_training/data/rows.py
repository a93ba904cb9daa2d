"""Labelled pairs, and how they are grouped and held apart."""

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from groundwire_verifier.numbers.metrics import word_overlap

HELD_OUT_ONE_IN = 12
"""One context in so many is held out of training, for a calibration."""
_ANSWER = re.compile(r"[^\W\d][\w ]{0,13}[:：].*[^\W\d][:：]", re.DOTALL)
"""Such as "Question: ... Answer: ...", in any language."""


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled pair.

    `contradicted` is None where nobody says whether the context speaks against the claim.
    `cited_spans` are half-open ranges of the context, in characters. `language` is "en", "he", or
    another name for a language that has no rules of its own, or "a-b" where the claim is not in the
    context's. `text_share`, from 0 to 1, is how often rules that take sentences out of its context
    are applied. `joins` says whether the context may stand among others.
    """

    source: str
    context: str
    claim: str
    supported: bool
    contradicted: bool | None
    cited_spans: tuple[tuple[int, int], ...]
    language: str
    text_share: float = 1.0
    joins: bool = True

    @property
    def is_answer(self) -> bool:
        """Whether the claim is a question with its answer, not a statement."""
        return _ANSWER.match(self.claim) is not None

    @property
    def word_overlap(self) -> float:
        """The share of the claim's words that are in the context, in [0, 1]."""
        return word_overlap(self.claim, self.context)


def by_context(rows: Iterable[Row]) -> list[list[Row]]:
    """Rows that share source and context, together; in the order of their first rows."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.source, row.context), []).append(row)
    return list(groups.values())


def is_held_out(context: str) -> bool:
    """Whether a context is held out: always the same ones, whatever else there is."""
    return zlib.crc32(context.encode()) % HELD_OUT_ONE_IN == 0
