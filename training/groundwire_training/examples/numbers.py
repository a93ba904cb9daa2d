"""Claims with another number, and claims that compare one with a round number.

In English and Hebrew. A number to swap in comes from the same context if one is like it, so that
being in the text tells nothing.
"""

import math
import random
import re
from collections.abc import Sequence

from groundwire_training.examples.bounds import is_bound
from groundwire_training.made.words import NUMBER_WORDS, number_word

NUMBER = re.compile(r"(?<![\w.,:/–\[])(?<!\d-)\d+(?:,\d{3})*(?:\.\d+)?(?![\w:/–\]-]|[.,]\d)")
"""A number that stands alone: no part of a range, a time of day or a citation."""
_ANSWER = re.compile(r"(?:Answer|תשובה):")
_FROM_CONTEXT_SHARE = 0.6
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_SMALLEST_COMPARED = 4
_COMPARED = re.compile(
    r"(?P<before>\b[^\W\d]+)(?P<space> \$?)(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)"
    r"(?P<after>%| [a-zא-ת]{3,})"
)
_NOT_BEFORE = frozenset(
    (
        "about", "almost", "nearly", "over", "under", "than", "approximately", "around", "least",
        "most", "up", "between", "and", "to", "from", "only", "exactly", "some", "or", "through",
        "until", "chapter", "section", "article", "no", "number", "age", "aged", "day", "the",
        "these", "those", "his", "her", "its", "their", "all", "first", "last", "next", "both",
        "other", "another", "every", "each", "version", "type", "grade", "level", "size",
        "model", "route", "highway", "line", "channel", "page", "part", "volume", "season",
        "episode", "above", "below", "roughly", "off", "by", "past", "top", "as", "a", "an",
        "stage", "phase", "original", "כמעט", "מעל", "יותר", "פחות", "לפחות", "עד", "בין",
        "לבין", "מתוך", "בן", "בת", "בני", "גיל", "בגיל", "פרק", "סעיף", "עמוד", "מספר", "של",
        "כל", "אותם", "אלה", "הם", "את", "ליום", "יום", "ביום", "בקירוב", "בערך", "רק", "או",
        "תקנה", "חוק", "קו", "כביש", "עונה",
    )
)  # fmt: skip
_NOT_AFTER = frozenset(("year", "years", "old"))
_HEBREW_UNITS = frozenset(
    (
        "%", "אחוז", "אחוזים", "דולר", "דולרים", "שקל", "שקלים", "אירו", "מיליון", "מיליארד",
        "אלף", "איש", "אנשים", "תושבים", "עובדים", "חברים", "מטר", "מטרים", "קילומטר",
        "קילומטרים", "טון", "ימים", "שבועות", "חודשים", "שנים", "שעות", "דקות", "שניות", "נשים",
        "ילדים", "תלמידים", "סטודנטים", "חיילים", "הרוגים", "פצועים", "מדינות", "חברות",
        "שחקנים", "משתתפים", "משפחות", "בתים", "ספרים", "שירים", "פעמים", "מנויים", "לקוחות",
        "משתמשים", "הייקו", "מקומות", "נקודות", "מושבים", "חדרים", "מילים", "סרטים", "פרקים",
    )
)  # fmt: skip
_BOUND = re.compile(r"\bage of|מעל|\bor (?:more|less|fewer|older|younger)|\bplus\b")
"""Around a number that is a bound itself."""
_BELOW, _JUST_ABOVE, _ABOVE, _FAR_ABOVE, _ITSELF, _ANOTHER = range(6)
"""Where the number behind a phrase lies. The first four are round numbers."""
_PHRASES = {
    "en": (
        ("more than", _BELOW, _ABOVE),
        ("at least", _BELOW, _ABOVE),
        ("less than", _ABOVE, _BELOW),
        ("almost", _JUST_ABOVE, _FAR_ABOVE),
        ("nearly", _JUST_ABOVE, _FAR_ABOVE),
        ("exactly", _ITSELF, _ANOTHER),
    ),
    "he": (
        ("יותר מ-", _BELOW, _ABOVE),
        ("לפחות", _BELOW, _ABOVE),
        ("פחות מ-", _ABOVE, _BELOW),
        ("כמעט", _JUST_ABOVE, _FAR_ABOVE),
        ("בדיוק", _ITSELF, _ANOTHER),
    ),
}
"""A phrase, and the numbers with which it is true and false: with both, or it would tell which."""
_SCALES = frozenset(("million", "billion", "thousand", "hundred", "אלף", "מיליון", "מיליארד"))
"""Before these a number is most often rounded: nobody knows what it is exactly."""
_WORD_SHARE = 0.5


def swapped(claim: str, context: str, rng: random.Random) -> str | None:
    """The claim with one number changed; None if it has none. Of an answer, only in the answer.

    A bound is left alone: with another number it may still be true.
    """
    answer = _ANSWER.search(claim)
    found = [
        match
        for match in NUMBER.finditer(claim)
        if (answer is None or match.start() > answer.end())
        and not is_bound(claim, match.start(), match.end())
    ]
    if not found:
        return None
    match = rng.choice(found)
    own = match.group()
    alike = [n for n in dict.fromkeys(NUMBER.findall(context)) if _alike(n, own) and n not in claim]
    borrows = bool(alike) and rng.random() < _FROM_CONTEXT_SHARE
    other = rng.choice(alike) if borrows else _near(own, rng)
    return None if other == own else claim[: match.start()] + other + claim[match.end() :]


