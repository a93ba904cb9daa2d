"""The figures that tools gave, out of text or JSON, with their units and what they are of.

A key tells a unit; keys, the texts beside a figure and the arguments of a call tell of what it is.
"""

import itertools
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from groundwire_verifier.checks.assessment.exchange import ToolCall
from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.titles import stem, stems
from groundwire_verifier.text.quantities.figures import Figure, figure_of, find_figures, folded
from groundwire_verifier.text.quantities.keys import (
    KEY_UNITS,
    key_words,
    spaced,
    unit_of_key,
)
from groundwire_verifier.text.quantities.times import find_times
from groundwire_verifier.text.quantities.units import UNITS, Unit

MAX_FIGURES = 1000
"""Most figures of all results that are compared; those behind them are not known."""

_DEGREES = UNITS["°"]
_COUNTS = frozenset({"count", "number", "num", "id", "index", "rank", "quantity", "qty", "year"})
_AMOUNTS = frozenset({"costs", "fees", "earnings", "sales", "savings", "taxes", "gross", "plus"})
_MOST_WORDS = 48
"""Words that are known of a field, of its surroundings, and of its call."""
_MOST_CLAUSE_CHARACTERS, _MOST_LINE_CHARACTERS = 120, 400
_CLAUSE_END = re.compile(
    r"[,;:()|](?=\s|$)|[.!?](?=\s)|\s(?:and|while|but|whereas|or|versus|vs)(?=\s)|\s(?=ו[א-ת])|\n"
)
_KEYED_TIME = re.compile(
    r'"(?P<key>[^"\\]{1,60})"\s{0,4}:\s{0,4}"(?P<time>\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?)"'
)
_PERCENT = frozenset(map(stem, ("pct", "percent", "percentage")))
"""Keys of so many percent; another one of a share may hold a part of one: `"humidity": 0.64`."""

_NOTHING = Figure(0.0, 0, 0, None, Span(0, 0))


class _Number(str):
    """A number of JSON as it is written: how exactly it is known shows there only."""


@dataclass(frozen=True, slots=True)
class Field:
    """A figure that a tool gave, with the words that tell what it is of.

    `name` are the words of its key, or of its clause in a text; `own` those beside it: the texts of
    its object, the keys around it, its line; `outer` those further out, and of the call. Stems all.
    """

    figure: Figure
    name: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    outer: frozenset[str] = frozenset()
    is_count: bool = False


def given_fields(calls: Sequence[ToolCall]) -> tuple[Field, ...]:
    """The figures in the results of the calls that did not fail, MAX_FIGURES at most."""
    found = (
        field
        for call in calls
        if not call.error
        for field in _fields(call.result, _words_of([_read(call.arguments)]))
    )
    return tuple(itertools.islice(found, MAX_FIGURES))


@dataclass(frozen=True, slots=True)
class TimeField:
    """A time of day that a tool gave, by the minutes of the day that it can be, and the stems of
    its key."""

    minutes: frozenset[int]
    name: frozenset[str]


def given_times(calls: Sequence[ToolCall]) -> tuple[TimeField, ...]:
    """The times of day that stand alone under a key of a result: `{"departs": "17:20"}`.

    A moment with its day and zone is none: a response may give it in another zone.
    """
    found = (
        TimeField(time.minutes, _few(stems(spaced(key))))
        for call in calls
        if not call.error
        for match in _KEYED_TIME.finditer(call.result)
        for key in (match["key"],)
        for time in find_times(folded(match["time"]))
    )
    return tuple(itertools.islice(found, MAX_FIGURES))


def asked_figures(question: str, calls: Sequence[ToolCall]) -> tuple[Figure, ...]:
    """The figures that were in the question, or in the arguments of a call."""
    arguments = (each.figure for call in calls for each in _fields(call.arguments, frozenset()))
    found = itertools.chain(find_figures(question), arguments)
    return tuple(itertools.islice(found, MAX_FIGURES))


def is_json(text: str) -> bool:
    """Whether a text is one JSON value that can be read."""
    return not isinstance(_read(text), _NotJson)


class _NotJson:
    """Stands for a text that is not JSON."""


def _fields(text: str, outer: frozenset[str]) -> Iterator[Field]:
    value = _read(text) if text[:1] in '{["' or text[:1].isspace() else _NotJson()
    if isinstance(value, _NotJson):
        yield from _of_text(text, outer)
    else:
        yield from _walked(value, outer)


def _of_text(text: str, outer: frozenset[str]) -> Iterator[Field]:
    """The figures of a text with the words of their clauses and lines."""
    lines = text.splitlines(keepends=True) or [text]
    starts = [0, *itertools.accumulate(map(len, lines))]
    words: dict[int, frozenset[str]] = {}
    for figure in find_figures(text):
        at = bisect_right(starts, figure.span.start) - 1
        if at not in words:
            words[at] = _few(stems(lines[at][:_MOST_LINE_CHARACTERS]))
        name = _few(stems(clause(text, figure.span, Span(starts[at], starts[at + 1]))))
        yield Field(figure, name, words[at], outer)


