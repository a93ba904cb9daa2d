"""Bare numbers in brackets that are values: `The list is [1, 2, 3].`, `Use arr[1] now.`

Knows the words before and behind them. Does not know which sources exist.
"""

import re

from groundwire_verifier.claims.wording.sentence import word_set

LITERAL_LEADS = word_set("is are was were equals equal contains contain returns return be =")
"""Words that a value follows."""

_CONTAINERS = word_set(
    "list lists vector vectors array arrays tuple tuples interval range sequence matrix tensor "
    "shape values numbers coordinates indices items elements set"
)
_NAMES = word_set("array arrays items values vector matrix buffer params tokens indices elements")
MAX_NAME_LETTERS = 4
"""A word as short as `arr` may be a variable's name."""

_WORD = re.compile(r"(\w{1,24}+|=)(\s{0,24}+)$")
_SENTENCE_END = re.compile(r"(?:\[[^\[\]]{1,20}\])*[^\S\n]*+(?:$|[.,;:!?)*\n]|[A-Z\u05d0-\u05ea])")


def is_literal(before: str, after: str, *, several: bool) -> bool:
    """Whether numbers in brackets between `before` and `after` are values and name no source."""
    found = _WORD.search(before)
    if found is None:
        return False
    word, space = found.groups()
    if space:
        return word.lower() in LITERAL_LEADS or (several and word.lower() in _CONTAINERS)
    name = word.isascii() and word.islower() and (len(word) <= MAX_NAME_LETTERS or word in _NAMES)
    return name and not _SENTENCE_END.match(after)
