"""Which values of a claim follow from stated ones by one operation, with what they follow from.

A sum, a difference, a product, a share, a count, or a date or time that many days or minutes later;
the units have to fit. Among many numbers nearly any is a sum of two, so a value follows only where
hardly any of its neighbours does. Nothing here says that the operation is the one that is meant.
"""

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum

from groundwire_verifier.text.claims.wording.sentence import word_set
from groundwire_verifier.text.quantities.dates import Date
from groundwire_verifier.text.quantities.figures import Figure
from groundwire_verifier.text.quantities.keys import key_before, key_words
from groundwire_verifier.text.quantities.times import DAY_MINUTES, Time

MOST_IN_PAIRS = 40
"""Of more distinct stated values no pairs are tried, only totals and counts."""
MOST_IN_TOTALS = 200
"""Stated values of which totals are made; those behind them are in none."""
MOST_COUNTED_SENTENCES = 200
MOST_OPERANDS = 16
"""Most operands that are named of a total or a count."""
MOST_OPERAND_CHARACTERS = 60
MOST_NEIGHBOURS = 3
"""Of NEIGHBOURS values on each side of a value that follows, so many may follow as well."""
NEIGHBOURS = 10

_LEAST_COUNT = 3
_ROUNDING = 1e-9
_MONTHS_A_YEAR = 12
_DAY_S, _MINUTE_S = 86400, 60
_DURATIONS = frozenset({"time", "months"})
_PERCENT = "percent"
_LABEL_BEFORE = re.compile(r"([^\W\d_]{2,40})[\s:=|(]{1,3}$")
_LABEL_BEHIND = re.compile(r"\s?([^\W\d_]{2,40})")
_LABEL_CHARACTERS = 44
_SENTENCES = re.compile(r"[^.!?\n]+")
_LIST_ITEM = re.compile(r"^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+(\S[^\n]*)$", re.MULTILINE)
_BOUNDS = word_set("min max minimum maximum low high lowest highest lower upper from to least most")
"""What a key says of one end of a range."""
_TO = re.compile(r"\s?(?:[-\u2010-\u2014]|to|until|עד)\s?")
_RATE = re.compile(r"an?\s")
_COUNTED = re.compile(r"\s(?:[^\W\d_]+\s)?")
_AND = re.compile(r"\s(?:and|or|und|et|y)\s|\sו(?=[\u05d0-\u05ea])")


class Operation(Enum):
    """How a value follows from stated ones."""

    COUNT = "count"
    SUM = "sum"
    DIFFERENCE = "difference"
    PRODUCT = "product"
    SHARE = "share"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Derived:
    """A value as the claim writes it, and what it follows from, as the texts write that."""

    value: str
    operation: Operation
    operands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StatedFigure:
    """A figure of a text, with the text it stands in and the number of that."""

    figure: Figure
    text: str
    place: int

    @property
    def written(self) -> str:
        """The figure as its text writes it, with its unit."""
        return self.figure.span.of(self.text).strip()

    @property
    def dimension(self) -> str | None:
        """That of its unit; None without one."""
        return None if self.figure.unit is None else self.figure.unit.dimension

    @property
    def size(self) -> float:
        """In the base unit of its dimension."""
        return _size(self.figure)


@dataclass(frozen=True, slots=True)
class StatedMoments:
    """The years, dates and times of texts, each as it is written and what it is."""

    years: Sequence[tuple[str, int]]
    dates: Sequence[tuple[str, Date]]
    times: Sequence[tuple[str, Time]]


@dataclass(frozen=True, slots=True)
class Result:
    """What an operation gives, in the base unit of its dimension."""

    dimension: str | None
    size: float
    operation: Operation
    operands: tuple[str, ...]


