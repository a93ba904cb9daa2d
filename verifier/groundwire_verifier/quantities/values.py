"""What an answer states: numbers with units, dates, yes or no, and the other words.

Knows how they are written in English and in Hebrew. Does not compare answers.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from groundwire_verifier.claims.wording.sentence import word_set
from groundwire_verifier.domain.claims import Span
from groundwire_verifier.quantities.number_words import read_number
from groundwire_verifier.quantities.units import UNITS, Unit


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written, and its unit, if it has one that is known."""

    magnitude: Fraction
    unit: Unit | None = None

    @property
    def size(self) -> Fraction:
        """The number in the base unit of its dimension."""
        return self.magnitude * self.unit.scale if self.unit else self.magnitude


@dataclass(frozen=True, slots=True)
class Date:
    """A day, in every way in which it can be read: year, month and day; None where not said."""

    readings: frozenset[tuple[int | None, int | None, int | None]]


Value = Quantity | Date


@dataclass(frozen=True, slots=True)
class Stated:
    """What an answer states.

    `says_yes` is None unless it begins with yes or no. `negations` are the other words that deny.
    """

    says_yes: bool | None
    negations: int
    values: tuple[Value, ...]
    words: tuple[str, ...]

    @property
    def is_bare(self) -> bool:
        """Whether there is nothing beside yes or no."""
        return not (self.values or self.words or self.negations)


MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan ינואר", "february feb פברואר", "march mar מרץ מרס", "april apr אפריל",
            "may מאי", "june jun יוני", "july jul יולי", "august aug אוגוסט",
            "september sept sep ספטמבר", "october oct אוקטובר", "november nov נובמבר",
            "december dec דצמבר",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
"""The number of each month by its names, in lower case."""

_YES = word_set("yes true correct right yeah yep כן נכון אמת")
_NO = word_set("no false incorrect wrong nope לא שקר")
_DENIALS = word_set(
    "not no never neither nor none cannot without isn't wasn't aren't weren't don't doesn't didn't "
    "can't won't לא אין אינו אינה אינם אינן בלי אף"
)
_FUNCTION_WORDS = word_set(
    "a an the this that these those it its is are was were be been of in on at to for from by with "
    "as and or so then therefore thus hence answer result total equals about approximately "
    "את של על אל עם כי גם או הוא היא הם הן זה זו זאת היה הייתה היו התשובה תשובה לכן ולכן כן"
)
_MOST_NUMBER_WORDS = 16
_MOST_NUMBER_CHARACTERS = 400
"""A longer number is a word like others: Python reads none of thousands of digits."""

PLAIN = str.maketrans("\u2019\u2018\u05f3\u05f4\u201d\u201c\u2212\u2013\u2014", "'''\"\"\"---")
_POINTS = re.compile("[\u0591-\u05c7]")
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = r"\d{1,2}"
_YEAR = r"\d{4}"
_ORDINAL = r"(?:st|nd|rd|th)?"
# A minus stands before a number and behind nothing; a full stop alone ends a sentence.
_NUMBER = r"(?:(?<![\w)])-)?(?<![\d.])(?:\d{1,3}(?:[, ']\d{3})+(?!\d)|\d+)(?:\.\d+)?"
_DATE = (
    rf"(?P<iso>\b{_YEAR}-{_DAY}-{_DAY}\b)"
    rf"|(?P<slashed>\b{_DAY}[./]{_DAY}[./](?:{_YEAR}|\d{{2}})\b)"
    rf"|\b(?P<day>{_DAY}){_ORDINAL}\s*(?:of\s+|ב)?(?P<month>{_MONTH})\b\.?"
    rf"(?:,?\s+(?P<year>{_YEAR})\b)?"
    rf"|\bב?(?P<month_first>{_MONTH})\b\.?\s+(?P<then_day>{_DAY}){_ORDINAL}\b"
    rf"(?:,?\s+(?P<then_year>{_YEAR})\b)?"
    rf"|\bב?(?P<month_only>{_MONTH})\b\.?,?\s+(?P<year_only>{_YEAR})\b"
)
_DATES = re.compile(_DATE)
_MONTHS = re.compile(rf"(?<![^\W\d_])ב?({_MONTH})(?!\w)")
_ITEM = re.compile(
    _DATE + r"|(?P<clock>\b\d{1,2}:\d{2}\b)"
    r"|(?P<ratio>\b\d+/[1-9]\d*\b)"
    rf"|(?P<number>{_NUMBER})(?:(?:st|nd|rd|th)\b)?"
    r"|(?P<sign>°[cf]?(?![^\W\d_])|[%$€£₪¥])"
    r"|(?P<word>[^\W\d_]+(?:['\"][^\W\d_]+)*)"
)

_Token = Value | Unit | str


def result_of(text: str) -> str:
    """What stands behind the last sign of equality, if something does; else the whole text."""
    _, is_calculation, result = text.rpartition("=")
    return result.strip() if is_calculation and re.search(r"\w", result) else text


