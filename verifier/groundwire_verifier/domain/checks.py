"""The rules that inputs have to keep, as lists of violations that name field, limit and fix."""

import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.errors import InvalidInputError, InvalidReason, Violation
from groundwire_verifier.domain.types import Limits

GLANCE = 64
"""How many characters of a span are looked at before the whole text is: nearly all show it."""

ClaimField = Callable[[int], str]
"""The path of the claim at an index."""


def raise_any(violations: Sequence[Violation]) -> None:
    """Raise InvalidInputError if there is any violation."""
    if violations:
        raise InvalidInputError(violations)


def backend(name: str, known: Collection[str], field: str = "backend") -> list[Violation]:
    if name in known:
        return []
    text = f"no backend has this name; use one of: {', '.join(known)}, or leave it empty"
    return [Violation(field, InvalidReason.UNKNOWN_BACKEND, text)]


def claims(
    texts: Sequence[str], limits: Limits, field: ClaimField, name: str = "claims"
) -> list[Violation]:
    """One claim or more, in the field `name`, each visible, none too long to be tokenised."""
    found: list[Violation] = []
    if not texts:
        text = "is empty; send at least one claim"
        found.append(Violation(name, InvalidReason.EMPTY_BATCH, text))
    if len(texts) > limits.claims:
        text = f"holds {len(texts)} claims; the limit is {limits.claims}: split the batch"
        found.append(Violation(name, InvalidReason.TOO_MANY_CLAIMS, text))
    too_long_together = claims_characters(texts, limits, name)
    for i, claim in enumerate(texts[: limits.claims]):
        if len(claim) > limits.text_characters:
            text = too_long(len(claim), limits.text_characters, "characters", "the claim")
            found.append(Violation(field(i), InvalidReason.CLAIM_TOO_LONG, text))
        elif not too_long_together and not has_visible_character(claim):
            text = "has no visible character; send the statement to judge, or leave it out"
            found.append(Violation(field(i), InvalidReason.EMPTY_CLAIM, text))
    return found + too_long_together


def claims_characters(texts: Iterable[str], limits: Limits, field: str) -> list[Violation]:
    """All claims together may not be too long to be tokenised."""
    size = sum(map(len, texts))
    if size <= limits.claims_characters:
        return []
    text = (
        f"needs claims of {size:,} characters together; the limit is "
        f"{limits.claims_characters:,}: send fewer or shorter ones"
    )
    return [Violation(field, InvalidReason.TOO_MANY_CLAIMS, text)]


def evidence_characters(size: int, limits: Limits, field: str) -> list[Violation]:
    """All distinct contexts of a request together may not be too long to be made."""
    if size <= limits.evidence_characters:
        return []
    text = (
        f"needs up to {size:,} characters of evidence, counted once for each way in which sources "
        f"are removed from it; the limit is {limits.evidence_characters:,}: send fewer claims that "
        "cite differently, shorter evidence, or ask for no attribution"
    )
    return [Violation(field, InvalidReason.TOO_MANY_CLAIMS, text)]


def context(text: str, limits: Limits, field: str) -> list[Violation]:
    """A context may be empty, but not too long to be tokenised."""
    if len(text) <= limits.text_characters:
        return []
    words = too_long(len(text), limits.text_characters, "characters", "the context")
    return [Violation(field, InvalidReason.CONTEXT_TOO_LONG, words)]


def visible_text(text: str, limits: Limits, field: str) -> list[Violation]:
    """A text that has to say something, such as an answer."""
    if found := characters(text, limits.text_characters, field, "the text"):
        return found
    if not has_visible_character(text):
        words = "has no visible character; send the text"
        return [Violation(field, InvalidReason.EMPTY_TEXT, words)]
    return []


def claim_tokens(
    tokens_of_claims: Mapping[int, int], limits: Limits, field: ClaimField
) -> list[Violation]:
    """No claim may have too many tokens. The keys are the claims' indexes."""
    found: list[Violation] = []
    for i, tokens in tokens_of_claims.items():
        if tokens > limits.claim_tokens:
            text = too_long(tokens, limits.claim_tokens, "tokens", "the claim")
            found.append(Violation(field(i), InvalidReason.CLAIM_TOO_LONG, text))
    return found


def context_tokens(tokens: int, limit: int, field: str) -> list[Violation]:
    """A context may not have too many tokens, or has to be read in chunks."""
    if tokens <= limit:
        return []
    size = too_long(tokens, limit, "tokens", "the context")
    text = f"{size}, or ask for it to be read in chunks (split_long_context)"
    return [Violation(field, InvalidReason.CONTEXT_TOO_LONG, text)]


def prompts(count: int, limits: Limits, field: str) -> list[Violation]:
    """A request may not need too many prompts."""
    if count <= limits.prompts:
        return []
    text = (
        f"needs up to {count:,} prompts; the limit is {limits.prompts:,}: send fewer claims, or "
        "ask for no attribution"
    )
    return [Violation(field, InvalidReason.TOO_MANY_CLAIMS, text)]


def shares(values: Mapping[str, float]) -> list[Violation]:
    """Numbers in [0, 1], by their fields."""
    return [
        Violation(field, InvalidReason.INVALID_OPTION, f"is {value:g}; it must be in [0, 1]")
        for field, value in values.items()
        # Written so that NaN is refused, too.
        if not 0.0 <= value <= 1.0
    ]


def has_visible_character(text: str) -> bool:
    """Whether anything is left of `text` without spaces, control and format characters."""
    # The first characters decide for a text that says something. Of a hostile one each character
    # is looked at once, however often it is there.
    return any(map(is_visible, text[:GLANCE])) or any(map(is_visible, set(text[GLANCE:])))


class VisibleOffsets:
    """Where a text has visible characters: it is read once, however many spans are asked about."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places: list[int] | None = None

    def any_in(self, span: Span) -> bool:
        """Whether a character of `span` is visible."""
        if self._places is None:
            if has_visible_character(self._text[span.start : min(span.end, span.start + GLANCE)]):
                return True
            self._places = [i for i, c in enumerate(self._text) if is_visible(c)]
        at = bisect_left(self._places, span.start)
        return at < len(self._places) and self._places[at] < span.end


def is_visible(character: str) -> bool:
    """Whether it is neither white space nor a control or format character."""
    return not character.isspace() and unicodedata.category(character) not in ("Cc", "Cf")


def characters(text: str, limit: int, field: str, what: str = "it") -> list[Violation]:
    """At most so many characters."""
    if len(text) <= limit:
        return []
    words = too_long(len(text), limit, "characters", what)
    return [Violation(field, InvalidReason.TEXT_TOO_LONG, words)]


def too_long(size: int, limit: int, unit: str, what: str) -> str:
    """What an error says of something with so many units."""
    return f"has {size:,} {unit}; the limit is {limit:,}: shorten {what}"
