"""Supported claims: sentences of a context said in other words, so that they stay true.

Rules on words, for English, which only leave out or move what a sentence can lose or move. A claim
that is only ever a sentence as it stands would teach that support is to be copied.
"""

import random
import re
from collections.abc import Callable, Sequence

_PARENTHESIS = re.compile(r"\s*[(\[][^()\[\]]{1,80}[)\]]")
_RELATIVE = re.compile(r", (?:which|who|whose|where)\b[^,.;:]{5,120}(?=[,.])")
_CLOSED = re.compile(r"^([^,]*), (?=(?:is|was|were|are|has|had|have|did|\w+ed|won|led|became)\b)")
_LEAD = re.compile(
    r"^(?P<lead>(?:In|On|At|After|Before|During|Since|Until|By|From)\b[^,.;:]{2,60}), "
    r"(?P<rest>[^.;:]{20,240})\.$"
)
_TAIL = re.compile(
    r"^(?P<rest>[^,.;:]{20,200}) (?P<tail>(?:in|on|since|until|during) (?:[A-Z]\w+ )?\d{4})\.$"
)
_LISTED = re.compile(r"^(?P<start>[^.;:]{15,160}?), and (?P<end>[^,.;:]{10,120})\.$")
_PLAIN_STARTS = frozenset(
    (
        "The", "A", "An", "In", "On", "At", "It", "He", "She", "They", "His", "Her", "Its", "Their",
        "This", "These", "After", "Before", "During", "As",
    )
)  # fmt: skip

Rewrite = Callable[[str], str | None]
"""From a sentence to one that it supports, or None where the rule does not fit."""


def rewritten(sentence: str, rng: random.Random) -> tuple[str, str] | None:
    """A claim that the sentence supports and the rule that made it; None where no rule fits."""
    rules = list(REWRITES.items())
    rng.shuffle(rules)
    for name, rewrite in rules:
        changed = rewrite(sentence)
        if changed is not None and changed != sentence:
            return changed, name
    return None


def merged(first: str, second: str) -> str:
    """Two sentences as one claim, which is supported if both are."""
    return f"{first.rstrip('. ')}, and {_continuing(second)}"


def confident(claim: str, rng: random.Random) -> str:
    """The same claim, stated with more confidence. It is no truer for that."""
    return f"{rng.choice(_CONFIDENT)} {_continuing(claim)}"


_CONFIDENT: Sequence[str] = (
    "It is a well-established fact that",
    "Without any doubt,",
    "As the evidence clearly shows,",
    "Everyone agrees that",
    "The text states explicitly that",
    "It has been proven beyond question that",
)


def _without_parenthesis(sentence: str) -> str | None:
    return _kept(sentence, _PARENTHESIS.sub("", sentence))


def _without_relative(sentence: str) -> str | None:
    shorter = _RELATIVE.sub("", sentence, count=1)
    # "X, who was born in Y, died": the comma that closed the clause goes with it.
    return _kept(sentence, _CLOSED.sub(r"\1 ", shorter))


def _lead_last(sentence: str) -> str | None:
    match = _LEAD.match(sentence)
    if match is None:
        return None
    rest, lead = match["rest"], match["lead"]
    return f"{rest[0].upper()}{rest[1:]} {lead[0].lower()}{lead[1:]}."


def _tail_first(sentence: str) -> str | None:
    match = _TAIL.match(sentence)
    if match is None:
        return None
    rest, tail = match["rest"], match["tail"]
    return f"{tail[0].upper()}{tail[1:]}, {_continuing(rest)}."


def _first_of_two(sentence: str) -> str | None:
    match = _LISTED.match(sentence)
    # The second half has to be a clause of its own, or the first would lose what it needs.
    if match is None or not re.match(r"(?:it|he|she|they|the|a|an|in) ", match["end"]):
        return None
    return f"{match['start']}."


def _continuing(text: str) -> str:
    """The text as it stands behind other words: what is no name loses its capital."""
    words = text.split(maxsplit=1)
    return text[0].lower() + text[1:] if words and words[0] in _PLAIN_STARTS else text


def _kept(sentence: str, shorter: str) -> str | None:
    return shorter if len(shorter) >= max(25, len(sentence) // 3) else None


REWRITES: dict[str, Rewrite] = {
    "parenthesis": _without_parenthesis,
    "relative": _without_relative,
    "lead": _lead_last,
    "tail": _tail_first,
    "half": _first_of_two,
}
