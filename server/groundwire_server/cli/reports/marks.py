"""Cuts an answer into pieces at the ends of its claims, which may nest and overlap.

The pieces in their order are the answer, every character once. Knows no format.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from groundwire import AnswerClaim
from groundwire_server.cli.reports.content import SEVERITY


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters of an answer that belong to the same claims."""

    text: str
    """The characters, at least one."""
    claims: tuple[int, ...]
    """The indexes of their claims, the one that marks them first; empty: they are no claim's."""
    ended: tuple[int, ...]
    """The claims that end behind the last character, in order."""


def cut(answer: str, claims: Sequence[AnswerClaim]) -> tuple[Piece, ...]:
    """The answer in pieces.

    Characters of several claims are marked by the shortest of them, and by the gravest verdict
    among equals.
    """
    spans = [each.span for each in claims]
    bounds = {0, len(answer)} | {span.start for span in spans} | {span.end for span in spans}
    edges = sorted(bounds)
    return tuple(
        Piece(
            text=answer[start:end],
            claims=_by_rank(
                claims, [i for i, s in enumerate(spans) if s.start <= start and end <= s.end]
            ),
            ended=tuple(i for i, s in enumerate(spans) if s.end == end),
        )
        for start, end in pairwise(edges)
    )


def _by_rank(claims: Sequence[AnswerClaim], indexes: Sequence[int]) -> tuple[int, ...]:
    def rank(index: int) -> tuple[int, int, int]:
        span, verdict = claims[index].span, claims[index].verdict
        return span.end - span.start, -SEVERITY.index(verdict), index

    return tuple(sorted(indexes, key=rank))
