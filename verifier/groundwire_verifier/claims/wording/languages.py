"""Which language a text is in, as far as its script tells.

Knows scripts. A name in Latin letters does not make a Hebrew sentence English, nor does a Hebrew
word make an English one Hebrew.
"""

import re

from groundwire_verifier.claims.wording.sentence import word_set

DEFAULT_LANGUAGE = "en"
SCRIPTS = {"he": re.compile("[\u05d0-\u05ea]+")}
"""Languages that are told by the letters of their script. All others are the default."""

MOST, SOME, FEW = 0.5, 0.3, 0.12
"""Shares of the letters: enough alone, enough for a first word, enough if nothing else speaks."""

_LETTER = re.compile(r"[^\W\d_]")
_FUNCTION_WORDS = word_set(
    "the a an is are was were of in on at to for and or but with by from that it has have had as"
)


def language_of(text: str) -> str:
    """The language of a text."""
    if text.isascii():
        return DEFAULT_LANGUAGE
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
    return DEFAULT_LANGUAGE
