"""Cuts an answer into pieces at the ends of its claims, which may nest and overlap.

The pieces in their order are the answer, every character once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from groundwire import AnswerClaim, Document, NonEvidence, PassageRelation, Span
from groundwire_server.reports.content import SEVERITY, visible
from groundwire_server.reports.phrases import deciding


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters of an answer that belong to the same claims."""

    text: str
    """The characters, at least one."""
    claims: tuple[int, ...]
    """The indexes of their claims, the one that marks them first; empty: they are no claim's."""
    ended: tuple[int, ...]
    """The claims that end behind the last character, in order."""
    is_wrong: bool = False
    """Whether the evidence does not bear out these words of a claim."""


def cut(answer: str, claims: Sequence[AnswerClaim]) -> tuple[Piece, ...]:
    """The answer in pieces, cut around words that are not borne out, too.

    Characters of several claims are marked by the shortest of them, and by the gravest verdict
    among equals.
    """
    spans = [each.span for each in claims]
    wrong = [
        each.span for claim in claims for each in claim.unsupported_spans if each.kind is not None
    ]
    bounds = {0, len(answer)} | {edge for s in (*spans, *wrong) for edge in (s.start, s.end)}
    in_wrong = _Sweep(wrong)
    edges = sorted(bounds)
    return tuple(
        Piece(
            text=answer[start:end],
            claims=_by_rank(
                claims, [i for i, s in enumerate(spans) if s.start <= start and end <= s.end]
            ),
            ended=tuple(i for i, s in enumerate(spans) if s.end == end),
            is_wrong=bool(in_wrong.at(start)),
        )
        for start, end in pairwise(edges)
    )


@dataclass(frozen=True, slots=True)
class SourcePiece:
    """Characters of a source's text, of which all or none are evidence, read with the same claims.

    `read_by` are the claims that were read with them as a passage, `decided` those that they
    decide, and `against` those of these that they speak against, by index.
    """

    text: str
    """The characters, at least one."""
    is_evidence: bool
    read_by: tuple[int, ...] = ()
    decided: tuple[int, ...] = ()
    against: tuple[int, ...] = ()


def cut_source(
    source: Document, sentences: Sequence[NonEvidence], claims: Sequence[AnswerClaim] = ()
) -> tuple[SourcePiece, ...]:
    """The visible text of a source, cut around its `sentences` that are no evidence.

    It is cut around the passages of it that `claims` were read with, and that decide them, too.
    """
    text = visible(source.text)
    left_out = [each.span for each in sentences if each.source_id == source.id]
    read: dict[Span, list[int]] = {}
    decides: dict[Span, list[int]] = {}
    denies: dict[Span, list[int]] = {}
    for index, claim in enumerate(claims):
        for found, passages in ((read, claim.read_passages), (decides, deciding(claim))):
            for passage in passages:
                if passage.source_id == source.id:
                    found.setdefault(passage.span, []).append(index)
        for passage in deciding(claim):
            if passage.source_id == source.id and passage.relation is PassageRelation.CONTRADICTS:
                denies.setdefault(passage.span, []).append(index)
    bounds = {edge for span in (*left_out, *read, *decides) for edge in (span.start, span.end)}
    edges = sorted({0, len(text), *(edge for edge in bounds if edge < len(text))})
    struck, marked, shaded = _Sweep(left_out), _Sweep(read), _Sweep(decides)
    return tuple(
        SourcePiece(
            text[start:end],
            is_evidence=not struck.at(start),
            read_by=_claims_of(read, marked.at(start)),
            decided=_claims_of(decides, spans := shaded.at(start)),
            against=_claims_of(denies, spans),
        )
        for start, end in pairwise(edges)
    )


def _claims_of(found: Mapping[Span, Sequence[int]], spans: Sequence[Span]) -> tuple[int, ...]:
    return tuple(sorted({index for span in spans for index in found.get(span, ())}))


class _Sweep:
    """Which of some spans hold a place, for places in order."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._next = sorted(spans, key=lambda span: span.start, reverse=True)
        self._open: list[Span] = []

    def at(self, place: int) -> Sequence[Span]:
        """The spans that hold the character at this place."""
        while self._next and self._next[-1].start <= place:
            self._open.append(self._next.pop())
        self._open = [span for span in self._open if span.end > place]
        return self._open


def _by_rank(claims: Sequence[AnswerClaim], indexes: Sequence[int]) -> tuple[int, ...]:
    def rank(index: int) -> tuple[int, int, int]:
        span, verdict = claims[index].span, claims[index].verdict
        return span.end - span.start, -SEVERITY.index(verdict), index

    return tuple(sorted(indexes, key=rank))
