"""Evidence in windows of some hundred words, and which of them can matter for a claim, by words.

Rare words, numbers and names of a claim weigh more than others; its forms are those of
`groundwire_verifier.domain.titles`. The words of a claim that is read as the answer to a question
are those of both.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.evidence import Evidence, ReadPassage
from groundwire_verifier.domain.titles import NUMBER_WEIGHT, STOP_WORDS, WORD, stem

MAX_WINDOW_CHARACTERS = 700
"""Some 115 English words."""
MIN_WINDOW_CHARACTERS = 200
NAME_WEIGHT = 1.5
"""A name says more of a claim than another word does."""
CITED_WEIGHT = 1.5
"""A window of a source that a claim cites is preferred to another with the same words."""
LEAST_OF_BEST = 0.5
"""A window with a smaller share of the best one's weight than this cannot matter beside it."""
LEAST_TOLD = 0.25
"""The share of a claim's words that its evidence has to hold, so that words can choose at all: a
claim in another language shares its numbers only."""
RELATED_SHARE = 0.25
"""The share of a claim's weight in the evidence from which a window is related to the claim."""

_LINE_ENDS = ("\n\n", "\n")
_SENTENCE_END = re.compile(
    r"[.!?\u2026\u061f\u06d4\u0964][\"'\u201d\u2019)\]]*\s|[\u3002\uff01\uff1f]"
)
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts that put no blanks between words."""


class Windows:
    """The windows of one piece of evidence, which do not cross the ends of its sources.

    `spans` are where they stand, in order; none begins or ends with white space.
    """

    def __init__(
        self,
        evidence: Evidence,
        window_characters: int = MAX_WINDOW_CHARACTERS,
        lines: Sequence[Span] = (),
    ) -> None:
        """Cut the evidence; each of these `lines` is a window of its own, or several."""
        self._stems: dict[str, str] = {}
        covered = (*(source.span for source in evidence.ranges), *lines)
        edges = sorted({edge for span in covered for edge in (span.start, span.end)})
        titles = {title.span.end: title.span.of(evidence.context) for title in evidence.titles}
        spans: list[Span] = []
        places: dict[str, list[int]] = {}
        for passage in evidence.passages:
            inner = edges[bisect_right(edges, passage.start) : bisect_left(edges, passage.end)]
            # Its heading ends with the title and a line break.
            heading = self._terms(titles.get(passage.start - 1, ""))
            for start, end in pairwise((passage.start, *inner, passage.end)):
                for span in _cut(evidence.context, Span(start, end), window_characters):
                    for term in heading | self._terms(span.of(evidence.context)):
                        places.setdefault(term, []).append(len(spans))
                    spans.append(span)
        self._evidence = evidence
        self.spans = tuple(spans)
        self._places = {term: np.array(found) for term, found in places.items()}
        self._starts = [span.start for span in spans]
        self._sizes = np.array([span.end - span.start for span in spans], dtype=int)
        # Their sources as numbers, the first of several; -1 where no source covers the text.
        self._owners = np.full(len(spans), -1)
        self._of_source: dict[str, list[range]] = {}
        for number, source in reversed(list(enumerate(evidence.ranges))):
            held = self.within(source.span)
            self._owners[held.start : held.stop] = number
            self._of_source.setdefault(source.id, []).append(held)

    def within(self, span: Span) -> range:
        return range(bisect_left(self._starts, span.start), bisect_left(self._starts, span.end))

    def of_source(self, source_id: str) -> list[int]:
        """The windows of a source, by their numbers."""
        return sorted({w for held in self._of_source.get(source_id, ()) for w in held})

    def of_no_source(self) -> frozenset[int]:
        """The windows in text that no source covers."""
        return frozenset(np.flatnonzero(self._owners < 0).tolist())

    def keeping(self, windows: Collection[int]) -> Evidence:
        """The evidence with these windows alone."""
        return self._evidence.keeping([self.spans[window] for window in sorted(windows)])

    def read_passages(self, windows: Collection[int]) -> tuple[ReadPassage, ...]:
        """These windows as the caller's text has them, neighbours in one source as one."""
        found: list[ReadPassage] = []
        last = -2
        for window in sorted(windows):
            owner = int(self._owners[window])
            source_id = "" if owner < 0 else self._evidence.ranges[owner].id
            span = self._evidence.as_sent(self.spans[window])
            before = found[-1] if window == last + 1 else None
            if before and before.source_id == source_id and before.span.start < span.start:
                span = Span(found.pop().span.start, span.end)
            found.append(ReadPassage(source_id, span))
            last = window
        return tuple(found)

    def for_claim(
        self, claim: str, cited_ids: Sequence[str], characters: int
    ) -> frozenset[int] | None:
        """The windows that can matter for a claim, in so many characters; None if words tell none.

        Of each source that it cites there is one, whatever that takes.
        """
        weights = self._weights(claim)
        known = [term for term in weights if term in self._places]
        if len(known) <= LEAST_TOLD * len(weights):
            return None
        return self.best(claim, cited_ids, characters)

    def best(self, claim: str, cited_ids: Sequence[str], characters: int) -> frozenset[int]:
        """As `for_claim`; the first windows if words tell none."""
        scores = self._scores(self._weights(claim))
        chosen: set[int] = set()
        for source_id in cited_ids:
            own = np.array(self.of_source(source_id), dtype=int)
            if own.size:
                chosen.add(int(own[np.argmax(scores[own])]))
                scores[own] *= CITED_WEIGHT
        room = characters - sum(int(self._sizes[window]) for window in chosen)
        least = LEAST_OF_BEST * max(scores, default=0.0)
        for window in np.argsort(-scores, kind="stable").tolist():
            if scores[window] < least:
                break
            size = int(self._sizes[window])
            if window not in chosen and (size <= room or not chosen):
                chosen.add(window)
                room -= size
        return frozenset(chosen)

    def related(self, claim: str) -> frozenset[int]:
        """The windows that share words with a claim."""
        weights = self._weights(claim)
        held = sum(weight for term, weight in weights.items() if term in self._places)
        scores = self._scores(weights)
        return frozenset(np.flatnonzero((scores > 0) & (scores >= RELATED_SHARE * held)).tolist())

    def characters(self, windows: Collection[int]) -> int:
        """How many characters these have together."""
        return int(self._sizes[list(windows)].sum())

    def _scores(self, weights: dict[str, float]) -> NDArray[np.float64]:
        scores = np.zeros(len(self.spans))
        for term, weight in weights.items():
            if term in self._places:
                scores[self._places[term]] += weight
        return scores

    def _weights(self, claim: str) -> dict[str, float]:
        """The claim's words by how much each says: what is rarer among the windows says more."""
        folded = self._terms(claim)
        # The first word has a capital whatever it is.
        names = self._terms(" ".join(w for w in claim.split()[1:] if w.strip("\"'(")[:1].isupper()))
        count = len(self.spans)
        found: dict[str, float] = {}
        for term in sorted(folded):
            held = len(self._places.get(term, ()))
            weight = float(np.log1p((count - held + 0.5) / (held + 0.5)))
            if term[0].isdigit():
                weight *= NUMBER_WEIGHT
            elif term in names:
                weight *= NAME_WEIGHT
            found[term] = weight
        return found

    def _terms(self, text: str) -> set[str]:
        terms: set[str] = set()
        for match in WORD.finditer(text.casefold()):
            word = match.group()
            if word in STOP_WORDS:
                continue
            if _UNSPACED.match(word):
                terms.update(map("".join, pairwise(word)) if len(word) > 1 else word)
            elif word in self._stems:
                terms.add(self._stems[word])
            else:
                terms.add(self._stems.setdefault(word, stem(word)))
        return terms


