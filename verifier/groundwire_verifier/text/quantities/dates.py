"""The dates that a text names: `5 March 1871`, `1871-03-05`, `05.03.1871`, `במרץ 1871`.

Does not compare them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Span


@dataclass(frozen=True, slots=True)
class Date:
    """A day, in every way in which it can be read: year, month and day; None where not said."""

    readings: frozenset[tuple[int | None, int | None, int | None]]


_NAMES = tuple(
    (language, tuple(names.split()))
    for language, names in (
        (
            "en",
            "january february march april may june july august september october november december",
        ),
        ("en", "jan feb mar apr may jun jul aug sep oct nov dec"),
        ("en", "jan feb mar apr may jun jul aug sept oct nov dec"),
        (
            "de",
            "januar februar märz april mai juni juli august september oktober november dezember",
        ),
        (
            "fr",
            "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        ),
        (
            "es",
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre"
            " diciembre",
        ),
        (
            "it",
            "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre"
            " novembre dicembre",
        ),
        (
            "pt",
            "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro"
            " dezembro",
        ),
        (
            "nl",
            "januari februari maart april mei juni juli augustus september oktober november"
            " december",
        ),
        (
            "sv",
            "januari februari mars april maj juni juli augusti september oktober november december",
        ),
        (
            "pl",
            "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października"
            " listopada grudnia",
        ),
        (
            "ru",
            "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
        ),
        ("he", "ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר"),
        ("he", "ינואר פברואר מרס אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר"),
    )
)
"""The names of the months by language, from the first to the last month."""
MONTHS = {name: number for _, names in _NAMES for number, name in enumerate(names, start=1)}
"""The number of each month by its names, in lower case."""

MONTH_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_MOST_DAYS, _MONTHS_A_YEAR = 31, 12
_MOST_BEFORE = 24
"""Characters before a month that are looked at for the words that go with it."""
_DAY = r"\d{1,2}"
_YEAR = r"\d{4}"
_ORDINAL = r"(?:st|nd|rd|th)?"
_SHORT = r"(?:(?<!may)(?<=\b\w{3})\.|(?<=sept)\.)?"
"""The point of a short name; another one ends a sentence: `in May. 8 boats`."""
_DATE = re.compile(
    rf"(?P<iso>\b{_YEAR}(?P<dash>[-./]){_DAY}(?P=dash){_DAY}(?:\b|(?=t\d)))"
    rf"|(?P<numbers>(?<!\d\.)\b{_DAY}(?P<mark>[./]){_DAY}(?P=mark)(?:{_YEAR}|\d{{2}})\b(?!\.\d)"
    rf"|\b{_DAY}-{_DAY}-{_YEAR}\b)"
    rf"|\b(?P<day>{_DAY})(?:st|nd|rd|th|\.)?\s*(?:of\s+|de\s+|ב)?(?P<month>{MONTH_NAMES})\b{_SHORT}"
    rf"(?:,?\s+(?:de\s+)?(?P<year>{_YEAR})\b)?"
    rf"|\bב?(?P<month_first>{MONTH_NAMES})\b{_SHORT}\s+(?P<then_day>{_DAY}){_ORDINAL}\b"
    rf"(?:,?\s+(?P<then_year>{_YEAR})\b)?"
    rf"|(?P<han>(?:{_YEAR}年)?{_DAY}月{_DAY}日|{_YEAR}年{_DAY}月)"
    rf"|\bב?(?P<month_only>{MONTH_NAMES})\b{_SHORT},?\s+(?P<year_only>{_YEAR})\b"
)
_MONTHS = re.compile(rf"(?<![^\W\d_])ב?({MONTH_NAMES})(?!\w)")
_MONTH_NAMED = re.compile(rf"(?<![^\W\d_])[בלמ]?(?P<name>{MONTH_NAMES})(?!\w)", re.IGNORECASE)
_PART = re.compile(
    rf"(?P<month>{MONTH_NAMES})|(?<!\d)(?P<year>{_YEAR})(?!\d)|(?<!\d)(?P<day>{_DAY})(?!\d)",
    re.IGNORECASE,
)
_LANGUAGES = frozenset(language for language, _ in _NAMES)
_CAPITALISING = frozenset({"en", "de"})
"""The languages that write a month with a capital within a sentence."""
_BEFORE_MONTH = {
    "en": r"(?:in|since|until|till|by|from|during|through|early|late|mid"
    r"|(?:end|middle|start|beginning|month) of)[\s-]+",
    "de": r"(?:im|seit|bis|ab|von|anfang|mitte|ende)\s+",
    "he": r"[בלמ]-?|(?:עד|מאז|סוף|אמצע|תחילת|חודש)\s+[בלמ]?",
}
_BEFORE_DATE = {
    "en": rf"{_BEFORE_MONTH['en']}|(?:on|the|of|before|after)\s+",
    "de": rf"{_BEFORE_MONTH['de']}|(?:am|vom|zum|dem|den)\s+",
    "he": r"[א-ת]+[\s-]*",
}
_CAPITALISED = re.compile(r"\s+[^\W\d_a-zא-ת]\w")


def find_dates(text: str) -> Iterator[tuple[Span, Date]]:
    """The dates of a text in lower case and where they stand; a year alone is none."""
    for match in _DATE.finditer(text):
        date = _date(match.groupdict())
        if date.readings:
            yield Span(*match.span()), date


def find_months(text: str) -> Iterator[int]:
    """The numbers of the months that a text in lower case names."""
    return (MONTHS[match.group(1)] for match in _MONTHS.finditer(text))


def months_in(text: str) -> list[Span]:
    """Where a text names months by a word alone, as in `since May`.

    One in Latin letters has a capital, a word of its language before it that goes with months, and
    no other name behind it, since `May` and `Mars` are names of other things, too.
    """
    found = []
    for match in _MONTH_NAMED.finditer(text):
        span = Span(*match.span("name"))
        goes_with = _languages_before(text[: span.start], _BEFORE_MONTH)
        is_lower = span.of(text)[0].islower()
        is_named = _CAPITALISED.match(text, span.end) is not None
        if not is_lower and not is_named and goes_with & _languages(span.of(text)):
            found.append(span)
    return found


def as_form(own: str, other: str, before: str = "") -> str:
    """The date in `other`, as far as `own` tells one: June of 2025-06-15 for July, 1988 of May 1988
    for 1956.

    `own` is a month by name, with a day or a year or both, or a year; `before` is the text that it
    follows. Empty where it is not, where the date lacks one of these or can be read in several
    ways, or where nobody knows which language the month in `own` is of.
    """
    if _PART.sub("", own).strip(" ,.ב"):
        return ""
    dates = [date for _, date in find_dates(other.lower())]
    readings = [reading for date in dates for reading in date.readings]
    if not dates and other.lower() in MONTHS:
        readings = [(None, MONTHS[other.lower()], None)]
    if len(readings) != 1:
        return ""
    ((year, month, day),) = readings
    told = {"year": year, "month": month, "day": day}
    made, at = "", 0
    for match in _PART.finditer(own):
        kind = match.lastgroup or ""
        part = told.pop(kind, None)
        is_name = kind == "month" and part is not None
        new = _month_as(match.group(), part or 0, own, before) if is_name else str(part or "")
        if not new:
            return ""
        made += own[at : match.start()] + new
        at = match.end()
    is_day_alone = "month" in told and "year" in told
    return "" if is_day_alone else made + own[at:]


def are_of_one_language(own: str, before: str, other: str, other_before: str) -> bool:
    """Whether the months that `other` names are in the language of `own`, each with the text that
    it follows. So are those in numbers."""
    if not any(map(str.isalpha, other)):
        return True
    return _languages_of(own, before) <= _languages_of(other, other_before)


def _month_as(own: str, month: int, date: str, before: str) -> str:
    """The name of a month in place of one, in its language; empty if that is not known."""
    languages = _languages_of(date, before)
    forms = [
        (language, names)
        for language, names in _NAMES
        if language in languages and own.lower() in names
    ]
    others = list(dict.fromkeys(names[month - 1] for _, names in forms))
    if len(others) > 1 and len({language for language, _ in forms}) > 1:
        return ""
    other = next(iter(others), "")
    return other.capitalize() if own[0].isupper() else other


def _languages_of(date: str, before: str) -> frozenset[str]:
    """The languages that a date by these words can be in."""
    named = [_languages(match["month"]) for match in _PART.finditer(date) if match["month"]]
    languages = frozenset.intersection(_LANGUAGES, *named)
    return languages & _languages_before(before, _BEFORE_DATE) or languages


def _languages(month: str) -> frozenset[str]:
    """The languages that have this name for a month; one with a capital is of those that have
    capitals, if any does."""
    found = frozenset(language for language, names in _NAMES if month.lower() in names)
    return (month[0].isupper() and found & _CAPITALISING) or found


def _languages_before(text: str, words: Mapping[str, str]) -> frozenset[str]:
    """The languages whose words a text ends with."""
    end = text[-_MOST_BEFORE:]
    return frozenset(
        language
        for language, pattern in words.items()
        if re.search(rf"(?<!\w)(?:{pattern})$", end, re.IGNORECASE)
    )


def _date(found: Mapping[str, str | None]) -> Date:
    if iso := found["iso"]:
        year, month, day = map(int, re.split(r"[-./]", iso))
        return Date(frozenset({(year, month, day)}))
    if numbers := found["numbers"]:
        return _in_numbers(numbers)
    if han := found["han"]:
        parts = {mark: int(number) for number, mark in re.findall(r"(\d+)([年月日])", han)}
        return Date(frozenset({(parts.get("年"), parts["月"], parts.get("日"))}))
    month_name = found["month"] or found["month_first"] or found["month_only"] or ""
    own_year = found["year"] or found["then_year"] or found["year_only"]
    own_day = found["day"] or found["then_day"]
    return Date(frozenset({(_int(own_year), MONTHS[month_name], _int(own_day))}))


def _int(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _in_numbers(text: str) -> Date:
    """A date in numbers, whose day may stand before its month or behind it: both where both can be.

    One that can be neither has no readings.
    """
    first, second, last = re.split(r"[./-]", text)
    years = (int(last),) if len(last) == len("1999") else (1900 + int(last), 2000 + int(last))
    orders = ((int(first), int(second)), (int(second), int(first)))
    valid = [(d, m) for d, m in orders if d <= _MOST_DAYS and 1 <= m <= _MONTHS_A_YEAR]
    return Date(frozenset((year, month, day) for year in years for day, month in valid))
