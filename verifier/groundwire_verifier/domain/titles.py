"""Which titles of sources state a claim, so that it could be read off a heading.

A title that states a claim holds most of its words: "PEP 703 makes the GIL optional", and no mere
topic such as "Global interpreter lock". A title that denies it in the same words counts, too: it
decides the claim as well.
"""

import re
from collections.abc import Iterable, Mapping

import numpy as np

STATING_SHARE = 0.75
"""The share of a claim's words, by their weights, from which a title states it."""
NUMBER_WEIGHT = 2.0
"""A number says more of a claim than another word does."""

WORD = re.compile(r"[0-9]+(?:[.,:/][0-9]+)*|[^\W\d_]+(?:['\u2019\"\u05f4\u05f3][^\W\d_]+)*")
_STOP_WORD_LIST = """
a an the this that these those it its he she his her they their them we our you your i
of in on at to for from by with as into onto over under about between during after before
and or but nor so if then than while
is are was were be been being am has have had having do does did done will would can could
may might must shall should not no never there here also both each which who whom whose what
when where how why question answer
של את על אל עם כי גם או אם לא אין יש הוא היא הם הן זה זו זאת אלה אלו אשר היה הייתה היתה היו
יהיה תהיה יהיו מן בין לפני אחרי תחת ידי כדי רק אך אבל כל הנה שבו שבה שהוא שהיא כאשר שאלה תשובה
"""
_ENGLISH_ENDINGS: tuple[str, ...] = ("ings", "ing", "ies", "ed", "es", "s", "ly", "e", "y")
_HEBREW_ENDINGS: tuple[str, ...] = ("ים", "ות", "ה", "ת", "\u05d9")
_HEBREW_PREFIXES = "והבלכמש"
MIN_STEM_CHARACTERS = 3
MAX_HEBREW_PREFIXES = 2

STOP_WORDS = frozenset(_STOP_WORD_LIST.split())


class Titles:
    """The titles of sources, as words. `ids` are the sources', in order."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self.ids = tuple(titles)
        places: dict[str, list[int]] = {}
        for place, title in enumerate(titles.values()):
            for word in stems(title):
                places.setdefault(word, []).append(place)
        # Arrays: a thousand claims may share their words with a thousand titles.
        self._places = {stem: np.array(found) for stem, found in places.items()}
        self._stating: dict[str, frozenset[str]] = {}

    def stating(self, claim: str) -> frozenset[str]:
        """The ids of those that hold at least STATING_SHARE of the claim's words.

        Stop words do not count, and a word counts once; a claim of nothing else is stated by none.
        """
        if claim not in self._stating:
            self._stating[claim] = self._find(claim)
        return self._stating[claim]

    def _find(self, claim: str) -> frozenset[str]:
        if not self._places:
            return frozenset()
        weights = {stem: NUMBER_WEIGHT if stem[0].isdigit() else 1.0 for stem in stems(claim)}
        known = [stem for stem in weights if stem in self._places]
        if not known:
            return frozenset()
        held = np.bincount(
            np.concatenate([self._places[stem] for stem in known]),
            np.repeat([weights[s] for s in known], [len(self._places[s]) for s in known]),
        )
        wanted = STATING_SHARE * sum(weights.values())
        return frozenset(self.ids[place] for place in np.flatnonzero(held >= wanted))


def stems(text: str) -> set[str]:
    """The stems of a text's words, without stop words."""
    words: Iterable[str] = (match.group() for match in WORD.finditer(text.casefold()))
    return {stem(word) for word in words if word not in STOP_WORDS}


def stem(word: str) -> str:
    """The word without the endings and prefixes by which its forms differ, as far as that is easy.

    The same is done to both sides, so it matters little that a stem is often no word.
    """
    if word[0].isdigit():
        return word.replace(",", "")
    if "\u05d0" <= word[0] <= "\u05ea":
        for _ in range(MAX_HEBREW_PREFIXES):
            if word[0] in _HEBREW_PREFIXES and len(word) > MIN_STEM_CHARACTERS:
                word = word[1:]
        endings = _HEBREW_ENDINGS
    else:
        word = word.replace("\u2019", "'").removesuffix("'s")
        endings = _ENGLISH_ENDINGS
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM_CHARACTERS:
            return word[: -len(ending)]
    return word