def stated(text: str) -> Stated:
    """What a text states. Of a calculation it is the result."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(PLAIN)
    items = list(_items(_POINTS.sub("", result_of(folded))))
    says_yes: bool | None = None
    if items and isinstance(items[0], str) and items[0] in _YES | _NO:
        says_yes = items.pop(0) in _YES
    words = [item for item in items if isinstance(item, str)]
    return Stated(
        says_yes=says_yes,
        negations=sum(word in _DENIALS for word in words),
        values=tuple(item for item in items if not isinstance(item, str)),
        words=tuple(w for w in words if w not in _DENIALS and w not in _FUNCTION_WORDS),
    )


def find_dates(text: str) -> Iterator[tuple[Span, Date]]:
    """The dates of a text in lower case and where they stand; a year alone is none."""
    for match in _DATES.finditer(text):
        date = _date(match.groupdict())
        if date is not None:
            yield Span(*match.span()), date


def find_months(text: str) -> Iterator[int]:
    """The numbers of the months that a text in lower case names."""
    return (MONTHS[match.group(1)] for match in _MONTHS.finditer(text))


def _items(text: str) -> Iterator[Value | str]:
    """The values and the other words of a text, in order."""
    tokens = [_token(match) for match in _ITEM.finditer(text)]
    return _joined(_with_units(_with_number_words(tokens)))


def _token(match: re.Match[str]) -> _Token:
    found = match.groupdict()
    date = _date(found)
    if date is not None:
        return date
    is_readable = len(match.group()) <= _MOST_NUMBER_CHARACTERS
    if found["ratio"] and is_readable:
        return Quantity(Fraction(found["ratio"]))
    if found["number"] and is_readable:
        return Quantity(Fraction(re.sub(r"[^\d.-]", "", found["number"])))
    if found["sign"]:
        return UNITS[found["sign"]]
    word = match.group()
    return word.lstrip("0") if found["clock"] else word.removesuffix("'s")


def _date(found: Mapping[str, str | None]) -> Date | None:
    if iso := found["iso"]:
        year, month, day = map(int, iso.split("-"))
        return Date(frozenset({(year, month, day)}))
    if slashed := found["slashed"]:
        return _slashed(slashed)
    if month_name := found["month"] or found["month_first"] or found["month_only"]:
        own_year = found["year"] or found["then_year"] or found["year_only"]
        own_day = found["day"] or found["then_day"]
        reading = (_int(own_year), MONTHS[month_name], _int(own_day))
        return Date(frozenset({reading}))
    return None


def _int(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _slashed(text: str) -> Date:
    """A date in numbers, whose day may stand before its month or behind it."""
    first, second, last = re.split(r"[./]", text)
    years = (int(last),) if len(last) == len("1999") else (1900 + int(last), 2000 + int(last))
    orders = ((int(first), int(second)), (int(second), int(first)))
    months = range(1, len("JFMAMJJASOND") + 1)
    valid = [(day, month) for day, month in orders if month in months] or orders[:1]
    return Date(frozenset((year, month, day) for year in years for day, month in valid))


def _with_number_words(tokens: list[_Token]) -> Iterator[_Token]:
    """Number words as numbers, also behind digits: `3 million`."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        digits = None
        if isinstance(token, Quantity) and token.magnitude.denominator == 1:
            digits = int(token.magnitude)
        begins = at + (digits is not None)
        behind = tokens[begins : begins + _MOST_NUMBER_WORDS]
        words = list(itertools.takewhile(lambda each: isinstance(each, str), behind))
        number, used = read_number([str(word) for word in words], digits)
        if used:
            yield Quantity(Fraction(number))
            at = begins + used
        else:
            yield token
            at += 1


def _with_units(tokens: Iterable[_Token]) -> Iterator[Value | str]:
    """Numbers with the sign before them, or the unit behind them."""
    sign: Unit | None = None
    number: Quantity | None = None
    for token in tokens:
        unit = UNITS.get(token) if isinstance(token, str) and number is not None else None
        unit = token if isinstance(token, Unit) else unit
        if unit is not None and number is not None:
            yield Quantity(number.magnitude, unit)
            number = None
            continue
        if number is not None:
            yield number
            number = None
        if isinstance(token, Unit):
            sign = token
        elif isinstance(token, Quantity) and sign is None:
            number = token
        elif isinstance(token, Quantity):
            yield Quantity(token.magnitude, sign)
            sign = None
        else:
            yield token
    if number is not None:
        yield number


def _joined(items: Iterable[Value | str]) -> Iterator[Value | str]:
    """`1 hour 30 minutes` as one."""
    held: Quantity | None = None
    for item in items:
        if isinstance(item, Quantity) and held is not None and _goes_on(held, item):
            scale = held.unit.scale if held.unit else Fraction(1)
            held = Quantity((held.size + item.size) / scale, held.unit)
            continue
        if item == "and" and held is not None:
            continue
        if held is not None:
            yield held
            held = None
        if isinstance(item, Quantity):
            held = item
        else:
            yield item
    if held is not None:
        yield held


def _goes_on(first: Quantity, second: Quantity) -> bool:
    """Whether a quantity adds to the one before it, in a smaller unit."""
    return (
        first.unit is not None
        and second.unit is not None
        and first.unit.dimension == second.unit.dimension
        and second.unit.scale < first.unit.scale
    )