class Derivations:
    """What follows from the values of some texts; worked out once, in bounded time."""

    def __init__(
        self, texts: Sequence[str], figures: Sequence[StatedFigure], moments: StatedMoments
    ) -> None:
        self._moments = moments
        amounts = _without_rates(figures)
        distinct = {(each.size, each.dimension): each for each in reversed(amounts)}
        self._operands = list(reversed(distinct.values()))
        self._dimensions = {each.dimension for each in figures}
        is_many = len(self._operands) + len(moments.years) > MOST_IN_PAIRS
        pairs = [] if is_many else [*_of_pairs(self._operands), *_of_moments(moments)]
        self._kinds = (
            _Results([*_totals(figures[:MOST_IN_TOTALS]), *_counts(texts)]),
            _Results(pairs),
        )
        self._is_many = is_many

    def figure(self, figure: Figure, sources: Sequence[str]) -> Result | None:
        """How a figure follows, from texts or the number of sources; None if it does not."""
        dimension = None if figure.unit is None else figure.unit.dimension
        if dimension is None and figure.magnitude == len(sources) >= _LEAST_COUNT:
            return Result(None, figure.magnitude, Operation.COUNT, tuple(sources))
        # A table names the unit far from its numbers.
        as_bare = dimension is not None and dimension not in self._dimensions
        for kind in self._kinds:
            for wanted in (dimension, None) if as_bare and dimension != _PERCENT else (dimension,):
                found = kind.find(figure, wanted)
                if found is not None:
                    return found
        return None

    def year(self, year: int) -> Result | None:
        """How a year follows from another one."""
        if self._is_many:
            return None
        for written, other in self._moments.years:
            for each in self._operands:
                is_gap = (
                    each.dimension == "months" and each.size == abs(year - other) * _MONTHS_A_YEAR
                )
                if is_gap:
                    return Result(None, year, Operation.DATE, (written, each.written))
        return None

    def date(self, wanted: Date) -> Result | None:
        """How a date follows from another one and a number of days."""
        if self._is_many:
            return None
        for written, other in self._moments.dates:
            for day in _days(other):
                for each in self._operands:
                    if any(_is_day(after, wanted) for after in _later(day, each)):
                        return Result(None, 0.0, Operation.DATE, (written, each.written))
        return None

    def time(self, wanted: Time) -> Result | None:
        """How a time of day follows from another one and a number of minutes."""
        if self._is_many:
            return None
        for written, other in self._moments.times:
            for each in self._operands:
                minutes, rest = divmod(each.size, _MINUTE_S)
                if each.dimension != "time" or rest or minutes >= DAY_MINUTES:
                    continue
                found = {
                    (start + sign * int(minutes)) % DAY_MINUTES
                    for start in other.minutes
                    for sign in (1, -1)
                }
                if not found.isdisjoint(wanted.minutes):
                    return Result(None, 0.0, Operation.DATE, (written, each.written))
        return None


class _Results:
    """Results by dimension, to look figures up in."""

    def __init__(self, results: Iterable[Result]) -> None:
        self._results: dict[str | None, list[Result]] = {}
        for result in results:
            self._results.setdefault(result.dimension, []).append(result)
        self._sizes = {}
        for dimension, found in self._results.items():
            found.sort(key=lambda result: result.size)
            self._sizes[dimension] = [result.size for result in found]

    def find(self, figure: Figure, dimension: str | None) -> Result | None:
        """What gives a figure, unless too many of its neighbours follow, too."""
        scale = 1.0 if figure.unit is None or dimension is None else float(figure.unit.scale)
        size = figure.magnitude * scale
        step = scale * (10.0**figure.zeros if figure.zeros else 10.0**-figure.decimals)
        found = self._within(dimension, size, step / 2)
        exact = next((each for each in found if _is_given_by(size, each)), None)
        if exact is None:
            return None
        steps = [n for n in range(-NEIGHBOURS, NEIGHBOURS + 1) if n and size + n * step > 0]
        near = (self._within(dimension, size + n * step, step / 2) for n in steps)
        return exact if sum(map(bool, near)) <= MOST_NEIGHBOURS else None

    def _within(self, dimension: str | None, size: float, slack: float) -> list[Result]:
        sizes = self._sizes.get(dimension, [])
        begin = bisect_left(sizes, size - slack * (1 + _ROUNDING))
        end = bisect_right(sizes, size + slack * (1 - _ROUNDING))
        return self._results[dimension][begin:end] if sizes else []


