"""What an answer states: numbers with units, dates, yes or no, and the other words."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.claims.wording.sentence import word_set
from groundwire_verifier.text.quantities.dates import Date, find_dates
from groundwire_verifier.text.quantities.decades import find_decades
from groundwire_verifier.text.quantities.figures import Figure, find_figures, folded, is_within
from groundwire_verifier.text.quantities.times import HOUR_MINUTES, Time, find_times
from groundwire_verifier.text.quantities.units import Unit


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, and its unit, if it has one that is known."""

    magnitude: Fraction
    unit: Unit | None = None

    @property
    def size(self) -> Fraction:
        """The number in the base unit of its dimension."""
        return self.magnitude * self.unit.scale if self.unit else self.magnitude


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
_MOST_NUMBER_CHARACTERS = 400
"""A longer number is a word like others: Python reads none of thousands of digits."""
_LEAST_DENOMINATORS = 10**9
"""A number that is read as a float is the fraction nearest to it with a denominator up to this."""

_POINTS = re.compile("[\u0591-\u05c7]")
_VULGAR = re.compile(r"[½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]")
_RATIO = re.compile(r"\b\d+/[1-9]\d*\b")
"""Its numbers are none of their own."""
_WORD = re.compile(
    # An ordinal, or a number of so many digits that it is no figure.
    r"(?P<number>(?<![\d.])(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?)(?:(?:st|nd|rd|th)\b)?"
    r"|[^\W\d_]+(?:['\"][^\W\d_]+)*"
)

_Item = Value | str


def result_of(text: str) -> str:
    """What stands behind the last sign of equality, if something does; else the whole text."""
    _, is_calculation, result = text.rpartition("=")
    return result.strip() if is_calculation and re.search(r"\w", result) else text


def stated(text: str) -> Stated:
    """What a text states. Of a calculation it is the result."""
    items = list(_joined(_items(_plain(result_of(text)))))
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


def _plain(text: str) -> str:
    """A text in one form of Unicode, without the points of Hebrew."""
    decimal = _VULGAR.sub(_decimal, text)
    return _POINTS.sub("", unicodedata.normalize("NFKC", decimal))


def _decimal(match: re.Match[str]) -> str:
    """`3½` as 3.5."""
    at = match.start()
    whole = "" if at and match.string[at - 1].isdecimal() else "0"
    return whole + str(unicodedata.numeric(match.group())).removeprefix("0")


def _items(text: str) -> Iterator[_Item]:
    """The values and the other words of a text, in order."""
    lower = folded(text)
    taken: list[tuple[Span, _Item]] = list(find_dates(lower))
    _add(taken, ((each.span, each.span.of(lower)) for each in find_decades(lower)))
    _add(taken, ((each.span, _time(each)) for each in find_times(lower)))
    _add(taken, ((Span(*match.span()), _ratio(match.group())) for match in _RATIO.finditer(lower)))
    _add(taken, ((each.span, _quantity(each)) for each in find_figures(text, least_bare_word=0)))
    at = 0
    for span, item in taken:
        yield from _words(lower[at : span.start])
        yield item
        at = span.end
    yield from _words(lower[at:])


def _add(taken: list[tuple[Span, _Item]], found: Iterable[tuple[Span, _Item]]) -> None:
    """Add what does not begin within what is there, and keep all in order."""
    spans = [span for span, _ in taken]
    taken += [(span, item) for span, item in found if not is_within(span, spans)]
    taken.sort(key=lambda pair: pair[0].start)


def _quantity(figure: Figure) -> Quantity:
    return Quantity(Fraction(figure.magnitude).limit_denominator(_LEAST_DENOMINATORS), figure.unit)


def _time(time: Time) -> str:
    """A time in one form; of two that it can be the one before noon."""
    hour, minute = divmod(min(time.minutes), HOUR_MINUTES)
    return f"{hour}:{minute:02}"


def _ratio(written: str) -> _Item:
    return Quantity(Fraction(written)) if len(written) <= _MOST_NUMBER_CHARACTERS else written


def _words(text: str) -> Iterator[_Item]:
    for match in _WORD.finditer(text):
        number = match["number"]
        if number and len(number) <= _MOST_NUMBER_CHARACTERS:
            yield Quantity(Fraction(number.replace(",", "")))
        else:
            yield match.group().casefold().removesuffix("'s")


def _joined(items: Iterable[_Item]) -> Iterator[_Item]:
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
