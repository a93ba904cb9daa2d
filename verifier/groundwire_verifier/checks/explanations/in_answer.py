"""Where words of a claim stand in the answer that it was taken from."""

import re
from collections.abc import Sequence

from groundwire_verifier.domain.claims import Span

MOST_BETWEEN = 24
"""Characters that may stand between two words of the answer that follow each other in the claim:
a citation, or marks."""

_WORD = re.compile(r"\w+")
_BEFORE = re.compile(r"(\w+)\W*\Z")
_BEHIND = re.compile(r"\W*(\w+)")


def place_in(answer: str, own: Span, content: str, words: Span) -> Span | None:
    """The span of `answer` that holds the `words` of a claim's `content`; None if none does.

    `own` is where the claim's own characters are. Of words that stand there more than once, as in
    the address of a link, it is the same one in the row of
    those between the same words.
    """
    phrase = words.of(content)
    text = own.of(answer)
    places = _places(text, phrase)
    if places:
        wanted = _beside(content, words)
        near = [_alike(_beside(text, place), wanted) for place in places]
        most = max(near)
        nearest = [place for place, each in zip(places, near, strict=True) if each == most]
        before = [each for each in _places(content, phrase) if each.start < words.start]
        nth = sum(_alike(_beside(content, each), wanted) == most for each in before)
        place = nearest[min(nth, len(nearest) - 1)]
        return Span(own.start + place.start, own.start + place.end)
    parts = _WORD.findall(phrase)
    at = text.find(parts[0]) if parts else -1
    while at >= 0:
        stop = _end_of(parts, text, at)
        if stop is not None:
            return Span(own.start + at, own.start + stop)
        at = text.find(parts[0], at + 1)
    return None


def _places(text: str, phrase: str) -> list[Span]:
    found = re.finditer(re.escape(phrase), text) if phrase else ()
    return [Span(*match.span()) for match in found]


def _alike(one: tuple[str, str], other: tuple[str, str]) -> int:
    return sum(map(str.__eq__, one, other))


def _beside(text: str, place: Span) -> tuple[str, str]:
    """The words before and behind a place, with what touches it."""
    before = _BEFORE.search(text, max(0, place.start - MOST_BETWEEN), place.start)
    behind = _BEHIND.match(text, place.end, place.end + MOST_BETWEEN)
    return before.group(1) if before else "", behind.group(1) if behind else ""


def _end_of(words: Sequence[str], text: str, at: int) -> int | None:
    """Where words end that begin at a place, each soon behind the one before; None if they do
    not. Each is taken where it comes first: all ways to choose would be too many."""
    stop = at + len(words[0])
    for word in words[1:]:
        found = text.find(word, stop, stop + MOST_BETWEEN + len(word))
        if found < 0:
            return None
        stop = found + len(word)
    return stop
