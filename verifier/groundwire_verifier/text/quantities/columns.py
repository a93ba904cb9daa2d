"""Units that the header of a table's column names: `Weight (kg)` above `12`."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from groundwire_verifier.text.quantities.figures import Figure, folded
from groundwire_verifier.text.quantities.units import UNITS, Unit

_LINE = re.compile(r"[^\n]+")
_NAMED = re.compile(r"[(\[]\s?([^\s()\[\]|]{1,16})\s?[)\]]$")
_MOST_COLUMNS = 50
_MOST_CHARACTERS = 2000
"""A figure so far into a line has no column that is looked for."""


class ColumnUnits:
    """The units of the columns of a text's tables, of which each line holds `|`.

    The line behind another that holds none is the header of what follows it.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] = []
        self._units: list[Sequence[Unit | None]] = []
        units: Sequence[Unit | None] = ()
        end = -2
        for line in _LINE.finditer(text):
            if "|" not in line.group():
                continue
            named = _units(line.group())
            # Another table may follow without a line between.
            heads = any(named) and not any(map(str.isdigit, line.group()))
            if line.start() != end + 1 or heads:
                units = named
            end = line.end()
            if any(units):
                self._starts.append(line.start())
                self._units.append(units)

    def of(self, figure: Figure) -> Figure:
        """A figure without a unit in that of its column, if that names one."""
        start = figure.span.start
        at = bisect_right(self._starts, start) - 1
        if figure.unit or at < 0 or start - self._starts[at] > _MOST_CHARACTERS:
            return figure
        before = self._text[self._starts[at] : start]
        column = _MOST_COLUMNS if "\n" in before else before.count("|")
        units = self._units[at]
        unit = units[column] if column < len(units) else None
        return figure if unit is None else replace(figure, unit=unit)


def _units(header: str) -> Sequence[Unit | None]:
    cells = header.split("|")[:_MOST_COLUMNS]
    named = [_NAMED.search(folded(cell.strip())) for cell in cells]
    return [UNITS.get(each[1]) if each else None for each in named]
