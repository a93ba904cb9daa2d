"""Cuts an answer into pieces at the ends of its claims, which may nest and overlap.

The pieces in their order are the answer, every character once. Knows no format.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from groundwire import AnswerClaim, Document, NonEvidence
from groundwire_server.cli.reports.content import SEVERITY, visible


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


@dataclass(frozen=True, slots=True)
class SourcePiece:
    """Characters of a source's text, of which all or none are evidence."""

    text: str
    """The characters, at least one."""
    is_evidence: bool


def cut_source(source: Document, sentences: Sequence[NonEvidence]) -> tuple[SourcePiece, ...]:
    """The visible text of a source, cut around its `sentences` that are no evidence."""
    text = visible(source.text)
    pieces: list[SourcePiece] = []
    at = 0
    spans = [each.span for each in sentences if each.source_id == source.id]
    for span in sorted(spans, key=lambda span: span.start):
        pieces.append(SourcePiece(text[at : span.start], is_evidence=True))
        pieces.append(SourcePiece(text[max(at, span.start) : span.end], is_evidence=False))
        at = max(at, span.end)
    pieces.append(SourcePiece(text[at:], is_evidence=True))
    return tuple(piece for piece in pieces if piece.text)


def _by_rank(claims: Sequence[AnswerClaim], indexes: Sequence[int]) -> tuple[int, ...]:
    def rank(index: int) -> tuple[int, int, int]:
        span, verdict = claims[index].span, claims[index].verdict
        return span.end - span.start, -SEVERITY.index(verdict), index

    return tuple(sorted(indexes, key=rank))
