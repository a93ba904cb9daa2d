"""Numbers, units and months that only bound something, or only come near it.

"More than 45" is still true where "more than 50" is. So what a rule would change there into
something false may stay true, and is left alone. In English and Hebrew.
"""

import re

_REACH = 48
"""So many characters before and behind are looked at."""
_GAP = r"[ \-–$€£₪(]+"
_ENGLISH_BEFORE = (
    "than", "at least", "at most", "over", "under", "above", "below", "beyond", "up to", "almost",
    "nearly", "about", "around", "approximately", "roughly", "circa", "some", "close to", "within",
    "minimum of", "maximum of", "limit of", "in excess of", "upwards of", "exceed", "exceeds",
    "exceeded", "exceeding", "between", "as many as", "as much as", "as few as", "as little as",
    "aged", "not quite", "virtually", "practically",
)  # fmt: skip
_HEBREW_BEFORE = (
    "יותר", "פחות", "לפחות", "מעל", "מתחת", "למעלה", "עד", "כמעט", "בערך", "קרוב", "סביב",
    "בסביבות", "לכל הפחות", "לכל היותר", "בין", "מינימום", "מקסימום", "בקירוב", "מעט", "כ",
    "גדול מ", "גבוה מ", "נמוך מ", "קטן מ",
)  # fmt: skip
_TIME_BEFORE = (
    "before", "after", "since", "until", "till", "by", "prior to", "לפני", "אחרי", "לאחר", "מאז",
    "החל מ", "החל",
)  # fmt: skip
_BEHIND = (
    r"\+", "plus", "or more", "or less", "or fewer", "or so", "or older", "or younger", "or over",
    "or under", "or above", "or below", "or later", "or earlier", "or higher", "or lower",
    "or longer", "or shorter", "and over", "and under", "and above", "and below", "and older",
    "and younger", "and up", "and more", "at least", "at most", "at the least", "at the most",
    "at the latest", "at the earliest", "minimum", "maximum", "לפחות", "לכל הפחות", "לכל היותר",
    "ומעלה", "ומטה", "או יותר", "או פחות", "בערך", "בקירוב",
)  # fmt: skip


def _anywhere(words: tuple[str, ...]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


def _in_front(words: tuple[str, ...]) -> re.Pattern[str]:
    """One of the words, at most two others behind it, and the end."""
    return re.compile(
        rf"(?<!\w)[ושה]?(?:{_anywhere(words)})(?:{_GAP}[\w.,״\"']+){{0,2}}{_GAP}$", re.IGNORECASE
    )


_AMOUNT_FRONT = _in_front(_ENGLISH_BEFORE + _HEBREW_BEFORE)
_TIME_FRONT = _in_front(_TIME_BEFORE)
_BACK = re.compile(rf"^(?:%|[ \-]\w+)?\s*(?:{_anywhere(_BEHIND)})(?!\w)", re.IGNORECASE)
_YEAR_OR_WORD = re.compile(r"[12]\d{3}(?!\d)|\D")
"""What a time can be: a year, or a month."""


LANGUAGES = ("en", "he")
"""Those whose bounds are known: in another one a changed number may be just as true."""


def is_bound(text: str, start: int, end: int) -> bool:
    """Whether what stands from `start` to `end` is a bound or near another amount or time.

    It may be a number, or a unit or month with its number before it.
    """
    front, back = text[max(0, start - _REACH) : start], text[end : end + _REACH]
    if _AMOUNT_FRONT.search(front) or _BACK.search(back):
        return True
    return bool(_YEAR_OR_WORD.match(text, start) and _TIME_FRONT.search(front))
