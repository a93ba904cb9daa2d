"""A text in chunks of so many tokens that end where sentences end, each with an overlap."""

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from groundwire_verifier.text.claims.markup.boundaries import find_sentences

Span = tuple[int, int]

_PARAGRAPHS = re.compile(r"\S(?:(?!\n[^\S\n]*\n).)*", re.DOTALL)
_SPACE = re.compile(r"[^\S ]")
_HEBREW = re.compile("[\u05d0-\u05ea]")


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """Most tokens of a chunk, and most that it has in common with the one before."""

    tokens: int = 512
    overlap: int = 64


def chunks(text: str, tokens: Sequence[Span], size: ChunkSize) -> Iterator[Span]:
    """Where the chunks of a text begin and end, in characters.

    `tokens` are where its tokens do. A sentence that is longer than a chunk is cut between tokens.
    """
    starts = [start for start, _ in tokens]
    units = [
        unit for sentence in sentences(text) for unit in _fitting(sentence, starts, size.tokens)
    ]
    first = 0
    while first < len(units):
        last = first
        while (
            last + 1 < len(units)
            and _count(starts, units[first][0], units[last + 1][1]) <= size.tokens
        ):
            last += 1
        yield units[first][0], units[last][1]
        if last + 1 == len(units):
            return
        following = last + 1
        while (
            following - 1 > first
            and _count(starts, units[following - 1][0], units[last][1]) <= size.overlap
            and _count(starts, units[following - 1][0], units[last + 1][1]) <= size.tokens
        ):
            following -= 1
        first = following


def sentences(text: str) -> Iterator[Span]:
    """Where sentences begin and end; none goes on after an empty line."""
    for paragraph in _PARAGRAPHS.finditer(text):
        begin = paragraph.start()
        flat = _SPACE.sub(" ", paragraph.group())
        language = "he" if _HEBREW.search(flat) else "en"
        for found in find_sentences(flat, language):
            yield begin + found.start, begin + found.end


def _fitting(sentence: Span, starts: Sequence[int], most: int) -> Iterator[Span]:
    """A sentence, or parts of it that have at most so many tokens."""
    begin, end = sentence
    first, last = bisect.bisect_left(starts, begin), bisect.bisect_left(starts, end)
    cuts = [starts[at] for at in range(first + most, last, most)]
    yield from zip([begin, *cuts], [*cuts, end], strict=True)


def _count(starts: Sequence[int], begin: int, end: int) -> int:
    return bisect.bisect_left(starts, end) - bisect.bisect_left(starts, begin)
