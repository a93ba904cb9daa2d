"""A block as it is read: what is masked in it, what is cut out of it, and what is left of
a part."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Citation, Languages, Span
from groundwire_verifier.text.claims.markup.blocks import Block
from groundwire_verifier.text.claims.markup.boundaries import mask
from groundwire_verifier.text.claims.markup.citation_places import cuts_of, find_subjects
from groundwire_verifier.text.claims.markup.citations import CitationReader
from groundwire_verifier.text.claims.markup.inline import (
    Region,
    RegionKind,
    find_emphasis,
    find_protected,
)
from groundwire_verifier.text.claims.wording.sentence import GENERIC, language_of, rules_for

LINK_TEXT_CHARACTERS = 300
"""How far before its target a link's text may start."""

_SPECIAL = re.compile(r"[\[`@*_~【(⁰¹²³⁴-⁹]|[\d}]\$|<sup>|://|www\.", re.IGNORECASE)
"""What every region, citation and mark of emphasis holds one of."""

_CLOSERS = ".,;:!?…)]}%'\"”’»"


@dataclass(frozen=True, slots=True)
class Canvas:
    """A block's text from `start` on: `masked` is as long as the block, `cuts` are left out."""

    text: str
    start: int
    masked: str
    cuts: tuple[Span, ...]
    citations: tuple[Citation, ...]
    code: tuple[Span, ...]
    emphasis: frozenset[int]
    """Where the characters of emphasis stand."""

    @classmethod
    def of_block(
        cls,
        text: str,
        block: Block,
        reader: CitationReader,
        languages: Languages = Languages(),  # noqa: B008 - frozen
    ) -> "Canvas":
        """Find the block's regions and mask them. Raises TooManyIdsError."""
        is_plain = not _SPECIAL.search(text, block.span.start, block.span.end)
        if is_plain and not block.marks and not reader.may_speak(block.span):
            masked = mask(text, block.span, (), ())
            return cls(text, block.span.start, masked, (), (), (), frozenset())
        protected = find_protected(text, block.span)
        citations = reader.find(block.span, protected)
        links = [span for region in protected for span in _link_marks(text, block.span, region)]
        by_form = rules_for(language_of(block.span.of(text), languages)) == GENERIC
        subjects = set(find_subjects(text, block.span, citations, by_form=by_form))
        words = [r.span for r in protected if r.kind is not RegionKind.LINK]
        words += [c.span for c in subjects]
        around = [c for c in citations if c not in subjects]
        none = [Citation(span, ()) for span in reader.disclaimers(block.span, protected)]
        around = sorted((*around, *none), key=lambda citation: citation.span)
        gaps = [*cuts_of(text, block.span, around), *block.marks, *links]
        taken = [*(r.span for r in protected), *gaps, *(c.span for c in subjects)]
        emphasis = list(find_emphasis(text, block.span, taken))
        gaps += emphasis
        return cls(
            text=text,
            start=block.span.start,
            masked=mask(text, block.span, words, gaps),
            cuts=tuple(sorted(gaps, key=lambda span: span.start)),
            citations=tuple(citations),
            code=tuple(r.span for r in protected if r.kind is RegionKind.CODE),
            emphasis=frozenset(i for mark in emphasis for i in range(mark.start, mark.end)),
        )

    def kept(self, place: Span) -> list[Span]:
        """What is left of `place` without cuts and outer spaces, as stretches of the text."""
        if not self.cuts:
            only = _strip(self.text, place)
            return [only] if only.start < only.end else []
        stretches = []
        at = place.start
        for cut in self._cuts_in(place):
            stretches.append(Span(at, max(at, cut.start)))
            at = max(at, cut.end)
        stretches.append(Span(at, max(at, place.end)))
        stripped = (_strip(self.text, stretch) for stretch in stretches)
        return [stretch for stretch in stripped if stretch.start < stretch.end]

    def own(self, place: Span) -> Span | None:
        """From the first to the last stretch of `place` that holds a letter or a digit."""
        real = [s for s in self.kept(place) if any(c.isalnum() for c in s.of(self.text))]
        if not real:
            return None
        end = real[-1].end
        # The bracket around a citation that was cut out has no other side here.
        while end < place.end and (self.text[end - 1] in "([" or self.text[end - 1].isspace()):
            end -= 1
        start = real[0].start
        while start > place.start and start - 1 in self.emphasis:
            start -= 1
        inner = end
        while end < place.end and end in self.emphasis:
            end += 1
        while inner < end < place.end and self.text[end] in ".!?…":
            end += 1
        return Span(start, end)

    def content(self, place: Span) -> str:
        """The words of `place` without cuts, with single spaces."""
        pieces: list[str] = []
        last = place.start
        for stretch in self.kept(place):
            piece = " ".join(stretch.of(self.text).split())
            if pieces and stretch.end < place.end and not piece.strip(",;&"):
                # What stood between two citations.
                last = stretch.start
                continue
            if pieces and pieces[-1].endswith("(") and piece.startswith(")"):
                pieces[-1], piece = pieces[-1][:-1].rstrip(), piece[1:].lstrip()
                if not pieces[-1]:
                    pieces.pop()
            # In mathematics a backslash begins a blank.
            spaced = any(c.isspace() or c == "\\" for c in self.text[last : stretch.start])
            if pieces and piece and spaced and piece[0] not in _CLOSERS:
                piece = " " + piece
            if piece:
                pieces.append(piece)
            last = stretch.end
        return "".join(pieces)

    def is_code(self, place: Span) -> bool:
        """Whether `place` is one stretch of code and no more."""
        at = bisect_left(self.code, place.start, key=lambda span: span.start)
        if at == len(self.code) or self.code[at].start != place.start:
            return False
        rest = self.text[self.code[at].end : place.end]
        return not any(c.isalnum() for c in rest)

    def widen(self, place: Span) -> Span:
        """`place` with the brackets, quotes and the like that touch it."""
        start, end = place.start - self.start, place.end - self.start
        while start > 0 and _touches(self.masked[start - 1]):
            start -= 1
        while end < len(self.masked) and _touches(self.masked[end]):
            end += 1
        return Span(self.start + start, self.start + end)

    def _cuts_in(self, place: Span) -> Iterator[Span]:
        at = bisect_left(self.cuts, place.start, key=lambda span: span.start)
        while at < len(self.cuts) and self.cuts[at].start < place.end:
            yield self.cuts[at]
            at += 1


def _strip(text: str, span: Span) -> Span:
    inner = span.of(text)
    start = span.start + len(inner) - len(inner.lstrip())
    return Span(start, max(start, span.start + len(inner.rstrip())))


def _touches(character: str) -> bool:
    return (
        not character.isspace() and not character.isalnum() and character not in ",;:.!?-–—、，،。"
    )


def _link_marks(text: str, block: Span, region: Region) -> Iterator[Span]:
    """A link's marks: the bracket before its text, and all from the one behind it."""
    if region.kind is not RegionKind.LINK:
        return
    first = max(block.start, region.span.start - LINK_TEXT_CHARACTERS)
    opening = text.rfind("[", first, region.span.start)
    if opening >= 0:
        yield Span(opening, opening + 1)
    yield region.span
