"""Which claims of a model a text bears out, and which of the rules' claims the model left out.

A claim is traced if its quote stands in the text, word for word, and the claim says no more than
that: it has no number or sign that the quote has not, no quantity or order, it denies as often as
the quote does, its words stand in the quote in that order, and the others in the text or its
question, few of them. Names
that take a pronoun's place come from there. Nothing here shows that a claim means what its quote
means; what it shows is that it was not made up.

A model chooses its quote, and could leave out the word that turns it around. So a claim is held
against the rules' claims that the quote lies in, too: it denies as often as each of them, keeps
what limits its clause, and its quote crosses none that differ in what they do or how sure they are.

What asserts something and is said by no traced claim is put back: nothing that a model leaves out,
for a reason of its own or since the text told it to, goes unverified.

Citations, speech acts and confidence are those of the rules' claims at the same place.
"""

import itertools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from groundwire_verifier.checks.model_claims.extraction import Written
from groundwire_verifier.domain.claims import Citation, Claim, NonAssertive, Span
from groundwire_verifier.domain.titles import MAX_HEBREW_PREFIXES, STOP_WORDS, WORD, stem, stems
from groundwire_verifier.text.claims.wording.sentence import language_of, word_set

MOST_ADDED = 4
"""So many words of a claim may come from beyond its quote, or as many as come from it."""

_NEGATIONS = word_set(
    "no not never none neither nor cannot without nobody nothing nowhere "
    "dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt cant couldnt wont wouldnt "
    "לא אין אינו אינה אינם אינן איננו איננה אינני בלי ללא מעולם לעולם אף בלתי"
)
_HEBREW_PREFIXES = "ושהב"
_EXACT = word_set(
    "one two three four five six seven eight nine ten eleven twelve dozen hundred thousand million "
    "billion trillion half twice double all every each most least more less fewer only always both "
    "before after above below over under since until first last second third every some many "
    "several few almost nearly hardly barely scarcely rarely seldom if unless except false untrue "
    "unable fail fails failed refuse refuses refused deny denies denied "
    "אחד אחת שני שתי שניים שלושה שלוש ארבעה ארבע חמישה חמש שישה שש שבעה שבע שמונה תשעה תשע עשרה "
    "עשר מאה אלף מיליון חצי כל רוב יותר פחות רק תמיד לפני אחרי מעל מתחת ראשון אחרון "
    "ראשונה אחרונה כמה כמעט בקושי אם אלא נכשל נכשלה סירב סירבה הכחיש הכחישה"
)
"""Words that change what a claim asks for: they stand in its quote, and it keeps those there."""

_NEGATIVE = re.compile(r"(?<![^\s(])[-\u2212\u2013](?=[0-9])([0-9]+(?:[.,:/][0-9]+)*)")
_CURRENCY = "$\u20ac\u20aa\u00a3\u00a5"
_SIGNED = re.compile(
    rf"(?:[{_CURRENCY}] ?)?[0-9]+(?:[.,:/][0-9]+)*(?: ?[%\u2030\u00b0{_CURRENCY}])?"
)
_PRONOUNS = word_set(
    "it its he him his she her they them their this that these those who which whom whose one "
    "הוא היא הם הן זה זו זאת אלה אלו שלו שלה שלהם אותו אותה אותם"
)
"""Words of an assertion in whose place a claim has what they mean."""

_ASSERTING = (None, NonAssertive.HEDGED)
_PAUSE = re.compile(r"[,;:()\u2013\u2014](?![0-9])")
_CLOSING = ".!?%°€$"
_OPENING = "$€₪£\u2212-+"


@dataclass(frozen=True, slots=True)
class Traced:
    """The claims of a text in its order.

    `traced` of them are the model's; `dropped` more could not be traced. `restored` are assertions
    of the rules that the model had left out.
    """

    claims: tuple[Claim, ...]
    traced: int
    dropped: int
    restored: int


