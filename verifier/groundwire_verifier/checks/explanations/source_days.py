"""The day that a source carries in its title or its text, and which of two sources is newer."""

from collections.abc import Mapping
from datetime import date

from groundwire_verifier.domain.evidence import Evidence
from groundwire_verifier.text.quantities.dates import find_dates
from groundwire_verifier.text.quantities.figures import folded

HEAD_CHARACTERS = 300
"""A text says at its beginning of when it is."""


class SourceDays:
    """The days of sources. `known` are those that a corpus tells; they go before the text."""

    def __init__(self, evidence: Evidence, known: Mapping[str, date]) -> None:
        self._evidence = evidence
        self._titles = {each.id: each.span.of(evidence.context) for each in evidence.titles}
        self._days: dict[str, date | None] = dict(known)

    def newer(self, one: str, other: str) -> str:
        """The id of the newer source; empty if a day is not known, or both have the same."""
        first, second = self._day(one), self._day(other)
        if first is None or second is None or first == second:
            return ""
        return one if first > second else other

    def _day(self, source_id: str) -> date | None:
        if source_id not in self._days:
            head = self._evidence.text_of(source_id)[:HEAD_CHARACTERS]
            self._days[source_id] = day_in(self._titles.get(source_id, "")) or day_in(head)
        return self._days[source_id]


def day_in(text: str) -> date | None:
    """The first day of a text that is told whole, and in one way only."""
    for _, found in find_dates(folded(text)):
        days = {
            (year, month, day)
            for year, month, day in found.readings
            if year is not None and month is not None and day is not None
        }
        if len(days) == 1:
            (parts,) = days
            try:
                return date(*parts)
            except ValueError:
                continue
    return None