def window_characters(budget_characters: int) -> int:
    """How long windows are, so that some fit into a budget."""
    quarter = budget_characters // 4
    return min(MAX_WINDOW_CHARACTERS, max(MIN_WINDOW_CHARACTERS, quarter))


def _cut(text: str, span: Span, size: int) -> Iterator[Span]:
    """Windows of at most `size` characters of nearly one length, without the blanks around them.

    They end with a paragraph, else with a line, a sentence or a word, if there is one to end with.
    """
    at = span.start
    while at < span.end:
        left = span.end - at
        end = span.end
        if left > size:
            aim = left / -(-left // size)
            end = _end(text, at + int(0.6 * aim), at + min(size, int(1.25 * aim)))
        window = text[at:end]
        start = at + len(window) - len(window.lstrip())
        stop = at + len(window.rstrip())
        if start < stop:
            yield Span(start, stop)
        at = end


def _end(text: str, low: int, high: int) -> int:
    """Where a window ends, between `low` and `high`."""
    for line_end in _LINE_ENDS:
        at = text.rfind(line_end, low, high)
        if at >= 0:
            return at + len(line_end)
    sentences = list(_SENTENCE_END.finditer(text, low, high))
    if sentences:
        return sentences[-1].end()
    at = max(text.rfind(blank, low, high) for blank in " \t")
    return at + 1 if at >= 0 else high