def trace(
    text: str,
    question: str,
    by_rules: Sequence[Claim],
    written: Sequence[tuple[Span, Sequence[Written | None]]],
) -> Traced:
    """What is taken of the claims that a model wrote of passages, each with its place in a text."""
    plain = _Plain.of(text, by_rules)
    known = frozenset(stems(text) | stems(question))
    pairs = _pairs(text) | _pairs(question)
    found: dict[tuple[str, Span], Claim] = {}
    dropped = 0
    for place, claims in written:
        at = place.start
        for claim in claims:
            span = None if claim is None else plain.find(claim.quote, Span(at, place.end))
            if claim is not None and span is None:
                span = plain.find(claim.quote, place)
            if claim is None or span is None:
                dropped += 1
                continue
            at = span.start
            span = _widened(span, text)
            content = _without_citations(claim.claim, text, by_rules)
            there = [other for other in by_rules if _shared(span, other.span)]
            if not (
                _is_borne_out(content, span.of(text), known, pairs)
                and _agrees(content, span, text, there)
            ):
                dropped += 1
                continue
            found[content, span] = _at_its_place(content, span, there)
    traced = tuple(found.values())
    kept = [claim for claim in by_rules if not _is_said(claim, text, traced)]
    restored = sum(claim.non_assertive in _ASSERTING for claim in kept)
    merged = sorted([*traced, *kept], key=lambda claim: (claim.span.start, claim.span.end))
    return Traced(tuple(merged), len(traced), dropped, restored)


@dataclass(frozen=True, slots=True)
class _Plain:
    """A text as its words alone, in lower case with one space around each, and where they stand.

    Marks, markup, citations and characters that nobody sees are left out on both sides, so that a
    quote is found whether or not it was copied with them.
    """

    words: str
    places: tuple[int, ...]

    @classmethod
    def of(cls, text: str, claims: Sequence[Claim] = ()) -> "_Plain":
        hidden = {
            at
            for claim in claims
            for citation in claim.citations
            for at in range(citation.span.start, citation.span.end)
        }
        words, places = [" "], [0]
        for at, character in enumerate(text):
            if unicodedata.category(character) == "Cf" or character in "*_`":
                continue
            lower = character.lower()
            if at in hidden or not character.isalnum() or len(lower) != 1:
                lower = " "
            if lower != " " or words[-1] != " ":
                words.append(lower)
                places.append(at)
        if words[-1] != " ":
            words.append(" ")
            places.append(len(text))
        return cls("".join(words), tuple(places))

    def find(self, quote: str, within: Span) -> Span | None:
        """Where the words of a quote stand in a part of the text, with the marks at their ends."""
        wanted = _Plain.of(quote).words
        if not wanted.strip():
            return None
        at = -1
        while (at := self.words.find(wanted, at + 1)) >= 0:
            start, end = self.places[at + 1], self.places[at + len(wanted) - 2] + 1
            if start >= within.start and end <= within.end:
                return Span(start, end)
        return None


def _is_borne_out(
    claim: str, quote: str, known: frozenset[str], pairs: frozenset[tuple[str, str]]
) -> bool:
    said, shown = _words(claim), _words(quote)
    quoted = {stem(word) for word in shown}
    if _denials(said) != _denials(shown) or not _exact(said) <= _exact(shown):
        return False
    numbers = {stem(word) for word in shown if word[0].isdigit()}
    for before, word in zip(["", *said], said, strict=False):
        # A number of its own is the quote's; one in a name, such as `PEP 703`, comes with the name.
        in_name = before not in STOP_WORDS and (stem(before) if before else "", stem(word)) in pairs
        if word[0].isdigit() and stem(word) not in numbers and not in_name:
            return False
    if _negative(claim) != _negative(quote) & set(said):
        return False
    others = _signed(claim) - _signed(quote)
    # One without a sign may be that of a name beyond the quote, such as `PEP 703`.
    if any(not other[0].isdigit() or not other[-1].isdigit() for other in others) or any(
        other in numbers for other in others
    ):
        return False
    if not _in_order(said, shown):
        return False
    own = stems(claim)
    added = own - quoted
    return bool(own - added) and added <= known and len(added) <= max(MOST_ADDED, len(own - added))


def _agrees(claim: str, span: Span, text: str, there: Sequence[Claim]) -> bool:
    """Whether a claim with this quote says nothing else than the rules' claims that it touches.

    A denial holds for all of an assertion, wherever it stands in it; a word of quantity or order
    for its clause.
    """
    kinds = {
        (each.non_assertive, None if each.confidence is None else each.confidence.value)
        for each in there
    }
    if len(kinds) > 1:
        return False
    said = _words(claim)
    if any(_denials(_words(each.content)) != _denials(said) for each in there):
        return False
    return _exact(_words(_clause(span, text, there))) <= _exact(said)


def _clause(span: Span, text: str, there: Sequence[Claim]) -> str:
    """The words around a quote, up to the next pause or the end of the claims that it touches."""
    start = min([span.start, *(each.span.start for each in there)])
    end = max([span.end, *(each.span.end for each in there)])
    before = _PAUSE.split(text[start : span.start])[-1]
    after = _PAUSE.split(text[span.end : end])[0]
    return before + span.of(text) + after


