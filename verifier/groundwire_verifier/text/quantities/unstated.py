"""Which numbers, amounts, dates and times of a claim stand nowhere in given texts.

50,000 stands there also as 50k, as fifty thousand, or as 49,812, which it rounds; 5 km as 5,000
metres. `The 1990s` stand there as 1994, too. What can be read in several ways stands there if it
does so in one of them. A word for a small number is not looked up: `two of them` is often counted,
not read. Does not judge a claim: a sum may be right that stands nowhere.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.quantities.agreement import Agreement, GivenFigures
from groundwire_verifier.text.quantities.code_tokens import (
    code_tokens,
    missing_from,
    ticked_tokens,
)
from groundwire_verifier.text.quantities.columns import ColumnUnits
from groundwire_verifier.text.quantities.dates import Date, find_dates, find_months
from groundwire_verifier.text.quantities.decades import Decade, find_decades
from groundwire_verifier.text.quantities.derived import (
    Derivations,
    Derived,
    Result,
    StatedFigure,
    StatedMoments,
    derived,
)
from groundwire_verifier.text.quantities.figures import (
    Figure,
    find_figures,
    folded,
    is_within,
    is_year,
)
from groundwire_verifier.text.quantities.keys import in_unit_of_key
from groundwire_verifier.text.quantities.times import DAY_HOURS, HOUR_MINUTES, Time, find_times

LEAST_WORD = 13
"""The least number that is looked up where it is written as a word, without a unit."""
LEAST_TOLD = 2
"""The same in what tells the reader to do something: `Take two tablets.`"""
MOST_DERIVED = 8
"""Most values of one claim of which is looked for what they follow from."""

_SOURCE = re.compile(r"(?<!\w)(?:sources?|documents?|docs?|[בהמל]?מקור|[בהמל]?מסמך) #?\Z")
"""The number behind it is that of a source: `according to source 1`."""
_SOURCE_CHARACTERS = len("documents #")
_VERSION = re.compile(r"(?<![\w.])v?(?P<numbers>\d+(?:\.\d+){2,})(?!\w)")
"""A version or an address: it stands there only as it is."""
_VERSION_WORD = "(?<!\\w)(?:versions?|release|[בלמ]?(?:ה?גרסה|גרסת)) v?"
_NAMED_VERSION = re.compile(rf"{_VERSION_WORD}(?P<numbers>\d+\.\d+)(?!\w|\.\d)")
"""One of two numbers: `version 3.10` is not 3.1."""
_ORDINALS = "first|second|third|fourth", "ראשון|שני|שלישי|רביעי"
_QUARTER = re.compile(
    rf"(?<!\w)(?:q(?P<q>[1-4])|(?P<en>{_ORDINALS[0]}) quarter"
    r"|(?P<n>[1-4])(?:\.|st|nd|rd|th|er|e|º|°)? "
    rf"(?:quarter|quartal|trimestre)|[בלמ]?ה?רבעון ה?(?P<he>{_ORDINALS[1]}))(?!\w)"
)
"""A quarter of a year: `Q4`, `the fourth quarter`."""

_NAME_BEFORE = re.compile(r"(?<!\w)(?P<name>[A-Za-z][A-Za-z\d]{0,19}) \Z")
_NAME_CHARACTERS = 21


@dataclass(frozen=True, slots=True)
class Values:
    """What a text states, with where it stands: a number is a figure or, like 1994, a year."""

    figures: tuple[Figure, ...]
    years: tuple[tuple[Span, int], ...]
    decades: tuple[Decade, ...]
    dates: tuple[tuple[Span, Date], ...]
    times: tuple[Time, ...]
    versions: tuple[tuple[Span, str], ...]

    @property
    def is_empty(self) -> bool:
        """Whether it states none."""
        numbers = self.figures or self.years or self.versions
        return not (numbers or self.decades or self.dates or self.times)


def values_in(text: str, least_word: int = 0) -> Values:
    """What a text states; a number in words without a unit counts from `least_word` on."""
    plain = folded(text)
    dates = tuple(find_dates(plain))
    figures, years = [], []
    for figure in find_figures(text, least_word):
        start = figure.span.start
        if _SOURCE.search(plain, max(0, start - _SOURCE_CHARACTERS), start):
            continue
        if is_year(figure.span.of(plain)):
            years.append((figure.span, int(figure.magnitude)))
        else:
            figures.append(figure)
    in_numbers = (
        [span for span, _ in dates],
        sorted((each.span for each in figures), key=lambda span: span.start),
    )
    versions = tuple(
        (Span(*match.span()), match["numbers"])
        for match in _VERSION.finditer(plain)
        if not any(is_within(Span(*match.span()), spans) for spans in in_numbers)
    )
    # `release 2.5 litres` is an amount.
    bare = {each.span for each in figures if each.unit is None}
    named = ((Span(*m.span("numbers")), m["numbers"]) for m in _NAMED_VERSION.finditer(plain))
    versions += tuple((span, numbers) for span, numbers in named if span in bare)
    versions += tuple((Span(*match.span()), _quarter(match)) for match in _QUARTER.finditer(plain))
    return Values(
        tuple(figures), tuple(years), tuple(find_decades(plain)), dates, find_times(plain), versions
    )


def _quarter(match: re.Match[str]) -> str:
    """`q4`, however it is written."""
    words = zip((match["en"], match["he"]), _ORDINALS, strict=True)
    place = next((names.split("|").index(word) + 1 for word, names in words if word), 0)
    return f"q{match['q'] or match['n'] or place}"


@dataclass(frozen=True, slots=True)
class Unstated:
    """What no text states of a claim; `derived` are values that follow from stated ones.

    `code` are flags, parameters, paths and versions of an instruction or code, or between the
    back-ticks of any claim.
    """

    values: tuple[str, ...] = ()
    derived: tuple[Derived, ...] = ()
    code: tuple[str, ...] = ()


class StatedValues:
    """The values of some texts, which are looked through once, and for claims with values only.

    `sources` are the ids of the sources that the texts are of. `look` looks through a text.
    """

    def __init__(
        self,
        texts: Sequence[str],
        sources: Sequence[str] = (),
        look: Callable[[str], Values] = values_in,
    ) -> None:
        self._texts = texts
        self._sources = sources
        self._look = look
        self._index: _Index | None = None

    def unstated_in(self, claim: str, *, is_told: bool = False) -> Unstated:
        """The values of a claim that no text states, as the claim writes them, in its order.

        What follows from the texts stands apart, MOST_DERIVED at most.

        Of what tells the reader to do something (`is_told`), an instruction or code, small numbers
        in words are amounts, too, and what only code has is looked up outside of back-ticks, too.
        """
        tokens = code_tokens(claim) if is_told else ticked_tokens(claim)
        code = missing_from(self._texts, tokens)
        least_word = LEAST_TOLD if is_told else LEAST_WORD
        values: dict[str, None] = {}
        found: dict[str, Derived] = {}
        for span, value in self._missing(claim, least_word):
            written = span.of(claim).strip()
            if any(written in token for token in code) or self._has_name(claim, span):
                continue
            result = None
            if self._index is not None and len(found) < MOST_DERIVED and written not in values:
                result = self._index.derivation(value, self._sources)
            if result is None:
                values[written] = None
            else:
                found[written] = derived(written, result)
        return Unstated(tuple(values), tuple(found.values()), code)

    def _has_name(self, claim: str, number: Span) -> bool:
        """Whether a number is that of a name which a text joins: `RTX 4090` as `rtx-4090`."""
        before = _NAME_BEFORE.search(claim, max(0, number.start - _NAME_CHARACTERS), number.start)
        written = number.of(claim)
        if before is None or not written.isdecimal() or before["name"].islower():
            return False
        name = rf"(?<!\w){before['name']}-?{written}(?![\w.]*\d)"
        joined = re.compile(name, re.IGNORECASE)
        return any(joined.search(text) for text in self._texts)

    def _missing(self, claim: str, least_word: int) -> "list[_Missing]":
        values = values_in(claim, least_word=least_word)
        if values.is_empty:
            return []
        self._index = self._index or _Index(self._texts, self._look)
        return self._index.missing(values)


_Missing = tuple[Span, Figure | Date | Time | int | None]
"""Where a value stands that is missing, and what it is; None for what follows from nothing."""


class _Index:
    """The values of texts, to look those of a claim up in."""

    def __init__(self, texts: Sequence[str], look: Callable[[str], Values]) -> None:
        self._texts = texts
        self._found = found = [_with_units_of_keys(look(text), text) for text in texts]
        self._derivations: Derivations | None = None
        figures = [figure for each in found for figure in each.figures]
        readings = [r for each in found for _, date in each.dates for r in date.readings]
        self._figures = GivenFigures(figures)
        self._bare = GivenFigures(
            replace(reading, others=())
            for figure in figures
            for reading in figure.readings
            if reading.unit is None
        )
        self._like_years = {year for each in found for _, year in each.years}
        self._years = self._like_years | {year for year, _, _ in readings if year is not None}
        decades = [decade for each in found for decade in each.decades]
        self._years |= {decade.first for decade in decades if decade.may_be_year}
        self._decades = {decade.first for decade in decades}
        self._days = {(month, day) for _, month, day in readings}
        self._months = {month for _, month, _ in readings}
        self._months |= {month for text in texts for month in find_months(folded(text))}
        self._times = {minutes for each in found for time in each.times for minutes in time.minutes}
        self._versions = {version for each in found for _, version in each.versions}
        self._names_quarter = any(version[0] == "q" for version in self._versions)

    def missing(self, values: Values) -> list[_Missing]:
        """Those values that are not among these, in the order of their text."""
        missing: list[_Missing] = []
        named = sorted(span for span, _ in values.versions)
        figures = [each for each in values.figures if not is_within(each.span, named)]
        missing += [(each.span, each) for each in figures if not self._has_figure(each)]
        missing += [(span, year) for span, year in values.years if not self._has_year(year)]
        missing += [(each.span, None) for each in values.decades if not self._has_decade(each)]
        missing += [(span, date) for span, date in values.dates if not self._has_date(date)]
        missing += [(each.span, each) for each in values.times if not self._has_time(each)]
        missing += [(span, None) for span, each in values.versions if not self._has_version(each)]
        return sorted(missing, key=lambda found: found[0].start)

    def derivation(
        self, value: Figure | Date | Time | int | None, sources: Sequence[str]
    ) -> Result | None:
        """How a value that is missing follows from these; None if it does not."""
        self._derivations = self._derivations or self._all_derivations()
        if isinstance(value, Figure):
            return self._derivations.figure(value, sources)
        if isinstance(value, Date):
            return self._derivations.date(value)
        if isinstance(value, Time):
            return self._derivations.time(value)
        return None if value is None else self._derivations.year(value)

    def _all_derivations(self) -> Derivations:
        pairs = list(zip(self._texts, self._found, strict=True))
        figures = [
            StatedFigure(figure, text, place)
            for place, (text, found) in enumerate(pairs)
            for figure in sorted(found.figures, key=lambda each: each.span.start)
        ]
        moments = StatedMoments(
            years=[(span.of(text), year) for text, found in pairs for span, year in found.years],
            dates=[(span.of(text), date) for text, found in pairs for span, date in found.dates],
            times=[(each.span.of(text), each) for text, found in pairs for each in found.times],
        )
        return Derivations(self._texts, figures, moments)

    def _has_figure(self, figure: Figure) -> bool:
        if self._figures.agreement(figure) is Agreement.EQUAL:
            return True
        if any(reading.magnitude in self._like_years for reading in figure.readings):
            # `1,250` beside `1250`.
            return True
        if _minutes_of(figure) in self._times:
            return True
        # A table names the unit far from its numbers.
        bare = (replace(reading, unit=None, others=()) for reading in figure.readings)
        return any(self._bare.agreement(each) is Agreement.EQUAL for each in bare)

    def _has_time(self, time: Time) -> bool:
        return not self._times.isdisjoint(time.minutes) or any(
            self._bare.agreement(_with_point(minutes)) is Agreement.EQUAL
            for minutes in time.minutes
        )

    def _has_decade(self, decade: Decade) -> bool:
        # `the 90s` can be an age, or a temperature.
        return not decade.has_century or decade.is_stated(self._years, self._decades)

    def _has_version(self, version: str) -> bool:
        if version[0] == "q":
            # Three months may be named by their names.
            return version in self._versions or not self._names_quarter
        written = rf"(?<![\d.]){re.escape(version)}"
        if version.endswith(".0"):
            # `Version 2.0` is version 2.
            written += f"|{_VERSION_WORD}{version.removesuffix('.0')}"
        whole = re.compile(rf"(?:{written})(?!\d|\.\d)", re.IGNORECASE)
        return version in self._versions or any(
            not is_within(Span(*match.span()), amounts)
            for text, amounts in zip(self._texts, self._amounts, strict=True)
            for match in whole.finditer(text)
        )

    @cached_property
    def _amounts(self) -> list[list[Span]]:
        """Where each text has a figure with a unit: `$3.10` is no version 3.10."""
        return [[each.span for each in found.figures if each.unit] for found in self._found]

    def _has_year(self, year: int) -> bool:
        if year in self._years:
            return True
        exactly = Figure(float(year), 0, 0, None, Span(0, 0))
        return self._figures.agreement(exactly) is Agreement.EQUAL

    def _has_date(self, date: Date) -> bool:
        return any(
            (year is None or self._has_year(year))
            and (month is None or month in self._months)
            and (day is None or (month, day) in self._days)
            for year, month, day in date.readings
        )


def _with_units_of_keys(values: Values, text: str) -> Values:
    """The values of a text; a number that is a year elsewhere is an amount behind such a key, or
    in such a column."""
    columns = ColumnUnits(text)
    years, figures = [], [in_unit_of_key(columns.of(each), text) for each in values.figures]
    for span, year in values.years:
        bare = Figure(float(year), 0, 0, None, span)
        known = in_unit_of_key(columns.of(bare), text)
        if known is bare or known.unit is None:
            years.append((span, year))
        if known is not bare:
            figures.append(known)
    return replace(values, figures=tuple(figures), years=tuple(years))


def _minutes_of(figure: Figure) -> int | None:
    """The minutes of the day where a figure can be a time with a point: `9.30`."""
    hour, minute = divmod(round(figure.magnitude * 100), 100)
    is_time = figure.unit is None and figure.decimals == len("30") and 0 <= hour < DAY_HOURS
    return hour * HOUR_MINUTES + minute if is_time and minute < HOUR_MINUTES else None


def _with_point(minutes: int) -> Figure:
    """A time as a figure with a point: `9.30`."""
    hour, minute = divmod(minutes, HOUR_MINUTES)
    return Figure(hour + minute / 100, len("30"), 0, None, Span(0, 0))
