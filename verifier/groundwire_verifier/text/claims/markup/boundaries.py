"""Where sentences end: the boundaries that `sentencex` finds in a masked text.

What must stay whole is masked first, character for character, so positions stay those of the text.
"""

import re
from collections.abc import Iterable

import sentencex

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.claims.wording.english import (
    DAYS,
    DETERMINERS,
    NUMBER_ABBREVIATIONS,
    PRONOUNS,
    TITLES,
)

PIECE_CHARACTERS = 2000
"""How much the library is shown at a time: its search for a closing quote is quadratic."""

_HEBREW = "\u05d0-\u05ea"
_INNER_MARK = re.compile(rf"(?<=[{_HEBREW}])[\"״”'׳](?=[{_HEBREW}])|(?<=[{_HEBREW}])['׳]")
MAX_NUMBER_CHARACTERS = 8
"""A number that counts what follows it (`1. First`) is at most as long as this."""

_NUMBER = re.compile(r"\s*[0-9]{1,3}[.)]\s*")
_SPACE = re.compile(r"[^\S ]")
_WIDE_SPACE = re.compile(r"[^\S\x00-\x7f]")
"""`sentencex` panics where one stands between a capital letter and a full stop."""
_HEBREW_INITIAL = re.compile(rf"[{_HEBREW}]\.")
"""`א. ב. יהושע`. A sentence that ends in one letter (`כיתה א.`) runs into the next one."""

_TITLES_HE = frozenset(("דאר.", "פרופ.", "עואד.", "אינג."))
"""As the library is shown them: the mark in `ד"ר` is a letter there."""

_LAST_WORD = re.compile(r"([\w.]{1,20})\s*$")


def mask(text: str, within: Span, words: Iterable[Span], gaps: Iterable[Span]) -> str:
    """The text in `within` with `words` as one capitalised word each and `gaps` as spaces."""
    parts = []
    at = within.start
    regions = [*((span, True) for span in words), *((span, False) for span in gaps)]
    for span, is_word in sorted(regions, key=lambda region: region[0].start):
        if span.start < at:
            continue
        length = span.end - span.start
        parts.append(text[at : span.start])
        parts.append("X" + "x" * (length - 1) if is_word else " " * length)
        at = span.end
    parts.append(text[at : within.end])
    return _SPACE.sub(" ", "".join(parts).replace("`", " "))


def find_sentences(masked: str, language: str) -> list[Span]:
    """Cut a masked text, without a gap, into sentences; each holds a letter or a digit."""
    shown = _INNER_MARK.sub("א", _WIDE_SPACE.sub(" ", masked))
    starts = [at for at in _boundaries(shown, language) if _is_real(shown, at)]
    sentences: list[Span] = []
    joins = False
    for start, end in zip([0, *starts], [*starts, len(masked)], strict=True):
        part = masked[start:end]
        if sentences and (joins or not any(c.isalnum() for c in part)):
            sentences[-1] = Span(sentences[-1].start, end)
        else:
            sentences.append(Span(start, end))
        joins = len(part) <= MAX_NUMBER_CHARACTERS and bool(_NUMBER.fullmatch(part))
    return [piece for sentence in sentences for piece in _out_of_brackets(masked, sentence)]


def _out_of_brackets(masked: str, sentence: Span) -> list[Span]:
    """The library keeps brackets with what follows: `(It works.) It stops.` is cut here."""
    if masked[sentence.start : sentence.start + 1] != "(":
        return [sentence]
    closing = masked.find(")", sentence.start, sentence.end)
    at = closing + 1
    ended = closing > 0 and masked[closing - 1] in ".!?"
    if not ended or not any(c.isalnum() for c in masked[at : sentence.end]):
        return [sentence]
    return [Span(sentence.start, at), Span(at, sentence.end)]


_NO_SPACE = re.compile(r"\S")
_ENDERS = re.compile(r"[^\w\s,\-'’()/%$\"]\s*+\S")
"""What must stand somewhere before the end for there to be a boundary."""


def _boundaries(shown: str, language: str) -> list[int]:
    """Where sentences start but for the first, piece by piece.

    A piece's last sentence may go on in the next piece, which therefore starts with it. A piece
    that cuts only what the one before left whole is not gone back into: two pieces always get
    further by the length of one.
    """
    found: list[int] = []
    if not _ENDERS.search(shown):
        return found
    at = known_to = 0
    while at < len(shown):
        piece = shown[at : at + PIECE_CHARACTERS]
        inner: list[int] = []
        for start in _starts(piece, language):
            # In a long gap, such as many citations leave, the library starts too early.
            end = at + len(piece)
            word = _NO_SPACE.search(shown, at + start, end) if start > 0 else None
            if word is not None and word.start() > (inner or found or [0])[-1]:
                inner.append(word.start())
        found += inner
        if at + PIECE_CHARACTERS >= len(shown):
            break
        end = at + PIECE_CHARACTERS
        at = inner[-1] if inner and inner[-1] >= known_to else end
        known_to = end
    return found


def _starts(piece: str, language: str) -> list[int]:
    """Where the library starts a sentence; nowhere in a piece on which it fails."""
    try:
        return [b["start_index"] for b in sentencex.get_sentence_boundaries(language, piece)]
    except BaseException as error:
        # A panic of Rust code is no Exception, and would end the process or the call for a text.
        if type(error).__name__ != "PanicException":
            raise
        return []


def _is_real(shown: str, at: int) -> bool:
    before = shown[max(0, at - 24) : at]
    after = shown[at : at + 12]
    if before.endswith(".") and after[:1].strip():
        return False
    word = _LAST_WORD.search(before)
    following = after.split(maxsplit=1)
    if word is None or not following:
        return True
    if _HEBREW_INITIAL.fullmatch(word.group(1)) or word.group(1) in _TITLES_HE:
        return False
    if len(word.group(1)) == len("r.") and following[0][0].islower():
        # `w 2019 r. w Krakowie`
        return False
    if word.group(1) in TITLES:
        name = following[0].strip(".,'\u2019")
        return not (name[:1].isupper() and name.lower() not in PRONOUNS | DETERMINERS)
    if word.group(1).lower() in NUMBER_ABBREVIATIONS:
        return not following[0][0].isdigit()
    return word.group(1) not in ("a.m.", "p.m.") or following[0].strip(".,") not in DAYS
