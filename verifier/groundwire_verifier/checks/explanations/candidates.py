"""Which sentences of the sources can decide a claim, by words.

A passage is a sentence or a line of a source. It is shown to the model below the heading of its
source, as the whole evidence is.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.evidence import Evidence
from groundwire_verifier.domain.titles import NUMBER_WEIGHT, stems
from groundwire_verifier.text.claims.markup.boundaries import find_sentences
from groundwire_verifier.text.claims.wording.sentence import language_of
from groundwire_verifier.verdicts.windows import MAX_WINDOW_CHARACTERS, Windows

LEAST_OF_BEST = 0.34
"""A sentence with a smaller share of the claim's words than this part of the best one's cannot
decide beside it."""
LEAST_OF_CONFLICT = 0.2
"""The share of a claim's words, without its numbers, that a sentence of another source needs to be
read for contradiction. Half would reach one in seven of the conflicts that were marked by hand."""
SEARCHED_WINDOWS = 6
"""How many of the evidence's windows are cut into sentences for one claim."""
WRAPPED_CHARACTERS = 60
"""A shorter line ends where its author wanted it to end."""

_BREAK = re.compile(r"[\r\n]")
_BREAKS_OFF = re.compile(r"[\w,]\s*$")
_BEGINS = re.compile(r"[0-9]{1,3}[.)]\s|[\W_]")
"""What an item of a list begins with."""

_ASKS = ("?", "؟", "\uff1f")

NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of a source. `place` is where it stands in the evidence, `span` in what was sent.

    `context` is what it is read as.
    """

    source_id: str
    place: Span
    span: Span
    text: str
    context: str


class Candidates:
    """The sentences of one piece of evidence that can decide claims."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._sentences: dict[Span, tuple[Span, ...]] = {}
        self._stems: dict[Span, frozenset[str]] = {}

    @cached_property
    def _windows(self) -> Windows:
        return Windows(self._evidence)

    def for_claim(self, claim: str, cited_ids: Sequence[str], most: int) -> list[Candidate]:
        """The sentences that share most words with a claim, at most `most`, best first."""
        room = SEARCHED_WINDOWS * MAX_WINDOW_CHARACTERS
        found = self._windows.best(claim, cited_ids, room)
        return self._best(claim, self._spans(found), most)

    def of_each(self, claim: str, most: int) -> list[Candidate]:
        """The sentence of each source that speaks of the same as a claim; at most `most`.

        Numbers do not count: it is in them that sources mostly differ. What asks says nothing.
        """
        matter = NUMBER.sub(" ", claim)
        wanted = stems(matter)
        few = range(len(self._windows.spans))
        is_short = len(few) <= SEARCHED_WINDOWS
        places = self._spans(few if is_short else self._windows.related(matter))
        best: dict[str, Candidate] = {}
        for each in self._best(matter, places, len(places), of_best=0.0):
            held = self._stems_of(each.place) & wanted
            if len(held) >= LEAST_OF_CONFLICT * len(wanted) and not each.text.endswith(_ASKS):
                best.setdefault(each.source_id, each)
        return list(best.values())[:most] if wanted else []

    def _best(
        self, claim: str, places: Sequence[Span], most: int, of_best: float = LEAST_OF_BEST
    ) -> list[Candidate]:
        wanted = stems(claim)
        held = Counter(stem for place in places for stem in self._stems_of(place) & wanted)

        def score(place: Span) -> float:
            shared = self._stems_of(place) & wanted
            return sum(
                (NUMBER_WEIGHT if stem[0].isdigit() else 1.0) / math.sqrt(held[stem])
                for stem in shared
            )

        scores = {place: score(place) for place in places}
        least = of_best * max(scores.values(), default=0.0)
        # Among equals the shorter one, then the first.
        chosen = sorted(
            (place for place in places if scores[place] > 0.0 and scores[place] >= least),
            key=lambda place: (-scores[place], place.end - place.start, place.start),
        )
        return [self._candidate(place) for place in chosen[:most]]

    def _candidate(self, place: Span) -> Candidate:
        evidence = self._evidence
        return Candidate(
            source_id=self._owner(place),
            place=place,
            span=evidence.as_sent(place),
            text=place.of(evidence.context),
            context=evidence.keeping([place]).context,
        )

    def _owner(self, place: Span) -> str:
        """The id of the first source that has a part of it; empty if none has."""
        return next(
            (source.id for source in self._evidence.ranges if source.span.overlaps(place)), ""
        )

    def _spans(self, windows: Collection[int]) -> list[Span]:
        return [
            sentence
            for window in sorted(windows)
            for sentence in self._sentences_of(self._windows.spans[window])
        ]

    def _sentences_of(self, window: Span) -> tuple[Span, ...]:
        if window not in self._sentences:
            self._sentences[window] = tuple(_cut(self._evidence.context, window))
        return self._sentences[window]

    def _stems_of(self, place: Span) -> frozenset[str]:
        if place not in self._stems:
            self._stems[place] = frozenset(stems(place.of(self._evidence.context)))
        return self._stems[place]


def _cut(text: str, window: Span) -> list[Span]:
    """The sentences of each line of a window, without the blanks around them."""
    found: list[Span] = []
    at = window.start
    for line in _lines(window.of(text)):
        shown = _BREAK.sub(" ", line)
        for sentence in find_sentences(shown, language_of(shown)) if line.strip() else ():
            words = sentence.of(line)
            start = at + sentence.start + len(words) - len(words.lstrip())
            found.append(Span(start, start + len(words.strip())))
        at += len(line)
    return [span for span in found if any(c.isalnum() for c in span.of(text))]


def _lines(text: str) -> Iterator[str]:
    """The lines of a text; those of a wrapped paragraph stay together where a sentence goes on."""
    joined = last = ""
    for line in text.splitlines(keepends=True):
        if joined and not _goes_on(last, line):
            yield joined
            joined = ""
        joined += line
        last = line
    yield joined


def _goes_on(line: str, following: str) -> bool:
    """Whether a line breaks off in the middle of a sentence that the following one goes on with."""
    is_long = len(line.rstrip()) >= WRAPPED_CHARACTERS and _BREAKS_OFF.search(line)
    return bool(is_long) and not _BEGINS.match(following) and not following[0].isupper()