def _is_given_by(size: float, result: Result) -> bool:
    """Whether a result is this size. A share is rounded, another result is exact."""
    is_rounded = result.operation is Operation.SHARE
    return is_rounded or abs(size - result.size) <= _ROUNDING * max(1.0, abs(size))


def _size(figure: Figure) -> float:
    return figure.magnitude * float(figure.unit.scale if figure.unit else 1)


def _of_pairs(operands: Sequence[StatedFigure]) -> Iterator[Result]:
    for one, other in itertools.combinations(operands, 2):
        both = (one.written, other.written)
        if one.dimension == other.dimension:
            dimension = one.dimension
            if not _are_ends(one, other):
                yield Result(dimension, one.size + other.size, Operation.SUM, both)
            yield Result(dimension, abs(one.size - other.size), Operation.DIFFERENCE, both)
            low, high = sorted((one.size, other.size))
            if low > 0 and dimension != _PERCENT:
                yield Result(_PERCENT, 100 * low / high, Operation.SHARE, both)
        for amount, factor in ((one, other), (other, one)):
            yield from _products(amount, factor)


def _without_rates(figures: Sequence[StatedFigure]) -> list[StatedFigure]:
    """Figures without the months of `940 euros a month`, which are no amount of time."""
    kept: list[StatedFigure] = []
    for before, each in zip((None, *figures), figures, strict=False):
        if before is None or before.place != each.place or not _RATE.match(each.written):
            kept.append(each)
            continue
        between = each.text[before.figure.span.end : each.figure.span.start]
        if not _COUNTED.fullmatch(between):
            kept.append(each)
    return kept


def _are_ends(one: StatedFigure, other: StatedFigure) -> bool:
    """Whether two figures are the ends of a range, which nobody adds: `3-5 kg`, or those of
    `price_min` and `price_max`."""
    first, second = sorted((one, other), key=lambda each: each.figure.span.start)
    keys = [key_words(key_before(each.figure, each.text)) for each in (first, second)]
    bounded = [frozenset(words) - _BOUNDS for words in keys]
    if bounded[0] == bounded[1] and all(map(_BOUNDS.intersection, keys)):
        return True
    between = one.text[first.figure.span.end : second.figure.span.start]
    return one.place == other.place and _TO.fullmatch(between) is not None


def _products(amount: StatedFigure, factor: StatedFigure) -> Iterator[Result]:
    """An amount so many times, that percentage of it, and what each of so many gets."""
    both = (amount.written, factor.written)
    if amount.dimension == _PERCENT:
        return
    if factor.dimension == _PERCENT:
        size = amount.size * factor.size / 100
        yield Result(amount.dimension, size, Operation.PRODUCT, both)
        return
    is_duration = factor.dimension in _DURATIONS and amount.dimension not in _DURATIONS
    if (factor.dimension is None or is_duration) and factor.figure.magnitude > 1:
        times = factor.figure.magnitude
        yield Result(amount.dimension, amount.size * times, Operation.PRODUCT, both)
        if amount.dimension != factor.dimension or amount.size > times:
            yield Result(amount.dimension, amount.size / times, Operation.SHARE, both)


def _of_moments(moments: StatedMoments) -> Iterator[Result]:
    """The time between two years, dates or times of day."""
    for (one, first), (other, second) in itertools.combinations(moments.years, 2):
        months = abs(first - second) * _MONTHS_A_YEAR
        yield Result("months", months, Operation.DIFFERENCE, (one, other))
    days = [(written, day) for written, each in moments.dates for day in _days(each)]
    for (one, day), (other, then) in itertools.combinations(days[:MOST_IN_PAIRS], 2):
        if one != other:
            size = abs((day - then).days) * _DAY_S
            yield Result("time", size, Operation.DIFFERENCE, (one, other))
    for (one, start), (other, end) in itertools.combinations(moments.times[:MOST_IN_PAIRS], 2):
        for before, behind in itertools.product(start.minutes, end.minutes):
            size = abs(behind - before) * _MINUTE_S
            yield Result("time", size, Operation.DIFFERENCE, (one, other))


