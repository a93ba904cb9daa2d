"""The score that every verifier has to beat: how many of a claim's words are in its evidence."""

import re

_WORD = re.compile(r"\w+")


def word_overlap(claim: str, context: str) -> float:
    """The share of a claim's words that are in a context, in [0, 1]."""
    words = _WORD.findall(claim.lower())
    known = set(_WORD.findall(context.lower()))
    return sum(word in known for word in words) / max(1, len(words))
