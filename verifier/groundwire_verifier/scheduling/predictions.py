"""How well the time of calls is foreseen, and what that says of the next ones. Knows no call."""

from collections import deque
from dataclasses import dataclass, field

REMEMBERED = 256
MIN_CALLS = 8
ALIKE = 1.6
"""Calls of which one was to take at most so many times as long as the other are alike: a long call
is passed by short ones, which makes it late in a way that says nothing of these.
"""
LIKELY, CAUTIOUS, SUREST = 0.5, 0.8, 0.9
"""Shares of the calls that took no longer than what is said of them."""
CAUTION_FOR_LATE = 1.5
"""How much that share rises with the share of alike calls that were let in and ended late. Where
more calls come than can be answered, each that is let in by what is just likely ends at its limit,
half of them beyond it, and all that was computed for these is lost.
"""


@dataclass(frozen=True, slots=True)
class _Past:
    """What was computed for a call, how many times as long it took, and whether it was left."""

    computed_s: float
    ratio: float
    late: bool


@dataclass(slots=True)
class Predictions:
    """How well the time of calls was foreseen, in sums since the start. Times in seconds."""

    calls: int = 0
    actual_s: float = 0.0
    absolute_error_s: float = 0.0
    refused: int = 0
    """Calls that were not let in, since they would likely have been late."""
    _last: deque[_Past] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def likely_s(self, computed_s: float) -> float:
        """What the last calls say of one that the engine's speed alone gives `computed_s`."""
        return computed_s * _ratio(self._alike(computed_s), LIKELY)

    def needed_s(self, computed_s: float, *, dear: bool) -> float:
        """As much, so that a call which has it is let in.

        For a dear call, whose work would be a loss, it is what few take longer than, and never less
        than what was computed. The more calls ended late, the more is asked for.
        """
        alike = self._alike(computed_s)
        late = sum(past.late for past in alike) / max(1, len(alike))
        share = min(SUREST, LIKELY + CAUTION_FOR_LATE * late)
        if dear:
            return computed_s * max(1.0, _ratio(alike, max(CAUTIOUS, share)))
        return computed_s * _ratio(alike, share)

    def record(self, computed_s: float, actual_s: float) -> None:
        """Count a call that is done."""
        self.calls += 1
        self.actual_s += actual_s
        self.absolute_error_s += abs(actual_s - self.likely_s(computed_s))
        self._learn(computed_s, actual_s, late=False)

    def record_given_up(self, computed_s: float, waited_s: float) -> None:
        """Learn from a call whose caller left: it took at least that long."""
        if waited_s > self.likely_s(computed_s):
            self._learn(computed_s, waited_s, late=True)

    def _learn(self, computed_s: float, actual_s: float, *, late: bool) -> None:
        if computed_s > 0.0:
            self._last.append(_Past(computed_s, actual_s / computed_s, late))

    def _alike(self, computed_s: float) -> list[_Past]:
        least_s, most_s = computed_s / ALIKE, computed_s * ALIKE
        return [past for past in self._last if least_s <= past.computed_s <= most_s]


def _ratio(alike: list[_Past], share: float) -> float:
    ratios = sorted(past.ratio for past in alike)
    return 1.0 if len(ratios) < MIN_CALLS else ratios[int(share * len(ratios))]
