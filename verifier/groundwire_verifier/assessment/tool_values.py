"""The figures that tools gave: out of text, or out of JSON with what its keys say of their units.

Knows JSON and figures. Does not know what they are compared with.
"""

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeGuard

from groundwire_verifier.assessment.exchange import ToolCall
from groundwire_verifier.quantities.figures import Figure, figure_of, find_figures, folded
from groundwire_verifier.quantities.units import UNITS, Unit

MAX_FIGURES = 1000
"""Most figures of all results that are compared; those behind them are not known."""

_KEY_UNITS = {
    **dict.fromkeys(("temp", "temperature", "temperatures", "feels"), UNITS["°"]),
    **dict.fromkeys(("humidity", "pct"), UNITS["%"]),
    "c": UNITS["°c"],
    "f": UNITS["°f"],
}
_DEGREES = UNITS["°"]
_MOST_UNIT_CHARACTERS = 16
_KEY_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class _Number(str):
    """A number of JSON as it is written: how exactly it is known shows there only."""


def given_figures(calls: Sequence[ToolCall]) -> tuple[Figure, ...]:
    """The figures in the results of the calls that did not fail, MAX_FIGURES at most."""
    found = (figure for call in calls if not call.error for figure in _figures(call.result))
    return tuple(itertools.islice(found, MAX_FIGURES))


def asked_figures(question: str, calls: Sequence[ToolCall]) -> tuple[Figure, ...]:
    """The figures that were in the question, or in the arguments of a call."""
    found = itertools.chain(
        find_figures(question), (figure for call in calls for figure in _figures(call.arguments))
    )
    return tuple(itertools.islice(found, MAX_FIGURES))


def is_json(text: str) -> bool:
    """Whether a text is one JSON value that can be read."""
    return not isinstance(_read(text), _NotJson)


class _NotJson:
    """Stands for a text that is no JSON."""


def _figures(text: str) -> Iterator[Figure]:
    value = _read(text) if text[:1] in '{["' or text[:1].isspace() else _NotJson()
    if isinstance(value, _NotJson):
        yield from find_figures(text)
    else:
        yield from _walked(value)


def _read(text: str) -> object:
    try:
        return json.loads(text, parse_float=_Number, parse_int=_Number, parse_constant=str)
    except (ValueError, RecursionError):
        return _NotJson()


def _walked(value: object) -> Iterator[Figure]:
    """The figures of a JSON value, in its order. The nearest key that names a unit counts."""
    stack: list[tuple[object, Unit | None]] = [(value, None)]
    units: dict[str, Unit | None] = {}
    while stack:
        found, unit = stack.pop()
        if _is_object(found):
            beside = _unit_beside(found)
            for key in found.keys() - units.keys():
                units[key] = _unit_of(key)
            inner = [
                (each, _with_scale(units[key], beside) or beside or unit)
                for key, each in found.items()
            ]
            stack += reversed(inner)
        elif isinstance(found, list):
            stack += reversed([(each, unit) for each in found])
        elif isinstance(found, _Number):
            # One with an exponent is no figure that anybody would repeat.
            number = figure_of(found, unit)
            if number is not None:
                yield number
        elif isinstance(found, str):
            for figure in find_figures(found):
                yield figure if figure.unit else replace(figure, unit=unit)


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _unit_of(key: str) -> Unit | None:
    """The unit that a key names, such as `temp_c`, `priceUsd` or `humidity`; the last word of it
    that does."""
    words = [word.lower() for word in _KEY_WORD.findall(_CAMEL.sub("_", key))]
    for word in reversed(words):
        if len(word) > 1 and word in UNITS:
            return UNITS[word]
        if word in _KEY_UNITS and (len(word) > 1 or len(words) > 1):
            return _KEY_UNITS[word]
    return None


def _unit_beside(found: Mapping[str, object]) -> Unit | None:
    """The unit that stands under a key of its own: `{"unit": "C"}`, `{"currency": "EUR"}`."""
    for key, value in found.items():
        name = folded(value).strip(" .") if isinstance(value, str) else ""
        if any(word in key.lower() for word in ("unit", "currency")) and len(name) <= len(
            "centimetres "
        ):
            unit = UNITS.get(name) or _KEY_UNITS.get(name)
            if unit is not None:
                return unit
    return None


def _with_scale(unit: Unit | None, beside: Unit | None) -> Unit | None:
    """`temperature` beside a unit of temperatures has that; another key keeps its own unit."""
    return beside if unit == _DEGREES and beside is not None else unit
