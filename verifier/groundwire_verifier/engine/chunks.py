"""A long text as overlapping chunks that begin and end with sentences."""

from collections.abc import Sequence
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.claims.markup.boundaries import find_sentences
from groundwire_verifier.text.claims.wording.sentence import language_of

OVERLAP_SHARE = 8
"""By default a chunk repeats an eighth of the one before: a few sentences, so that what is cut in
two at its end stands whole in the next one."""


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """Tokens of a chunk at most, and of what it repeats of the one before."""

    tokens: int = 1200
    overlap_tokens: int = 1200 // OVERLAP_SHARE


@dataclass(frozen=True, slots=True)
class SizedSpan:
    """A part of a text with its tokens."""

    span: Span
    tokens: int


def sentences_of(text: str) -> list[Span]:
    """The sentences of a text, which cover it without a gap."""
    return find_sentences(text, language_of(text)) or [Span(0, len(text))]


def halves(text: str, span: Span) -> list[Span]:
    """A part that is too long, cut near its middle, at white space if there is some."""
    middle = (span.start + span.end) // 2
    at = max(text.rfind(" ", span.start + 1, middle), text.rfind("\n", span.start + 1, middle))
    # A cut far from the middle would not make it shorter.
    if at < span.start + (span.end - span.start) // 4:
        at = middle
    return [Span(span.start, at), Span(at, span.end)]


def pack(parts: Sequence[SizedSpan], size: ChunkSize) -> list[Span]:
    """The fewest chunks of whole parts, each of at most `size.tokens`, in order.

    A chunk begins with the last parts of the one before that fit into `size.overlap_tokens`. A
    part that is longer than a chunk is one by itself.
    """
    chunks: list[Span] = []
    first = 0
    while first < len(parts):
        end, tokens = first, 0
        while end < len(parts) and (end == first or tokens + parts[end].tokens <= size.tokens):
            tokens += parts[end].tokens
            end += 1
        chunks.append(Span(parts[first].span.start, parts[end - 1].span.end))
        if end == len(parts):
            break
        first = _overlapping(parts, first, end, size)
    return chunks


def _overlapping(parts: Sequence[SizedSpan], first: int, end: int, size: ChunkSize) -> int:
    """Where the next chunk begins: it repeats what fits, and still holds the part at `end`."""
    room = min(size.overlap_tokens, size.tokens - parts[end].tokens)
    at = end
    while at - 1 > first and parts[at - 1].tokens <= room:
        at -= 1
        room -= parts[at].tokens
    return at