def compared(sentences: Sequence[str], language: str, rng: random.Random) -> list[tuple[str, bool]]:
    """A true and a false comparison made of one of these sentences; empty if none is fit.

    Only in English and Hebrew.
    """
    if language not in _PHRASES:
        return []
    phrases = list(_PHRASES[language])
    for sentence in sentences:
        fit = [match for match in _COMPARED.finditer(sentence) if _is_amount(match)]
        if not fit:
            continue
        match = rng.choice(fit)
        rng.shuffle(phrases)
        for phrase, *places in phrases:
            true, false = (_number_at(match, place, rng) for place in places)
            if true is not None and false is not None:
                if _can_be_words(match, (true, false)) and rng.random() < _WORD_SHARE:
                    true, false = number_word(int(true)), number_word(int(false))
                return [(_said(match, phrase, true), True), (_said(match, phrase, false), False)]
    return []


def _is_amount(match: re.Match[str]) -> bool:
    value = _value(match["number"])
    around = match.string[max(0, match.start() - 8) : match.end() + 8]
    if _BOUND.search(around):
        return False
    is_large = value >= _SMALLEST_COMPARED or ("." in match["number"] and value > 1)
    return (
        is_large
        and not _is_year(match["number"])
        and match["before"].lower() not in _NOT_BEFORE
        # "Stage 2", "iOS 10" and their like are names; Hebrew shows it by what is counted alone.
        and match["before"].islower()
        and match["after"].strip() not in _NOT_AFTER
    ) or (
        is_large
        and match["before"] not in _NOT_BEFORE
        and match["after"].strip() in _HEBREW_UNITS
        and "א" <= match["before"][0] <= "ת"
    )


def _said(match: re.Match[str], phrase: str, number: str) -> str:
    """The sentence with the phrase and another number in the number's place."""
    sentence, space = match.string, match["space"].strip()
    gap = "" if phrase.endswith("-") else " "
    before, behind = sentence[: match.end("before")], sentence[match.end("number") :]
    return f"{before} {phrase}{gap}{space}{number}{behind}"


def _can_be_words(match: re.Match[str], numbers: Sequence[str]) -> bool:
    is_plain = match["after"] != "%" and "$" not in match["space"] and match["after"].isascii()
    return is_plain and all(n.isdigit() and int(n) < len(NUMBER_WORDS) for n in numbers)


def _number_at(match: re.Match[str], place: int, rng: random.Random) -> str | None:
    """A number that lies there, in the form of the sentence's own, or None where there is none."""
    own = match["number"]
    if place in (_ITSELF, _ANOTHER):
        other = own if place == _ITSELF else _near(own, rng)
        # A round one is perhaps rounded; and another one is not to be told by its looks.
        if match["after"].strip() in _SCALES or own.endswith("0") or other.endswith("0"):
            return None
        is_fit = place == _ITSELF or _value(other) != _value(own)
        return other if is_fit and not (match["after"] == "%" and _value(other) > 100) else None
    found = _round_number(_value(own), place, rng)
    if found is None or (match["after"] == "%" and found > 100):
        return None
    return f"{found:,}" if "," in own or found >= 10_000 else f"{found}"


def _round_number(value: float, place: int, rng: random.Random) -> int | None:
    """A round number below the value, just above it, above it, or far from it."""
    step = 10 ** max(0, math.floor(math.log10(value)) - 1)
    if place == _JUST_ABOVE:
        above = (math.floor(value / step) + 1) * step
        return above if above <= value * 1.1 else None
    if place == _FAR_ABOVE:
        above = round(value * rng.choice((2, 3)) / step) * step
        return int(above)
    factor = rng.uniform(0.5, 0.95) if place == _BELOW else rng.uniform(1.1, 1.9)
    other = math.floor(value * factor / step) * step
    is_there = other < value if place == _BELOW else other > value
    return int(other) if is_there and other else None


def _alike(number: str, own: str) -> bool:
    if number == own or ("." in number) != ("." in own):
        return False
    if _is_year(own) or _is_year(number):
        return _is_year(own) and _is_year(number)
    return abs(len(number) - len(own)) <= 1


def _near(own: str, rng: random.Random) -> str:
    """Another number of the same form."""
    if "." in own:
        places = len(own.partition(".")[2])
        return f"{_value(own) * rng.choice((0.5, 0.8, 1.2, 2.0)):.{places}f}"
    value = int(own.replace(",", ""))
    if _is_year(own):
        return str(value + rng.choice((-30, -10, -3, -2, -1, 1, 2, 3, 10, 20)))
    if value < 20:
        return str(max(0, value + rng.choice((-3, -2, -1, 1, 2, 3, 5))))
    other = round(value * rng.choice((0.5, 0.7, 0.9, 1.1, 1.3, 2, 10)))
    return f"{other:,}" if "," in own else str(other)


def _is_year(number: str) -> bool:
    return number.isdigit() and _FIRST_YEAR <= int(number) <= _LAST_YEAR


def _value(number: str) -> float:
    return float(number.replace(",", ""))
