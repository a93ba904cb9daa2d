"""Which field of the tools' results a figure of a response speaks of, and whether it agrees.

81 observations are no 81 %, and the temperature of Arosa is not that of Davos. Of the fields whose
units fit those are left whose words stand beside the figure, in its sentence, or in the question.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from groundwire_verifier.checks.assessment.tool_values import Field
from groundwire_verifier.domain.titles import stem
from groundwire_verifier.text.quantities.agreement import Agreement, GivenFigures, are_alike
from groundwire_verifier.text.quantities.figures import Figure
from groundwire_verifier.text.quantities.units import UNITS, Unit

_PERCENT = UNITS["%"]
_SHARES = frozenset(
    map(
        stem,
        (
            "rate", "share", "ratio", "percent", "percentage", "pct", "change", "growth", "value",
            "probability", "confidence", "discount", "humidity", "result", "fraction", "score",
        ),
    )
)  # fmt: skip
"""A number under such a key can be a percentage."""
_PRICES = frozenset(
    map(stem, ("price", "cost", "fare", "fee", "amount", "total", "charge", "rent", "value"))
)
"""A number under such a key can be an amount of money, whatever else a clause names."""
_UNIT_STEMS = frozenset(map(stem, UNITS))
_LATIN, _HEBREW = re.compile("[a-z]"), re.compile("[\u05d0-\u05ea]")


@dataclass(frozen=True, slots=True)
class Beside:
    """The stems beside a figure of a response: of the word behind it, its clause, its sentence, and
    the question."""

    behind: frozenset[str]
    clause: frozenset[str]
    sentence: frozenset[str]
    question: frozenset[str]


class GivenFields:
    """The fields of all results, to look figures of a response up in."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self._fields = fields
        self._by_name = _by_word(field.name for field in fields)
        self._by_own = _by_word(field.own for field in fields)
        self._by_outer = _by_word(field.outer for field in fields)
        self._latin = {at for at, field in enumerate(fields) if _has(_LATIN, field.name)}
        self._of_unit: dict[Unit | None, tuple[frozenset[int], frozenset[int]]] = {}
        self._figures: dict[frozenset[int], GivenFigures] = {}

    def agreement(self, stated: Figure, beside: Beside) -> Agreement | None:
        """What the fields that a figure speaks of say of it; None if it speaks of none."""
        fitting = self._fitting(stated, beside)
        if not fitting:
            return None
        named = self._named(beside, fitting)
        if len(named) == 1 and self._said_by(frozenset(named), stated) is Agreement.EQUAL:
            return Agreement.EQUAL
        left = self._spoken_of(stated, beside, fitting)
        named = self._named(beside, left)
        if stated.unit is None and len(named) == 1 and self._fields[named[0]].name & beside.behind:
            # `5 items`: it is of no other field that is 5. `34 lifts are open` may be the total.
            left &= _found(self._fields[named[0]].name, self._by_name)
        if stated.unit is not None and stated.unit.is_currency:
            prices = _found(_PRICES, self._by_name) & fitting
            has_unit = any(self._fields[at].figure.unit for at in left)
            left = left if has_unit or not prices or left & prices else prices
        found = self._said_by(left, stated)
        if found is None and len(left) < len(fitting):
            # It speaks of these, and they say something else.
            return self._said_by(fitting, stated) and Agreement.DIFFERS
        return found

    def is_named(self, stated: Figure, beside: Beside) -> bool:
        """Whether the clause of a figure has all words of the name of one field, and of no other.

        `Lena has 19 vacation days` names `vacation_days` beside `Lena`.
        """
        left = self._spoken_of(stated, beside, self._fitting(stated, beside))
        return len(self._named(beside, left)) == 1

    def _named(self, beside: Beside, places: frozenset[int]) -> list[int]:
        """Those fields of which the clause has all words but those of a unit: `wind_kmh`."""
        names = ((at, self._fields[at].name - _UNIT_STEMS) for at in places)
        return [at for at, name in names if name and name <= beside.clause]

    def _spoken_of(self, stated: Figure, beside: Beside, fitting: frozenset[int]) -> frozenset[int]:
        left = fitting
        for words, index in (
            (beside.clause, self._by_own),
            # `27 of 34 lifts are open` names two of them.
            (beside.clause if stated.unit else frozenset(), self._by_name),
            (beside.sentence, self._by_own),
            (beside.question, self._by_own),
            (beside.clause, self._by_outer),
            (beside.sentence, self._by_outer),
            (beside.question, self._by_outer),
        ):
            left = _most_alike(left, words, index)
        return left

    def _fitting(self, stated: Figure, beside: Beside) -> frozenset[int]:
        """The fields that a figure can be of by its unit; those of its own kind, if there are."""
        if stated.unit is None:
            return frozenset(range(len(self._fields)))
        alike, bare = self._kinds(stated.unit)
        near = _found(beside.clause, self._by_name) & bare
        if stated.unit == _PERCENT:
            named = near | (_found(beside.sentence | _SHARES, self._by_name) & bare)
            nameless = {at for at in bare if not self._fields[at].name}
            is_other_script = _has(_HEBREW, beside.sentence)
            bare = frozenset(named | nameless | (bare & self._latin if is_other_script else set()))
        return alike | near if alike else bare

    def _kinds(self, unit: Unit) -> tuple[frozenset[int], frozenset[int]]:
        """The fields with a unit of this kind, and those without one that are no counts."""
        if unit not in self._of_unit:
            alike, bare = set(), set()
            for at, field in enumerate(self._fields):
                if any(are_alike(unit, each.unit) for each in field.figure.readings):
                    alike.add(at)
                elif not field.is_count and any(r.unit is None for r in field.figure.readings):
                    bare.add(at)
            self._of_unit[unit] = frozenset(alike), frozenset(bare)
        return self._of_unit[unit]

    def _said_by(self, places: frozenset[int], stated: Figure) -> Agreement | None:
        if places not in self._figures:
            self._figures[places] = GivenFigures(self._fields[at].figure for at in places)
        found = self._figures[places].agreement(stated)
        if found is None and stated.unit == _PERCENT:
            # A bare number beside one that can be a share.
            bare = replace(stated, unit=None, others=())
            found = self._figures[places].agreement(bare)
        return found


def _by_word(words_of: Iterable[frozenset[str]]) -> dict[str, set[int]]:
    index: dict[str, set[int]] = {}
    for at, words in enumerate(words_of):
        for word in words:
            index.setdefault(word, set()).add(at)
    return index


def _found(words: frozenset[str], index: dict[str, set[int]]) -> frozenset[int]:
    return frozenset().union(*(index[word] for word in words if word in index))


def _most_alike(
    places: frozenset[int], words: frozenset[str], index: dict[str, set[int]]
) -> frozenset[int]:
    """Those places that share most words; all, if none shares any."""
    if len(places) < len("ab"):
        return places
    counts: Counter[int] = Counter()
    for word in words:
        if word in index:
            counts.update(index[word] & places)
    most = max(counts.values(), default=0)
    return frozenset(at for at, count in counts.items() if count == most) if most else places


def _has(script: re.Pattern[str], words: frozenset[str]) -> bool:
    return any(script.search(word) for word in words)
