"""A sentence as a reader sees it: its words, what stands between them, and its language.

A name in Latin letters does not make a Hebrew sentence English, nor does a Hebrew word make an
English one Hebrew.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from groundwire_verifier.domain.claims import Languages, Span

QUOTES = '"“”„«»״'

_HEBREW = "\u05d0-\u05ea"
_WORD = re.compile(
    r"[0-9]+(?:[.,][0-9]+)*"
    rf"|[^\W0-9]\w*(?:['’]\w+|(?<=[A-Za-z])-\w+|(?<=[{_HEBREW}])[\"״׳](?=[{_HEBREW}])\w+)*"
    r"|\w+"
)
_OPENING = "([{“„«"
_CLOSING = ")]}”»"


class Word(NamedTuple):
    """A word as written and in lower case; `inside` quotes or brackets; `gap` stands before it."""

    text: str
    lower: str
    start: int
    end: int
    gap: str
    inside: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as words, and the same in lower case. `tail` follows the last one."""

    words: tuple[Word, ...]
    lowers: tuple[str, ...]
    tail: str

    def from_word(self, first: int) -> "Sentence":
        """The rest of the sentence from a word on."""
        return Sentence(self.words[first:], self.lowers[first:], self.tail) if first else self

    def up_to(self, last: int) -> "Sentence":
        """The sentence up to a word, which is left out."""
        if last >= len(self.words):
            return self
        return Sentence(self.words[:last], self.lowers[:last], self.tail)

    def lower(self, at: int) -> str:
        """The word at `at` in lower case, or nothing outside of the sentence."""
        return self.lowers[at] if 0 <= at < len(self.lowers) else ""

    @property
    def first_comma(self) -> int:
        """The first word behind a comma, or the number of words."""
        count = len(self.words)
        return next((i for i in range(1, count) if "," in self.words[i].gap), count)

    @property
    def behind_label(self) -> int:
        """The first word behind a colon, as in `Name: not stated`, or 0."""
        count = len(self.words)
        return next((i for i in range(1, count) if ":" in self.words[i].gap), 0)

    @property
    def ends_as_statement(self) -> bool:
        """Whether it ends with a full stop or an exclamation mark."""
        return "." in self.tail or "!" in self.tail


def word_set(text: str) -> frozenset[str]:
    """The words of a text that lists them, for data."""
    return frozenset(text.split())


def read_words(masked: str, span: Span, offset: int = 0) -> Sentence:
    """Read the words of `masked` in `span`; `offset` is added to their places."""
    words: list[Word] = []
    at = span.start
    depth = 0
    quoted = False
    for match in _WORD.finditer(masked, span.start, span.end):
        start, end = match.span()
        gap = masked[at:start]
        if gap and gap != " ":
            for mark in gap:
                if mark in _OPENING:
                    depth += 1
                elif mark in _CLOSING:
                    depth = max(0, depth - 1)
                elif mark in '"״':
                    quoted = not quoted
        text = match.group()
        lower = text.lower()
        if not text.isalnum():
            lower = lower.replace("’", "'").replace("״", '"').replace("׳", "'")
        inside = quoted or depth > 0
        words.append(Word(text, lower, offset + start, offset + end, gap, inside))
        at = end
    return Sentence(tuple(words), tuple([word.lower for word in words]), masked[at : span.end])


DEFAULT_LANGUAGE = "en"
UNKNOWN_LANGUAGE = "und"
"""That of letters of which nobody has said what they are."""

RULED_LANGUAGES = ("en", "he")
"""Those with rules of their own; all others are read by generic ones."""

GENERIC = "generic"
SCRIPTS = {"he": re.compile("[\u05d0-\u05ea]+")}
"""Languages that are told by the letters of their script. The caller names all others."""

MOST, SOME, FEW = 0.5, 0.3, 0.12
"""Shares of the letters: enough alone, enough for a first word, enough if nothing else speaks."""

_WIDE = re.compile(
    "[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af]"
)
"""Letters of Chinese, Japanese and Korean: three of them say what eight Latin ones do."""
LATIN_CHARACTERS, WIDE_CHARACTERS = 8, 3

_LETTER = re.compile(r"[^\W\d_]")
_SIGNS = "\u00b5\u03bc\u03a9\u2126ªº"
"""Letters of units."""

_NOT_NAMED = Languages()
_FUNCTION_WORDS = word_set(
    "the a an is are was were of in on at to for and or but with by from that it has have had as"
)

_ENGLISH_ALONE = word_set(
    "the and with from were because which who whose that this these they their she his its been "
    "not if when where there about into before after than only would could does you your"
)
"""Words that are none in other languages."""
_LEAST_ENGLISH = 25
"""One word in so many is one of them in English. More seldom they stand in names."""


def has_digit(words: Iterable[str]) -> bool:
    """Whether one of these words holds a digit."""
    return any(any(map(str.isdigit, word)) for word in words)


def is_english(text: str) -> bool:
    """Whether a text has words that English alone has, as often as English does. Few short ones
    have none."""
    words = text.lower().split()
    return sum(map(_ENGLISH_ALONE.__contains__, words)) * _LEAST_ENGLISH > len(words)


def latin_characters(text: str) -> int:
    """How many Latin characters say about as much as a text: its own, but for wide letters."""
    wide = len(_WIDE.findall(text))
    return len(text) - wide + wide * LATIN_CHARACTERS // WIDE_CHARACTERS


def rules_for(language: str) -> str:
    """By which rules a language is read: its own, such as "en", or GENERIC."""
    return language if language in RULED_LANGUAGES else GENERIC


def language_of(text: str, languages: Languages = _NOT_NAMED) -> str:
    """The language of a text, or of a part of one that is in these languages."""
    if text.isascii():
        return languages.latin
    letters = _LETTER.findall(text)
    for language, script in SCRIPTS.items():
        own = sum(map(len, script.findall(text)))
        share = own / len(letters) if letters else 0.0
        if share > MOST:
            return language
        if share >= SOME and script.match(letters[0]):
            return language
        if share >= FEW and _FUNCTION_WORDS.isdisjoint(text.lower().split()):
            return language
    others = sum(not _is_latin(letter) for letter in letters)
    return languages.other if others > len(letters) * SOME else languages.latin


def _is_latin(letter: str) -> bool:
    return letter <= "\u024f" or "\u1e00" <= letter <= "\u1eff" or letter in _SIGNS
