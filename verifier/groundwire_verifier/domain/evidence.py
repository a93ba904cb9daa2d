"""Evidence: sources inside one context, and the context with some of them taken out.

Knows characters. Does not know claims, tokens or models.
"""

import itertools
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum

from groundwire_verifier.domain.claims import Span

DEFAULT_MARKER = "[EVIDENCE REMOVED]"
MASK_CHARACTER = "_"
WHOLE_CONTEXT_ID = "S0"
"""The id of a context without ranges, as one source."""


class Removal(Enum):
    """A way to take sources out of a context."""

    REPLACE = "replace"
    DELETE = "delete"
    MASK = "mask"
    DONOR = "donor"


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
class Evidence:
    """A context and the ranges of it that can be cited. What no range covers is never removed."""

    context: str
    ranges: tuple[SourceRange, ...]

    @classmethod
    def of_context(cls, context: str, ranges: Sequence[SourceRange] = ()) -> "Evidence":
        """A context with ranges, or, without any, as one source."""
        whole = SourceRange(WHOLE_CONTEXT_ID, Span(0, len(context)))
        return cls(context, tuple(ranges) or (whole,))

    @classmethod
    def of_documents(cls, documents: Sequence[Document]) -> "Evidence":
        """Documents one below the other, each under a heading with its id and title."""
        parts: list[str] = []
        ranges: list[SourceRange] = []
        at = 0
        for document in documents:
            title = " ".join(document.title.split())
            heading = ("\n\n" if parts else "") + f"[{document.id}] {title}".rstrip() + "\n"
            parts += (heading, document.text)
            at += len(heading)
            ranges.append(SourceRange(document.id, Span(at, at + len(document.text))))
            at += len(document.text)
        return cls("".join(parts), tuple(ranges))

    @property
    def ids(self) -> tuple[str, ...]:
        """The distinct ids of the sources, in order."""
        return tuple(dict.fromkeys(source.id for source in self.ranges))

    def text_of(self, source_id: str) -> str:
        """The text of a source: that of its ranges, one a line."""
        return "\n".join(s.span.of(self.context) for s in self.ranges if s.id == source_id)

    def without(
        self,
        ids: Collection[str],
        removal: Removal,
        marker: str,
        no_donors: Collection[str] = (),
    ) -> str | None:
        """The context with the sources of these ids taken out, and everything else as it stands.

        DONOR takes text of sources that are neither removed nor in `no_donors`; None if there is
        none.
        """
        spans = _merged([source.span for source in self.ranges if source.id in ids])
        donors = self._donors({*ids, *no_donors}, spans) if removal is Removal.DONOR else ""
        if removal is Removal.DONOR and not donors:
            return None
        donor = itertools.cycle(donors)
        parts: list[str] = []
        at = 0
        for span in spans:
            parts.append(self.context[at : span.start])
            match removal:
                case Removal.REPLACE:
                    parts.append(marker)
                case Removal.DELETE:
                    pass
                case Removal.MASK:
                    cut = span.of(self.context)
                    parts.append("".join(c if c.isspace() else MASK_CHARACTER for c in cut))
                case Removal.DONOR:
                    parts.append("".join(itertools.islice(donor, span.end - span.start)))
            at = span.end
        parts.append(self.context[at:])
        return "".join(parts)

    def _donors(self, ids: Collection[str], removed: Sequence[Span]) -> str:
        others = [source.span for source in self.ranges if source.id not in ids]
        free = (span for span in others if not _overlaps(span, removed))
        texts = (span.of(self.context).strip() for span in free)
        return "".join(f"{text} " for text in texts if text)


def _overlaps(span: Span, disjoint: Sequence[Span]) -> bool:
    """Whether a span shares a character with any of these, which are disjoint and in order."""
    at = bisect_right(disjoint, span.start, key=lambda other: other.end)
    return at < len(disjoint) and disjoint[at].start < span.end


def _merged(spans: Sequence[Span]) -> list[Span]:
    """The same characters as disjoint spans in order; spans that touch become one."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged
