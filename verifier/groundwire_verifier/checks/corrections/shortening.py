"""What of a claim can be left out so that it says less, and never more, than it did."""

import re

from groundwire_verifier.checks.explanations.constituents import (
    MOST_LOOKED_AT,
    Constituent,
    constituents,
    tails,
)
from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.claims.wording import english as en
from groundwire_verifier.text.claims.wording.english_verbs import is_finite
from groundwire_verifier.text.claims.wording.sentence import read_words
from groundwire_verifier.text.quantities.values import stated
from groundwire_verifier.verdicts.types import SpanKind

_RESTRICTS = re.compile(
    r"\b(?:if|unless|only|except|excluding|until|when|while|before|after|provided|without|but)\b"
    r"|(?<!\w)(?:אם|אלא|רק|למעט|חוץ|עד|כאשר|בתנאי|לפני|אחרי|לאחר|בלי|ללא|אבל|אך|כש\w+)(?!\w)",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\b(?:all|every|each|any|always|only)\b|(?<!\w)(?:כל|תמיד|רק)(?!\w)", re.IGNORECASE
)
_SUBORDINATE = re.compile(
    r"(?:if|when|while|once|since|as|because|although|though|unless|until|after|before)\b"
    r"|(?:אם|כאשר|כש\w+|מכיוון|מאחר|אף|אחרי|לאחר|לפני)(?!\w)",
    re.IGNORECASE,
)
_ADDS = re.compile(r"[\s,;]*(?:(?:and|but|or)\b\s*|\u05d5(?=\w))", re.IGNORECASE)
_AMOUNTS = re.compile(
    r"\b(?:no|not) (?:more|less|fewer|later|earlier|longer) than\b", re.IGNORECASE
)
"""They deny nothing."""
_LEFT_OUT = (SpanKind.CAUSE, SpanKind.DETAIL, SpanKind.DATE)


def clauses(claim: str) -> list[Constituent]:
    """The parts without which a claim says less than it did, those that commas set off first.

    Without a condition it would say more, and so it may without a part of what is denied or said of
    all, unless commas set that off.
    """
    found: dict[str, tuple[bool, int, int, Constituent]] = {}
    for part in (*constituents(claim, MOST_LOOKED_AT), *tails(claim)):
        if part.kind not in _LEFT_OUT or part.other.strip() or _restricts(part.cut.of(claim)):
            continue
        left, is_set_off = _AMOUNTS.sub("", part.without), _is_set_off(claim, part.span)
        if is_set_off and _is_main(claim, part.span):
            continue
        is_apart = is_set_off or part.kind is SpanKind.CAUSE
        if is_set_off or not (stated(left).negations or _GENERAL.search(left)):
            place = (0, 0) if is_apart else (-part.span.start, -part.span.end)
            found.setdefault(part.without, (not is_apart, *place, part))
    return [part for *_, part in sorted(found.values(), key=lambda each: each[:3])]


def _is_main(claim: str, part: Span) -> bool:
    """Whether a part follows a clause that the claim begins with and that says nothing alone."""
    before = claim[: part.start].rstrip(" ,")
    if not before or "," in before or _SUBORDINATE.match(claim) is None:
        return False
    sentence = read_words(claim, part)
    words = range(len(sentence.words))
    return sentence.lower(0) in en.PRONOUNS or any(is_finite(sentence, at) for at in words)


def _restricts(part: str) -> bool:
    """Whether a part says when or of what the rest holds. One that adds something does not, though
    it has a condition of its own."""
    added = _ADDS.match(part)
    if added is None:
        return _RESTRICTS.search(part) is not None
    return _RESTRICTS.match(part, added.end()) is not None


def _is_set_off(claim: str, part: Span) -> bool:
    before, behind = claim[: part.start].rstrip(" ,"), claim[part.end :].lstrip()
    return "," in claim[len(before) : part.start + 1] and behind[:1] in ("", *",.!?;")
