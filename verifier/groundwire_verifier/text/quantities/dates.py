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
    names.split()
    for names in (
        "january jan januar janvier enero gennaio janeiro januari ינואר",
        "february feb februar février febrero febbraio fevereiro februari פברואר",
        "march mar märz mars marzo março maart מרץ מרס",
        "april apr avril abril aprile אפריל",
        "may mai mayo maggio maio mei maj מאי",
        "june jun juni juin junio giugno junho יוני",
        "july jul juli juillet julio luglio julho יולי",
        "august aug août agosto augusti augustus אוגוסט",
        "september sept sep septembre septiembre settembre setembro ספטמבר",
        "october oct oktober octobre octubre ottobre outubro אוקטובר",
        "november nov novembre noviembre novembro נובמבר",
        "december dec dezember décembre diciembre dicembre dezembro דצמבר",
    )
)
"""The names of each month: the English one first, and the Hebrew one last."""
MONTHS = {name: number for number, names in enumerate(_NAMES, start=1) for name in names}
"""The number of each month by its names, in lower case."""

MONTH_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_MOST_DAYS, _MONTHS_A_YEAR = 31, 12
_DAY = r"\d{1,2}"
_YEAR = r"\d{4}"
_ORDINAL = r"(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"(?P<iso>\b{_YEAR}(?P<dash>[-./]){_DAY}(?P=dash){_DAY}(?:\b|(?=t\d)))"
    rf"|(?P<numbers>(?<!\d\.)\b{_DAY}(?P<mark>[./]){_DAY}(?P=mark)(?:{_YEAR}|\d{{2}})\b(?!\.\d)"
    rf"|\b{_DAY}-{_DAY}-{_YEAR}\b)"
    rf"|\b(?P<day>{_DAY})(?:st|nd|rd|th|\.)?\s*(?:of\s+|de\s+|ב)?(?P<month>{MONTH_NAMES})\b\.?"
    rf"(?:,?\s+(?:de\s+)?(?P<year>{_YEAR})\b)?"
    rf"|\bב?(?P<month_first>{MONTH_NAMES})\b\.?\s+(?P<then_day>{_DAY}){_ORDINAL}\b"
    rf"(?:,?\s+(?P<then_year>{_YEAR})\b)?"
    rf"|(?P<han>(?:{_YEAR}年)?{_DAY}月{_DAY}日|{_YEAR}年{_DAY}月)"
    rf"|\bב?(?P<month_only>{MONTH_NAMES})\b\.?,?\s+(?P<year_only>{_YEAR})\b"
)
_MONTHS = re.compile(rf"(?<![^\W\d_])ב?({MONTH_NAMES})(?!\w)")
_MONTH_NAMED = re.compile(rf"(?<![^\W\d_])[בלמ]?(?P<name>{MONTH_NAMES})(?!\w)", re.IGNORECASE)
_PART = re.compile(
    rf"(?P<month>{MONTH_NAMES})|(?<!\d)(?P<year>{_YEAR})(?!\d)|(?<!\d)(?P<day>{_DAY})(?!\d)",
    re.IGNORECASE,
)
_ENGLISH_ONLY = frozenset(
    {"january", "february", "march", "may", "june", "july", "october", "december"}
)


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
    """Where a text names months; in Latin letters with a capital, since `may` is mostly none."""
    named = (Span(*match.span("name")) for match in _MONTH_NAMED.finditer(text))
    return [span for span in named if not span.of(text)[0].islower()]


def as_form(own: str, other: str) -> str:
    """The date in `other`, as far as `own` tells one: June of 2025-06-15 for July, 1988 of May 1988
    for 1956.

    `own` is a month by name, with a day or a year or both, or a year. Empty where it is not, where
    the date lacks one of these or can be read in several ways, or where nobody knows its month's
    name in the language of `own`.
    """
    dates = [date for _, date in find_dates(other.lower())]
    if len(dates) != 1 or len(dates[0].readings) != 1 or _PART.sub("", own).strip(" ,ב"):
        return ""
    ((year, month, day),) = dates[0].readings
    told = {"year": year, "month": month, "day": day}
    made, at = "", 0
    for match in _PART.finditer(own):
        kind = match.lastgroup or ""
        part = told.pop(kind, None)
        new = _month_as(match.group(), part, other) if kind == "month" and part else str(part or "")
        if not new:
            return ""
        made += own[at : match.start()] + new
        at = match.end()
    is_day_alone = "month" in told and "year" in told
    return "" if is_day_alone else made + own[at:]


def _month_as(own: str, month: int, other: str) -> str:
    """The name of a month in place of one, in its language; empty if that is not known."""
    names = _NAMES[month - 1]
    if own.lower() in _ENGLISH_ONLY:
        return names[0].capitalize()
    for name in (span.of(other) for span in months_in(other)):
        # One in other letters is of another language.
        if MONTHS.get(name.lower()) == month and name.isascii() == own.isascii():
            return name
    return names[-1] if "א" <= own[0] <= "ת" else ""


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
