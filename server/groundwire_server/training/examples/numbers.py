"""Claims with another number, and claims that compare one with a round number.

In English and Hebrew. A number to swap in comes from the same context if one is like it, so that
being in the text tells nothing. Knows no model.
"""

import math
import random
import re
from collections.abc import Sequence

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
_TRUE = {
    "en": (("more than", -1), ("at least", -1), ("less than", 1), ("almost", 0), ("nearly", 0)),
    "he": (("יותר מ-", -1), ("לפחות", -1), ("פחות מ-", 1), ("כמעט", 0)),
}
_FALSE = {
    "en": (("more than", 1), ("at least", 1), ("less than", -1), ("almost", 2), ("exactly", 1)),
    "he": (("יותר מ-", 1), ("לפחות", 1), ("פחות מ-", -1), ("כמעט", 2), ("בדיוק", 1)),
}
"""A phrase, and where the round number behind it lies: below, just above, above, at a multiple."""


def swapped(claim: str, context: str, rng: random.Random) -> str | None:
    """The claim with one number changed; None if it has none. Of an answer, only in the answer."""
    answer = _ANSWER.search(claim)
    found = [m for m in NUMBER.finditer(claim) if answer is None or m.start() > answer.end()]
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
    if language not in _TRUE:
        return []
    for sentence in sentences:
        fit = [match for match in _COMPARED.finditer(sentence) if _is_amount(match)]
        if fit:
            match = rng.choice(fit)
            made = [
                (_said(sentence, match, phrase, where, rng), true)
                for true, phrases in ((True, _TRUE), (False, _FALSE))
                for phrase, where in (rng.choice(phrases[language]),)
            ]
            return [(claim, true) for claim, true in made if claim is not None]
    return []


def _is_amount(match: re.Match[str]) -> bool:
    value = _value(match["number"])
    around = match.string[max(0, match.start() - 8) : match.end() + 8]
    if _BOUND.search(around):
        return False
    return (
        value >= _SMALLEST_COMPARED
        and not _is_year(match["number"])
        and match["before"].lower() not in _NOT_BEFORE
        # "Stage 2", "iOS 10" and their like are names; Hebrew shows it by what is counted alone.
        and match["before"].islower()
        and match["after"].strip() not in _NOT_AFTER
    ) or (
        value >= _SMALLEST_COMPARED
        and match["before"] not in _NOT_BEFORE
        and match["after"].strip() in _HEBREW_UNITS
        and "א" <= match["before"][0] <= "ת"
    )


def _said(
    sentence: str, match: re.Match[str], phrase: str, where: int, rng: random.Random
) -> str | None:
    """The sentence with the phrase and a round number in the number's place."""
    value = _value(match["number"])
    other = _round_number(value, where, rng)
    if other is None or (match["after"] == "%" and other > 100):
        return None
    written = f"{other:,}" if "," in match["number"] or other >= 10_000 else f"{other}"
    gap = "" if phrase.endswith("-") else " "
    space = match["space"].strip()
    start, end = match.end("before"), match.end("number")
    return f"{sentence[:start]} {phrase}{gap}{space}{written}{sentence[end:]}"


def _round_number(value: float, where: int, rng: random.Random) -> int | None:
    """A round number below the value (-1), just above it (0), above it (1), or far from it (2)."""
    step = 10 ** max(0, math.floor(math.log10(value)) - 1)
    if where == 0:
        above = (math.floor(value / step) + 1) * step
        return above if above <= value * 1.1 else None
    if where == 2:
        above = round(value * rng.choice((2, 3)) / step) * step
        return int(above)
    factor = rng.uniform(0.5, 0.95) if where < 0 else rng.uniform(1.1, 1.9)
    other = math.floor(value * factor / step) * step
    return int(other) if (other < value if where < 0 else other > value) and other else None


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
