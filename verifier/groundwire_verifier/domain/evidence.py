"""Evidence: sources inside one context, and the context with some of them taken out."""

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from groundwire_verifier.domain.claims import NonAssertive, Span

DEFAULT_MARKER = "[EVIDENCE REMOVED]"
WHOLE_CONTEXT_ID = "S0"
"""The id of a context without ranges, as one source."""

_BLANKS = re.compile(r"[^\S\n]*")


@dataclass(frozen=True, slots=True)
class Document:
    """A source of its own. `title` is one line, or empty."""

    id: str
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class SourceRange:
    """A part of a context. Ranges of one id are cited together."""

    id: str
    span: Span


@dataclass(frozen=True, slots=True)
class NonEvidence:
    """A sentence that asks or instructs, and so is evidence for nothing.

    `span` points into the text of the document with `source_id`, or into the context, where
    `source_id` is the first source that has a part of it, or empty. `kind` is QUESTION or
    INSTRUCTION. `place` is the same span in the joined context.
    """

    source_id: str
    span: Span
    kind: NonAssertive
    place: Span


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A passage of the evidence that a claim was read with.

    `span` points into the text of the document with `source_id`, or into the context, where
    `source_id` is the first source that has a part of it, or empty.
    """

    source_id: str
    span: Span


@dataclass(frozen=True, slots=True)
class Evidence:
    """A context and the ranges of it that can be cited. What no range covers is never removed.

    `titles` are where the sources' titles stand, for those that have one. `passages` are the texts
    of the documents in order, or the whole context. `ids` are the distinct ids of the sources, in
    order. `cuts` are what was left out of the text that a caller sent, by its places in there.
    """

    context: str
    ranges: tuple[SourceRange, ...]
    titles: tuple[SourceRange, ...]
    passages: tuple[Span, ...]
    cuts: tuple[Span, ...] = ()
    ids: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        ids = dict.fromkeys(source.id for source in self.ranges)
        object.__setattr__(self, "ids", tuple(ids))

    @classmethod
    def of_context(cls, context: str, ranges: Sequence[SourceRange] = ()) -> "Evidence":
        """A context with ranges, or, without any, as one source."""
        whole = Span(0, len(context))
        return cls(context, tuple(ranges) or (SourceRange(WHOLE_CONTEXT_ID, whole),), (), (whole,))

    @classmethod
    def of_documents(cls, documents: Sequence[Document]) -> "Evidence":
        """Documents one below the other, each under a heading with its id and title."""
        return cls("", (), (), ()).and_documents(documents)

    def and_documents(self, documents: Sequence[Document]) -> "Evidence":
        """The same with documents below it. Their ids are none of those that are there."""
        parts = [self.context]
        ranges: list[SourceRange] = []
        titles: list[SourceRange] = []
        at = len(self.context)
        for document in documents:
            title = " ".join(document.title.split())
            heading = ("\n\n" if at else "") + f"[{document.id}] {title}".rstrip() + "\n"
            parts += (heading, document.text)
            at += len(heading)
            if title:
                titles.append(SourceRange(document.id, Span(at - 1 - len(title), at - 1)))
            ranges.append(SourceRange(document.id, Span(at, at + len(document.text))))
            at += len(document.text)
        return Evidence(
            "".join(parts),
            (*self.ranges, *ranges),
            (*self.titles, *titles),
            (*self.passages, *(source.span for source in ranges)),
        )

    @property
    def passage_texts(self) -> tuple[str, ...]:
        return tuple(passage.of(self.context) for passage in self.passages)

    @property
    def title_of(self) -> dict[str, str]:
        """The titles of the sources that have one, by their ids."""
        return {title.id: title.span.of(self.context) for title in self.titles}

    def text_of(self, source_id: str) -> str:
        """The text of a source: that of its ranges, one a line."""
        return "\n".join(s.span.of(self.context) for s in self.ranges if s.id == source_id)

    def without(self, ids: Collection[str], marker: str, title_ids: Collection[str] = ()) -> str:
        """The context with the marker in place of the sources of these ids.

        The titles of the sources with `title_ids` are replaced, too.
        """
        spans = _merged([source.span for source in self.ranges if source.id in ids])
        titles = {title.span for title in self.titles if title.id in title_ids}
        parts: list[str] = []
        at = 0
        for span in sorted([*spans, *titles]):
            parts += (self.context[at : span.start], marker)
            at = span.end
        parts.append(self.context[at:])
        return "".join(parts)

    def non_evidence(
        self, found: Sequence[Sequence[tuple[Span, NonAssertive]]]
    ) -> tuple[NonEvidence, ...]:
        """What was found in each passage, in disjoint spans of it in order, with its source."""
        marks = [
            (Span(passage.start + span.start, passage.start + span.end), span, kind)
            for passage, each in zip(self.passages, found, strict=True)
            for span, kind in each
        ]
        starts = [place.start for place, _, _ in marks]
        ends = [place.end for place, _, _ in marks]
        # An array: a thousand ranges may each hold many thousand sentences.
        owners = np.full(len(marks), -1)
        # The first source last, so that it is the one that stays.
        for i, source in reversed(list(enumerate(self.ranges))):
            first = bisect_right(ends, source.span.start)
            owners[first : max(first, bisect_left(starts, source.span.end))] = i
        return tuple(
            NonEvidence("" if owner < 0 else self.ranges[owner].id, span, kind, place)
            for (place, span, kind), owner in zip(marks, owners.tolist(), strict=True)
        )

    def leaving_out(self, sentences: Sequence[NonEvidence]) -> "Evidence":
        """The evidence without these sentences, which are in order, and the blanks around them.

        A line of which nothing is left goes as a whole. Sources stay with their ids, order and
        titles, also those of which nothing is left.
        """
        cuts = self._cuts([sentence.place for sentence in sentences])
        starts = [cut.start for cut in cuts]
        lengths = (cut.end - cut.start for cut in cuts)
        gone = [0, *itertools.accumulate(lengths)]

        def moved(place: int) -> int:
            before = bisect_left(starts, place)
            inside = max(0, cuts[before - 1].end - place) if before else 0
            return place - gone[before] + inside

        def move(source: SourceRange) -> SourceRange:
            return SourceRange(source.id, Span(moved(source.span.start), moved(source.span.end)))

        edges = [0, *(edge for cut in cuts for edge in (cut.start, cut.end)), len(self.context)]
        kept = zip(edges[::2], edges[1::2], strict=True)
        return Evidence(
            context="".join(self.context[start:end] for start, end in kept),
            ranges=tuple(map(move, self.ranges)),
            titles=tuple(map(move, self.titles)),
            passages=tuple(Span(moved(p.start), moved(p.end)) for p in self.passages),
            cuts=tuple(cuts),
        )

    def keeping(self, spans: Sequence[Span]) -> "Evidence":
        """The evidence with these spans alone, each in one passage, disjoint and in order.

        A passage of which something is kept stays below its heading. Where text is left out between
        two spans of a passage a line ends. Sources of which nothing is kept go.
        """
        pieces: list[Span] = []
        parts: list[str] = []
        moved: list[int] = []
        size = 0

        def put(piece: Span, before: str = "") -> None:
            nonlocal size
            parts.extend((before, piece.of(self.context)))
            moved.append(size + len(before))
            size += len(before) + piece.end - piece.start
            pieces.append(piece)

        starts = [passage.start for passage in self.passages]
        last = -1
        for span in spans:
            number = bisect_right(starts, span.start) - 1
            if number != last:
                heading = Span(self.passages[number - 1].end if number else 0, starts[number])
                blanks = "" if parts else heading.of(self.context)
                put(Span(heading.start + len(blanks) - len(blanks.lstrip("\n")), heading.end))
                put(span)
                last = number
                continue
            between = self.context[pieces[-1].end : span.start]
            put(span, "\n" if between.strip() else between)
        ends = [piece.end for piece in pieces]
        begins = [piece.start for piece in pieces]

        def kept(span: Span) -> Span | None:
            first, behind = bisect_right(ends, span.start), bisect_left(begins, span.end)
            if first >= behind:
                return None
            start = moved[first] + max(0, span.start - begins[first])
            end = moved[behind - 1] + min(span.end, ends[behind - 1]) - begins[behind - 1]
            return Span(start, end) if start < end else None

        def sources(found: Sequence[SourceRange]) -> tuple[SourceRange, ...]:
            placed = ((source.id, kept(source.span)) for source in found)
            return tuple(SourceRange(name, span) for name, span in placed if span is not None)

        passages = map(kept, self.passages)
        return Evidence(
            context="".join(parts),
            ranges=sources(self.ranges),
            titles=sources(self.titles),
            passages=tuple(passage for passage in passages if passage is not None),
        )

    def as_sent(self, span: Span) -> Span:
        """A span of one passage as it stands in the document's text, or in the context, as sent."""
        lengths = (cut.end - cut.start for cut in self.cuts)
        gone = list(itertools.accumulate(lengths, initial=0))
        places = [cut.start - before for cut, before in zip(self.cuts, gone, strict=False)]
        starts = [passage.start for passage in self.passages]
        passage = starts[bisect_right(starts, span.start) - 1]
        passage += gone[bisect_left(places, passage)]
        start = span.start + gone[bisect_right(places, span.start)]
        end = span.end + gone[bisect_left(places, span.end)]
        return Span(start - passage, end - passage)

    def _cuts(self, places: Sequence[Span]) -> list[Span]:
        """The places, neighbours as one, with the blanks around them that are then of no use.

        Those are the blanks behind, or before where nothing follows on the line, and the break of
        a line that has no more than the places.
        """
        text = self.context
        starts = [passage.start for passage in self.passages]
        cuts: list[Span] = []
        for place in places:
            passage = self.passages[bisect_right(starts, place.start) - 1]
            blanks = _BLANKS.match(text, place.end, passage.end)
            start, end = place.start, place.end if blanks is None else blanks.end()
            if cuts and cuts[-1].end == start:
                start = cuts.pop().start
            if end == passage.end or text[end] == "\n":
                while start > passage.start and text[start - 1] in " \t":
                    start -= 1
                if end < passage.end and (start == passage.start or text[start - 1] == "\n"):
                    end += 1
            cuts.append(Span(start, end))
        return cuts


def _merged(spans: Sequence[Span]) -> list[Span]:
    """The same characters as disjoint spans in order; spans that touch become one."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged
