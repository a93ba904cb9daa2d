"""Units that the keys of fields name: `duration_min`, `weight_g`, `priceUsd`, `temp_c`.

A short name at the end of a key may be something else: `temp_min` is a minimum, `vitamin_c` no
temperature. It is a unit for certain only behind a word for what it measures.
"""

import re
from dataclasses import dataclass, replace

from groundwire_verifier.text.claims.wording.sentence import word_set
from groundwire_verifier.text.quantities.figures import Figure
from groundwire_verifier.text.quantities.units import UNITS, Unit

KEY_UNITS = {
    **dict.fromkeys(("temp", "temperature", "temperatures", "feels"), UNITS["°"]),
    **dict.fromkeys(("humidity", "pct"), UNITS["%"]),
    "c": UNITS["°c"],
    "f": UNITS["°f"],
    "w": UNITS["watt"],
    "v": UNITS["volt"],
}
"""What only keys call so."""

_MEASURED = {
    "time": "duration time runtime length delay wait timeout ttl interval latency elapsed period "
    "uptime expiry lifetime ride drive walk travel cook prep sleep",
    "mass": "weight mass net gross load",
    "length": "length height width depth distance altitude elevation radius diameter size",
    "volume": "volume capacity",
    "celsius": "temp temperature feels like high low max min avg mean dew air water",
    "power": "power draw consumption",
    "voltage": "voltage supply",
}
_MEASURED_BY = {dimension: word_set(words) for dimension, words in _MEASURED.items()}
_MEASURED_BY["fahrenheit"] = _MEASURED_BY["celsius"]

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_KEY_WORD = re.compile(r"(?<![^\W_])[cdkm]?m[23](?![^\W_])|[^\W\d_]+")
_KEY_BEFORE = re.compile(
    r"(?<![\w.$-])(?P<quote>[\"'`]?)(?P<key>[A-Za-z][\w-]{1,60})(?P=quote)"
    r"[ \t]{0,4}[:=][ \t]{0,4}[\"']?\Z"
)
_KEY_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class KeyUnit:
    """The unit that a key names, and whether it can be nothing else."""

    unit: Unit
    is_certain: bool = True


def spaced(key: str) -> str:
    """`priceUsd` and `price_usd` as words."""
    return _CAMEL.sub("_", key).replace("_", " ")


def key_words(key: str) -> list[str]:
    """The words of a key, in lower case, without its numbers."""
    return _KEY_WORD.findall(spaced(key).lower())


def unit_of_key(key: str) -> KeyUnit | None:
    """The unit of the last word of a key that names one for certain, or else of its end."""
    words = key_words(key)
    found = None
    for at, word in reversed(list(enumerate(words))):
        unit = KEY_UNITS.get(word) or UNITS.get(word)
        if unit is None:
            continue
        is_last = at == len(words) - 1
        # A price per day is no number of days; nor is a day rate.
        if words[at - 1 : at] == ["per"] or (unit.dimension == "time" and not is_last):
            continue
        if len(word) > 1 and word != "min":
            return KeyUnit(unit)
        if is_last and at > 0:
            measured = _MEASURED_BY.get(unit.dimension, frozenset())
            found = KeyUnit(unit, is_certain=not measured.isdisjoint(words[:at]))
            if found.is_certain:
                return found
    return found


def key_before(figure: Figure, text: str) -> str:
    """The key right before a figure; empty if there is none."""
    start = figure.span.start
    found = _KEY_BEFORE.search(text, max(0, start - _KEY_CHARACTERS), start)
    return found["key"] if found else ""


def in_unit_of_key(figure: Figure, text: str) -> Figure:
    """A figure without a unit right behind a key in that of the key, if it names one.

    Where that is not certain, both are meant.
    """
    key = "" if figure.unit else key_before(figure, text)
    named = unit_of_key(key) if key else None
    if named is None:
        return figure
    if named.is_certain:
        others = tuple(replace(each, unit=each.unit or named.unit) for each in figure.others)
        return replace(figure, unit=named.unit, others=others)
    return replace(figure, others=(*figure.others, replace(figure, unit=named.unit, others=())))
