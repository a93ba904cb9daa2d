"""Where words of a claim stand in the answer that it was taken from."""

import re

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
    parts = [re.escape(word) for word in _WORD.findall(phrase)]
    if not parts:
        return None
    found = re.search(rf".{{0,{MOST_BETWEEN}}}?".join(parts), text, re.DOTALL)
    return None if found is None else Span(own.start + found.start(), own.start + found.end())