def clause(text: str, span: Span, within: Span) -> str:
    """What stands in one clause with a figure, inside of a part of the text."""
    before = text[max(within.start, span.start - _MOST_CLAUSE_CHARACTERS) : span.start]
    behind = text[span.end : min(within.end, span.end + _MOST_CLAUSE_CHARACTERS)]
    ends = [match.end() for match in _CLAUSE_END.finditer(before)]
    end = _CLAUSE_END.search(behind)
    return f"{before[ends[-1] if ends else 0 :]} {behind[: end.start()] if end else behind}"


def _few(words: Iterable[str]) -> frozenset[str]:
    return frozenset(itertools.islice(words, _MOST_WORDS))


def _read(text: str) -> object:
    try:
        return json.loads(text, parse_float=_Number, parse_int=_Number, parse_constant=str)
    except (ValueError, RecursionError):
        return _NotJson()


def _walked(value: object, outer: frozenset[str]) -> Iterator[Field]:
    """The figures of a JSON value, in its order. The nearest key that names a unit counts."""
    stack: list[tuple[object, Unit | None, Field]] = [(value, None, Field(_NOTHING, outer=outer))]
    keys: dict[str, tuple[Unit | None, frozenset[str], bool]] = {}
    while stack:
        found, unit, place = stack.pop()
        if _is_object(found):
            beside = _unit_beside(found)
            texts = _words_of(found.values())
            around = _few(place.name | place.own) if place.own or place.name else frozenset()
            inner = []
            for key, each in found.items():
                if key not in keys:
                    keys[key] = _certain_unit(key), _few(stems(spaced(key))), _is_count(key)
                own_unit, name, is_count = keys[key]
                at = Field(_NOTHING, name, texts, _few(around | place.outer), is_count)
                stack_unit = _with_scale(own_unit, beside) or beside or unit
                inner.append((each, stack_unit, at))
            stack += reversed(inner)
        elif isinstance(found, list):
            texts = _words_of(found)
            at = replace(place, own=_few(place.own | texts)) if texts else place
            stack += reversed([(each, unit, at) for each in found])
        elif isinstance(found, _Number):
            # One with an exponent is no figure that anybody would repeat.
            is_part = found.startswith("0.") and _PERCENT.isdisjoint(place.name)
            number = figure_of(found, None if is_part and unit == UNITS["%"] else unit)
            if number is not None:
                yield replace(place, figure=_with_share(number))
        elif isinstance(found, str):
            for figure in find_figures(found):
                known = figure if figure.unit else replace(figure, unit=unit)
                yield replace(place, figure=_with_share(known))


def _with_share(figure: Figure) -> Figure:
    """A bare figure such as 0.081, which can be a share, too: 8.1 %."""
    if figure.unit is not None or not figure.decimals or abs(figure.magnitude) > 1:
        return figure
    decimals = max(0, figure.decimals - len("00"))
    percent = replace(figure, magnitude=100 * figure.magnitude, decimals=decimals, unit=UNITS["%"])
    return replace(figure, others=(*figure.others, percent))


def _words_of(values: Iterable[object]) -> frozenset[str]:
    """The stems of short texts, also of those in an object, such as the arguments of a call."""
    words: set[str] = set()
    for value in values:
        if _is_object(value):
            words |= _words_of(each for each in value.values() if isinstance(each, str))
        elif isinstance(value, str) and len(value) <= _MOST_CLAUSE_CHARACTERS:
            words |= set() if isinstance(value, _Number) else stems(value)
        if len(words) >= _MOST_WORDS:
            break
    return _few(words)


def _is_count(key: str) -> bool:
    """Whether a key says how many of something there are: `observations`, `count`."""
    words = key_words(key)
    last = words[-1] if words else ""
    is_plural = last.endswith("s") and not last.endswith("ss") and len(last) > len("abs")
    return last in _COUNTS or (is_plural and last not in UNITS and last not in _AMOUNTS)


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _certain_unit(key: str) -> Unit | None:
    named = unit_of_key(key)
    return named.unit if named is not None and named.is_certain else None


def _unit_beside(found: Mapping[str, object]) -> Unit | None:
    """The unit that stands under a key of its own: `{"unit": "C"}`, `{"currency": "EUR"}`."""
    for key, value in found.items():
        name = folded(value).strip(" .") if isinstance(value, str) else ""
        if any(word in key.lower() for word in ("unit", "currency")) and len(name) <= len(
            "centimetres "
        ):
            unit = UNITS.get(name) or KEY_UNITS.get(name)
            if unit is not None:
                return unit
    return None


def _with_scale(unit: Unit | None, beside: Unit | None) -> Unit | None:
    """`temperature` beside a unit of temperatures has that; another key keeps its own unit."""
    return beside if unit == _DEGREES and beside is not None else unit
