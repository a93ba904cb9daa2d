"""Whether a figure that a text states is one of those that were given: units, rounding and
exactness included.

15.5 agrees with 15.47, which it rounds; 15.47 does not with 15.5, which does not bear its digits.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from enum import Enum

from groundwire_verifier.text.quantities.figures import Figure
from groundwire_verifier.text.quantities.units import DOLLARS, UNITS, Unit

ROUND_SHARE = 0.05
"""How far a figure with zeros at its end may be from what it rounds: 900 from 921."""

_CELSIUS, _FAHRENHEIT, _DEGREES = UNITS["°c"], UNITS["°f"], UNITS["°"]
_TEMPERATURES = frozenset({_CELSIUS, _FAHRENHEIT, _DEGREES})
_CENT = UNITS["cent"]
_HAVE_CENTS = frozenset({"dollar", "euro", *DOLLARS})
_ROUNDING = 1e-9
"""The share by which a float may be off."""

Range = tuple[float, float]


class Agreement(Enum):
    """What given figures say of a stated one; the best is first."""

    EQUAL = "equal"
    TOO_PRECISE = "too precise"
    DIFFERS = "differs"


class GivenFigures:
    """Figures to look others up in, by value: the time of a look-up hardly grows with their number.

    A figure without a unit can be anything, but where one of a stated figure's own kind was given,
    those alone count. One that can be read in several ways is given, or agrees, in each of them.
    """

    def __init__(self, figures: Iterable[Figure]) -> None:
        self._values: dict[tuple[Unit | None, int], list[float]] = {}
        for figure in (reading for each in figures for reading in each.readings):
            self._values.setdefault((figure.unit, figure.decimals), []).append(figure.magnitude)
        for values in self._values.values():
            values.sort()

    def agreement(self, stated: Figure) -> Agreement | None:
        """EQUAL if one agrees, TOO_PRECISE if one would with fewer digits, DIFFERS if there are
        others with a unit of its kind; None if none of them can be compared with it."""
        found = [self._agreement(reading) for reading in stated.readings]
        return next((each for each in Agreement if each in found), None)

    def _agreement(self, stated: Figure) -> Agreement | None:
        alike = [key for key in self._values if are_alike(stated.unit, key[0])]
        others = [key for key in self._values if stated.unit is None or key[0] is None]
        keys = alike or others
        ranges = [_rounded_by(stated), *_round_of(stated)]
        if any(self._holds(key, each, stated.unit) for key in keys for each in ranges):
            return Agreement.EQUAL
        for unit, decimals in keys:
            if decimals < stated.decimals:
                half = 0.5 * 10**-decimals
                value = _in_unit(stated.magnitude, stated.unit, unit)
                if self._holds_own((unit, decimals), (value - half, value + half)):
                    return Agreement.TOO_PRECISE
        return Agreement.DIFFERS if alike else None

    def has_rate(self, stated: Figure, amount: float) -> bool:
        """Whether a given figure turns an amount into the stated one, as a rate does."""
        for low, high in (_rounded_by(stated), *_round_of(stated)):
            for key in self._values:
                if amount > 0.0 and self._holds_own(key, (low / amount, high / amount)):
                    return True
                if low > 0.0 and self._holds_own(key, (amount / high, amount / low)):
                    return True
        return False

    def _holds(self, key: tuple[Unit | None, int], within: Range, unit: Unit | None) -> bool:
        low, high = (_in_unit(value, unit, key[0]) for value in within)
        return self._holds_own(key, (low, high))

    def _holds_own(self, key: tuple[Unit | None, int], within: Range) -> bool:
        """Whether a value of this unit, as it is, lies in a range."""
        slack = _ROUNDING * max(map(abs, within))
        values = self._values[key]
        at = bisect_left(values, within[0] - slack)
        return at < len(values) and values[at] <= within[1] + slack


def _rounded_by(stated: Figure) -> Range:
    """What rounds to a stated figure."""
    half = 0.5 * 10**-stated.decimals
    return stated.magnitude - half, stated.magnitude + half


def _round_of(stated: Figure) -> Iterator[Range]:
    """What a figure with zeros at its end can stand for."""
    if stated.zeros and stated.magnitude > 0.0:
        half = 0.5 * 10**stated.zeros
        low = max(stated.magnitude - half, stated.magnitude / (1 + ROUND_SHARE))
        yield low, min(stated.magnitude + half, stated.magnitude / (1 - ROUND_SHARE))


def are_alike(first: Unit | None, second: Unit | None) -> bool:
    """Whether both are units of one kind: only then one figure can take the place of another."""
    if first is None or second is None:
        return False
    units = {first, second}
    if _CENT in units and {unit.dimension for unit in units} <= _HAVE_CENTS:
        return True
    return first.dimension == second.dimension or units <= _TEMPERATURES


def _in_unit(value: float, unit: Unit | None, wanted: Unit | None) -> float:
    """A value in another unit of its kind; as it is where one has no unit."""
    if unit is None or wanted is None or unit == wanted or _DEGREES in (unit, wanted):
        return value
    if unit == _CELSIUS:
        return value * 1.8 + 32
    if unit == _FAHRENHEIT:
        return (value - 32) / 1.8
    return value * float(unit.scale / wanted.scale)
