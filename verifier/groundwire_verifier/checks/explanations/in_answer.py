"""Where words of a claim stand in the answer that it was taken from."""

import re
from collections.abc import Sequence

from groundwire_verifier.domain.claims import Span

MOST_BETWEEN = 24
"""Characters that may stand between two words of the answer that follow each other in the claim:
a citation, or marks."""

_WORD = re.compile(r"\w+")


def place_in(answer: str, own: Span, content: str, words: Span) -> Span | None:
    """The span of `answer` that holds the `words` of a claim's `content`; None if none does.

    `own` is where the claim's own characters are. Of words that stand there more than once it is
    the same one in the row.
    """
    phrase = words.of(content)
    start, end = words.start, words.end
    text = own.of(answer)
    nth = content.count(phrase, 0, start)
    at = -1
    for _ in range(nth + 1):
        following = text.find(phrase, at + 1)
        if following < 0:
            break
        at = following
    if at >= 0:
        return Span(own.start + at, own.start + at + end - start)
    parts = _WORD.findall(phrase)
    at = text.find(parts[0]) if parts else -1
    while at >= 0:
        stop = _end_of(parts, text, at)
        if stop is not None:
            return Span(own.start + at, own.start + stop)
        at = text.find(parts[0], at + 1)
    return None


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
