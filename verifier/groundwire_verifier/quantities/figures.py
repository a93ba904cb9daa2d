"""The numbers of a text, each with its place, its unit, and how exactly it is written.

Knows digits and number words, in English and in Hebrew. Dates, times and ordinals are no figures.
Fast, since whole responses and results are looked through. Does not compare figures.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.quantities.number_words import HEBREW_PREFIXES, NUMBER_WORDS, read_number
from groundwire_verifier.quantities.units import UNITS, Unit
from groundwire_verifier.quantities.values import MONTHS, PLAIN

MAX_DIGITS = 15
"""A longer run of digits is an id of something, and no figure."""

_SCALES = {
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "k": 1e3,
    "אלף": 1e3, "מיליון": 1e6, "מיליארד": 1e9,
}  # fmt: skip
_LETTERS = {"c": UNITS["°c"], "f": UNITS["°f"]}
"""Of temperatures, where they are capitals and stand at a number: `12C`."""

_DEGREES = UNITS["°"]
_TEMPERATURES = frozenset({UNITS["°c"], UNITS["°f"]})
_CURRENCIES = "|".join(
    re.escape(name)
    for name in sorted(UNITS, key=len, reverse=True)
    if UNITS[name].is_currency and name.isascii() and len(name) == len("usd")
)
_WORD = r"[^\W\d_]+(?:['\"][^\W\d_]+)?"
_UNIT = rf"°\s?[cf](?!\w)|°|[%$€£₪¥]|{_WORD}"
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}\b|\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\d{1,2}:\d{2}\b"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+|ב)?(?:{_MONTH})\b|\d+(?:st|nd|rd|th)\b"
)
_BEHIND_MONTH = re.compile(rf"(?<!\w)ב?(?:{_MONTH})\.?,?\s$")
_MONTH_CHARACTERS = 14
_FIGURE = re.compile(
    rf"(?:(?P<sign>[$€£₪¥])\s?|(?<!\w)(?P<code>{_CURRENCIES})\s)?"
    r"(?P<number>(?:(?<![\w)])-)?(?<![\d.\w])(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?)"
    rf"(?:[ -]?(?P<unit>{_UNIT})(?:[ ](?P<then>{_WORD}))?)?"
)
_NUMBER_WORD = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_IN_WORDS = re.compile(
    rf"(?<![^\W\d_])[{HEBREW_PREFIXES}]?"
    rf"(?P<number>(?:{_NUMBER_WORD})(?:[ -](?:and )?(?:{_NUMBER_WORD})){{0,8}})(?!\w)"
    rf"(?:[ -](?P<unit>{_UNIT})(?:[ ](?P<then>{_WORD}))?)?"
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as it is written: `12 °C`, `$1,000`, `two metres`.

    `decimals` are the digits behind its point, `zeros` those at the end of a whole number: 3 of
    1000. `span` is where it stands, with its unit.
    """

    magnitude: float
    decimals: int
    zeros: int
    unit: Unit | None
    span: Span


def find_figures(text: str, least_bare_word: int | None = None) -> Iterator[Figure]:
    """The figures of a text: those in digits in their order, then those in words.

    A number in words without a unit counts from `least_bare_word` on, and never if that is None:
    `one of them` is no amount.
    """
    plain = folded(text)
    date_end = 0
    taken: list[Span] = []
    for match in _FIGURE.finditer(plain):
        if match.start() < date_end:
            continue
        date_end = _end_of_date(plain, *match.span("number"))
        figure = None if date_end else _in_digits(text, match)
        if figure is not None:
            taken.append(figure.span)
            yield figure
    for figure in _in_words(text, plain):
        is_amount = figure.unit is not None
        is_amount |= least_bare_word is not None and figure.magnitude >= least_bare_word
        # `million` behind digits is a part of theirs.
        if is_amount and not is_within(figure.span, taken):
            yield figure


def is_within(span: Span, others: Sequence[Span]) -> bool:
    """Whether it begins in one of the others, which are in order and do not overlap."""
    at = bisect_right(others, span.start, key=lambda other: other.start)
    return at > 0 and span.start < others[at - 1].end


def folded(text: str) -> str:
    """A text in lower case with plain quotes and dashes; each character stays where it is."""
    plain = text.translate(PLAIN)
    lower = plain.lower()
    if len(lower) == len(plain):
        return lower
    return "".join(low if len(low := c.lower()) == 1 else c for c in plain)


def figure_of(number: str, unit: Unit | None = None, span: Span = Span(0, 0)) -> Figure | None:  # noqa: B008 - frozen
    """The figure of a number in digits, perhaps with commas; None for what is none."""
    plain = number.replace(",", "")
    whole, _, decimals = plain.partition(".")
    if not 0 < len(plain) <= MAX_DIGITS or not whole.removeprefix("-").isdecimal():
        return None
    if decimals and not decimals.isdecimal():
        return None
    return Figure(float(plain), len(decimals), 0 if decimals else _zeros(whole), unit, span)


def _in_words(text: str, plain: str) -> Iterator[Figure]:
    for spelled in _IN_WORDS.finditer(plain):
        words = re.split("[ -]", spelled["number"])
        number, used = read_number(words)
        if used == len(words):
            unit, end = _unit(text, spelled)
            span = Span(spelled.start("number"), end)
            yield Figure(float(number), 0, _zeros(str(number)), unit, span)


def _in_digits(text: str, match: re.Match[str]) -> Figure | None:
    start = match.start("number")
    number = figure_of(match["number"])
    if number is None:
        return None
    unit, end = _unit(text, match)
    magnitude, decimals, zeros = number.magnitude, number.decimals, number.zeros
    scale = _SCALES.get(match["unit"] or "")
    if scale is not None:
        magnitude, decimals = magnitude * scale, 0
        zeros = _zeros(f"{magnitude:.0f}")
        then = UNITS.get(match["then"] or "")
        unit, end = then, match.end("then" if then else "unit")
    before = match["sign"] or match["code"]
    if unit is None and before:
        unit = UNITS[before]
    return Figure(magnitude, decimals, zeros, unit, Span(match.start() if before else start, end))


def _end_of_date(plain: str, start: int, end: int) -> int:
    """Where the date, the time or the ordinal ends that begins with this number; 0 if none does."""
    if end - start > len("2026"):
        return 0
    before = plain[max(0, start - _MONTH_CHARACTERS) : start]
    if before[-2:-1].isalpha() and _BEHIND_MONTH.search(before):
        return end
    date = _DATE.match(plain, start)
    return 0 if date is None else date.end()


def _unit(text: str, match: re.Match[str]) -> tuple[Unit | None, int]:
    """The unit behind a number, and where the figure ends."""
    name = (match["unit"] or "").replace(" ", "")
    unit = UNITS.get(name)
    if unit is None and name in _LETTERS and text[slice(*match.span("unit"))].isupper():
        unit = _LETTERS[name]
    then = UNITS.get(match["then"] or "")
    if unit is None and then is not None and then.is_currency:
        # `281 Swiss francs`
        return then, match.end("then")
    if unit is None:
        return None, match.end("number")
    if unit == _DEGREES and then in _TEMPERATURES:
        return then, match.end("then")
    return unit, match.end("unit")


def _zeros(digits: str) -> int:
    stripped = digits.rstrip("0")
    return len(digits) - len(stripped) if stripped not in ("", "-") else 0
