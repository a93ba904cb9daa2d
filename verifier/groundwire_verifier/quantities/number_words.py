"""Numbers in words, in English and in Hebrew: `two hundred and five`, `שלוש מאות ועשרים`.

Knows number words. Does not know digits, units or sentences.
"""

from collections.abc import Sequence

_ONES = (
    "zero אפס", "one אחת אחד", "two שתיים שניים שתי שני", "three שלוש שלושה שלושת",
    "four ארבע ארבעה ארבעת", "five חמש חמישה חמשת", "six שש שישה ששה ששת", "seven שבע שבעה שבעת",
    "eight שמונה שמונת", "nine תשע תשעה תשעת", "ten עשר עשרה עשרת", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = (
    "twenty עשרים", "thirty שלושים", "forty fourty ארבעים", "fifty חמישים", "sixty שישים ששים",
    "seventy שבעים", "eighty שמונים", "ninety תשעים",
)  # fmt: skip
_MULTIPLIERS = {
    100: "hundred מאות",
    1000: "thousand thousands אלף אלפים",
    10**6: "million מיליון",
    10**9: "billion מיליארד",
}
_ADDED = (
    {name: value for value, names in enumerate(_ONES) for name in names.split()}
    | {name: 20 + 10 * at for at, names in enumerate(_TENS) for name in names.split()}
    | {"מאה": 100, "מאתיים": 200}
)
_TIMES = {name: value for value, names in _MULTIPLIERS.items() for name in names.split()}
NUMBER_WORDS = frozenset({*_ADDED, *_TIMES})
"""All words that numbers are made of, in lower case."""

HEBREW_PREFIXES = "ובלמשהכ"
"""One of these letters may stand before a Hebrew number word."""
_TEN, _HUNDRED, _THOUSAND = 10, 100, 1000


def read_number(words: Sequence[str], start: int | None = None) -> tuple[int, int]:
    """The number that `words` begin with, and of how many of them it is made; 0 if of none.

    `start` is a number in digits before them, as in `3 million`.
    """
    total, current, used = 0, start or 0, 0
    for at, word in enumerate(words):
        form = _form(word)
        if form in _TIMES:
            times = _TIMES[form]
            current = (current or 1) * times
            if times >= _THOUSAND:
                total, current = total + current, 0
        elif form in _ADDED and start is None and _fits(_ADDED[form], current):
            current += _ADDED[form]
        elif word == "and" and at and total + current >= _HUNDRED:
            continue
        else:
            break
        used = at + 1
    return total + current, used


def _form(word: str) -> str:
    """A word as the tables have it, without the Hebrew prefix letter that may stand before it."""
    known = word in _ADDED or word in _TIMES
    return word if known or word[0] not in HEBREW_PREFIXES else word[1:]


def _fits(value: int, current: int) -> bool:
    """Whether a number goes on with a word, and does not end before it.

    `twenty one` is one number, `one two` is two. In Hebrew 13 is `three ten`.
    """
    if value == _TEN and 0 < current < _TEN:
        return True
    if value < _TEN:
        return current % _TEN == 0 and current != _TEN
    return current % (_HUNDRED if value < _HUNDRED else _THOUSAND) == 0