def _is_said(claim: Claim, text: str, traced: Sequence[Claim]) -> bool:
    """Whether claims at its place say a claim of the rules, so that it is not needed any more.

    They deny as often as it does, and are what it is: others are not traced.
    """
    there = [other for other in traced if _shared(claim.span, other.span)]
    if claim.non_assertive not in _ASSERTING:
        return bool(there)
    own = claim.span.of(text)
    for citation in claim.citations:
        own = own.replace(citation.span.of(text), " ")
    wanted = stems(own)
    said: set[str] = set()
    exact: set[str] = set()
    for other in there:
        said |= stems(other.content)
        exact |= _exact(_words(other.content))
    if not there or not _exact(_words(claim.content)) <= exact:
        return False
    return wanted - _PRONOUNS <= said


def _at_its_place(content: str, span: Span, there: Sequence[Claim]) -> Claim:
    """A claim with what the rules say of the words that it stands on, in the claims there."""
    made = Claim(content, span, (), None, None, language_of(content))
    if not there:
        return made
    main = max(there, key=lambda claim: _shared(span, claim.span))
    citations: dict[Span, Citation] = {}
    for claim in there:
        if claim is main or 2 * _shared(span, claim.span) >= claim.span.end - claim.span.start:
            citations |= {citation.span: citation for citation in claim.citations}
    return replace(
        made,
        citations=tuple(citations[place] for place in sorted(citations)),
        confidence=main.confidence,
        non_assertive=main.non_assertive,
    )


def _without_citations(content: str, text: str, by_rules: Sequence[Claim]) -> str:
    """A claim holds no citation, nor the marks of Markdown."""
    written = {citation.span.of(text) for claim in by_rules for citation in claim.citations}
    for mark in (*written, "**"):
        content = content.replace(mark, "")
    return " ".join(content.split()).replace(" .", ".")


def _shared(one: Span, other: Span) -> int:
    """Characters that two spans share."""
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def _widened(span: Span, text: str) -> Span:
    """A span with the marks that belong to its first and its last word."""
    start, end = span.start, span.end
    while start > 0 and text[start - 1] in _OPENING:
        start -= 1
    while end < len(text) and text[end] in _CLOSING:
        end += 1
    return Span(start, end)


def _negative(text: str) -> set[str]:
    """The numbers with a sign before them; a hyphen between two numbers is none."""
    return {match.group(1) for match in _NEGATIVE.finditer(text)}


def _signed(text: str) -> set[str]:
    """The numbers with the signs at them: `5%` is another amount than `$5`."""
    return {match.group().replace(" ", "") for match in _SIGNED.finditer(text)}


def _in_order(said: Sequence[str], shown: Sequence[str]) -> bool:
    """Whether the words of a claim that stand in its quote stand there in the same order.

    Two that change places may change who did what, or which amount was the first one. A word that
    stands there twice may be either: `Bob left Alice` is no part of `Bob came; Alice left Bob`.
    """
    stemmed = [stem(word) for word in shown]
    there = set(stemmed)
    left = iter(stemmed)
    # What `in` passes on its way is behind.
    return all(
        each in left for word in said if word not in STOP_WORDS and (each := stem(word)) in there
    )


def _words(text: str) -> list[str]:
    """The words of a text in lower case, without the characters in them that nobody sees."""
    seen = "".join(each for each in text.casefold() if unicodedata.category(each) != "Cf")
    seen = seen.replace("\u2019", "'").replace("\u02bc", "'")
    return [match.group() for match in WORD.finditer(seen)]


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    """The pairs of neighbouring words, of which the second is a number."""
    words = _words(text)
    return frozenset(
        (stem(before), stem(word))
        for before, word in itertools.pairwise(words)
        if word[0].isdigit()
    )


def _denials(words: Sequence[str]) -> int:
    """How often words deny: twice is something else than once."""
    return sum(word.endswith("n't") or _listed(word, _NEGATIONS) is not None for word in words)


def _exact(words: Sequence[str]) -> set[str]:
    """Those of words that change what a claim asks for."""
    return {found for word in words if (found := _listed(word, _EXACT)) is not None}


def _listed(word: str, words: frozenset[str]) -> str | None:
    """A word as it stands in a list, or else without its first or its two first Hebrew prefixes."""
    for _ in range(MAX_HEBREW_PREFIXES):
        if word in words or word[:1] not in _HEBREW_PREFIXES:
            break
        word = word[1:]
    return word if word in words else None
