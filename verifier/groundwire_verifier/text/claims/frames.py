"""Words before a statement that are not part of it: `Note that ...`, `I am 80% sure that ...`."""

import re
from collections.abc import Sequence

from groundwire_verifier.domain.claims import Citation
from groundwire_verifier.text.claims.confidence import Hit
from groundwire_verifier.text.claims.markup.citation_places import SAYING
from groundwire_verifier.text.claims.wording import citing, hebrew
from groundwire_verifier.text.claims.wording.english import DETERMINERS, PREPOSITIONS, PRONOUNS
from groundwire_verifier.text.claims.wording.english_verbs import is_finite
from groundwire_verifier.text.claims.wording.sentence import Sentence, word_set

MIN_WORDS = 2
"""The fewest words of a statement that a frame is taken from."""

_NOTES = (
    "please note that", "note that", "please note", "keep in mind that", "bear in mind that",
    "remember that", "it is important to note that", "it's important to note that",
    "it is worth noting that", "it's worth noting that", "it should be noted that",
    "שימו לב", "שים לב", "חשוב לציין", "יש לציין", "ראוי לציין", "יש לזכור",
)  # fmt: skip
_NOTES_BY_FIRST_WORD = {
    first: [note for note in map(str.split, _NOTES) if note[0] == first]
    for first in {note.split()[0] for note in _NOTES}
}

_WITH_COMMA = re.compile(citing.BEFORE_WITH_COMMA)
_WITH_COLON = re.compile(citing.BEFORE_WITH_COLON)
_ANYWHERE = re.compile(citing.BEFORE_ANYWHERE)
_CITING_BEHIND = frozenset({"によると", "によれば"})
_CITED = word_set("source sources document documents")
_CITING_VERBS = _CITED | word_set(
    "and or says states shows notes reports describes explains say state show note report describe "
    "explain"
)


def strip_frame(sentence: Sentence, hits: Sequence[Hit]) -> tuple[int, int]:
    """The first word of the statement, and how many of its characters are a conjunction."""
    first = skip = 0
    if not hits and sentence.lower(0) not in _NOTES_BY_FIRST_WORD:
        return 0, 0
    for _ in range(3):
        last = _frame_end(sentence, first, hits)
        if last == first:
            break
        bare = last - first == 1
        first, skip, joined = _behind(sentence, last)
        if joined:
            continue
        if bare and not _starts_statement(sentence, first):
            return 0, 0
        if sentence.lower(first) in PREPOSITIONS:
            return 0, 0
    # `_` is a word, too, and says nothing.
    said = sum(any(map(str.isalnum, lower)) for lower in sentence.lowers[first:])
    return (first, skip) if said >= MIN_WORDS else (0, 0)


def citation_frame(sentence: Sentence, citations: Sequence[Citation]) -> int:
    """The first word behind `According to [S0] and [S1],`, which is nothing without its ids."""
    words = sentence.words
    if subject := _subject_frame(sentence, citations):
        return subject
    if citations and sentence.lower(0) in _CITING_BEHIND:
        return 1 if citations[0].span.start < words[0].start and len(words) > 1 else 0
    spans = [c.span for c in citations if words and c.span.start > words[0].start]
    first = spans[0].start if spans else None
    at = 0
    while first is not None and at < len(words) and words[at].start < first:
        at += 1
    named = at - (at > 1 and sentence.lower(at - 1) in _CITED)
    lead = " ".join(sentence.lowers[:named])
    forms = (_ANYWHERE, _WITH_COLON, _WITH_COMMA)
    form = next((form for form in forms if form.fullmatch(lead)), None)
    if first is None or form is None:
        return 0
    while at < len(words) and (
        sentence.lower(at) in _CITING_VERBS
        or any(span.start <= words[at].start < span.end for span in spans)
    ):
        at += 1
    if form is _ANYWHERE:
        return at if at < len(words) else 0
    marks = ":" if form is _WITH_COLON else ",:"
    return at if at < len(words) - 1 and {*marks} & {*words[at].gap} else 0


def _subject_frame(sentence: Sentence, citations: Sequence[Citation]) -> int:
    """The first word behind `[S0] says that`, if a whole clause follows."""
    starts = {c.span.start for c in citations}
    at = 0
    while at < len(sentence.words) and (
        sentence.words[at].start in starts
        or (not at and sentence.lower(at) in _CITED)
        or sentence.lower(at) in ("and", "both", "all")
    ):
        at += 1
    if sentence.lower(at) not in SAYING or not starts or min(starts) > sentence.words[at].start:
        return 0
    at += 1
    if sentence.lower(at) == "that":
        return at + 1 if at + 2 < len(sentence.words) else 0
    opens = sentence.lower(at) in DETERMINERS | PRONOUNS
    finite = any(is_finite(sentence, i) for i in range(at + 1, len(sentence.words)))
    return at if opens and finite else 0


def _frame_end(sentence: Sentence, first: int, hits: Sequence[Hit]) -> int:
    for hit in hits:
        if hit.first == first and hit.is_frame:
            return hit.last
    for note in _NOTES_BY_FIRST_WORD.get(sentence.lower(first), ()):
        if all(sentence.lower(first + k) == word for k, word in enumerate(note)):
            hebrew_note = not note[0].isascii()
            if not hebrew_note or _has_conjunction(sentence.lower(first + len(note))):
                return first + len(note)
    return first


def _behind(sentence: Sentence, last: int) -> tuple[int, int, bool]:
    """Where the statement starts, its conjunction's characters, and whether something joins it."""
    if sentence.lower(last) in ("that", "כי"):
        return last + 1, 0, True
    if _has_conjunction(sentence.lower(last)):
        return last, 1, True
    comma = last < len(sentence.words) and "," in sentence.words[last].gap
    return last, 0, comma


def _has_conjunction(word: str) -> bool:
    return len(word) > 2 and word[0] == "ש" and word not in hebrew.RELATIVE_EXCEPTIONS


def _starts_statement(sentence: Sentence, first: int) -> bool:
    """Whether an adverb such as `perhaps` is followed by a subject and not by what it modifies."""
    word = sentence.lower(first)
    starts = word_set("the a an this that these those it he she they we i you there")
    return word in starts or not word.isascii()