def _totals(figures: Sequence[StatedFigure]) -> Iterator[Result]:
    """The sums of those figures that belong together: of a unit, of a label, of a sentence."""
    groups: dict[tuple[str | None, str, str | int], list[StatedFigure]] = {}
    for each in figures:
        dimension, place = each.dimension, each.place
        groups.setdefault((dimension, "text", place), []).append(each)
        if dimension is not None:
            groups.setdefault((dimension, "unit", ""), []).append(each)
        for side, label in _labels(each):
            groups.setdefault((dimension, side, label), []).append(each)
        sentence = each.text.count("\n", 0, each.figure.span.start)
        groups.setdefault((dimension, f"line {place}", sentence), []).append(each)
    seen: set[tuple[int, ...]] = set()
    for (dimension, _, _), group in groups.items():
        members = tuple(map(id, group))
        if len(group) >= _LEAST_COUNT and members not in seen:
            seen.add(members)
            operands = tuple(each.written for each in group)
            yield Result(dimension, sum(each.size for each in group), Operation.SUM, operands)


def _labels(stated: StatedFigure) -> Iterator[tuple[str, str]]:
    """The words beside a figure: what is counted, or what stands before a colon."""
    span, text = stated.figure.span, stated.text
    before = _LABEL_BEFORE.search(text[max(0, span.start - _LABEL_CHARACTERS) : span.start])
    behind = _LABEL_BEHIND.match(text, span.end)
    for side, found in (("before", before), ("behind", behind)):
        if found is not None:
            yield side, found[1].lower()


def _counts(texts: Sequence[str]) -> Iterator[Result]:
    """How many items the lists and the enumerations of texts have."""
    for text in texts:
        items = [match[1] for match in _LIST_ITEM.finditer(text)]
        if len(items) >= _LEAST_COUNT:
            yield Result(None, len(items), Operation.COUNT, tuple(items))
        for sentence in itertools.islice(_SENTENCES.finditer(text), MOST_COUNTED_SENTENCES):
            named = [part.strip() for part in sentence.group().rpartition(":")[2].split(",")]
            last = [part.strip() for part in _AND.split(f" {named[-1]}") if part.strip()]
            items = [*named[:-1], *last]
            if len(named) > 1 and len(items) >= _LEAST_COUNT:
                yield Result(None, len(items), Operation.COUNT, tuple(items))


def _days(stated: Date) -> Iterator[date]:
    for year, month, day in stated.readings:
        if year and month and day:
            try:
                yield date(year, month, day)
            except ValueError:
                continue


def _later(day: date, operand: StatedFigure) -> Iterator[date]:
    """The days so much later and earlier than another one."""
    whole, rest = divmod(operand.size, _DAY_S)
    for sign in (1, -1):
        try:
            if operand.dimension == "time" and not rest:
                yield day + sign * timedelta(days=whole)
            elif operand.dimension == "months" and operand.size.is_integer():
                months = day.year * _MONTHS_A_YEAR + day.month - 1 + sign * int(operand.size)
                yield date(months // _MONTHS_A_YEAR, months % _MONTHS_A_YEAR + 1, day.day)
        except (ValueError, OverflowError):
            continue


def _is_day(day: date, wanted: Date) -> bool:
    return any(
        month == day.month and number == day.day and year in (None, day.year)
        for year, month, number in wanted.readings
    )


def derived(value: str, found: Result) -> Derived:
    """A result for people: at most MOST_OPERANDS operands, each clipped."""
    operands = tuple(each[:MOST_OPERAND_CHARACTERS].strip() for each in found.operands)
    return Derived(value, found.operation, operands[:MOST_OPERANDS])
