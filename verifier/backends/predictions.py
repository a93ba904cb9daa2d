"""How well the time of calls is foreseen, and what that says of the next ones. Knows no call."""

from collections import deque
from dataclasses import dataclass, field

REMEMBERED = 256
MIN_CALLS = 8
ALIKE = 1.6
"""Calls of which one was to take at most so many times as long as the other are alike: a long call
is passed by short ones, which makes it late in a way that says nothing of these.
"""
LIKELY, CAUTIOUS = 0.5, 0.8
"""Shares of the calls that took no longer than what is said of them."""


@dataclass(slots=True)
class Predictions:
    """How well the time of calls was foreseen, in sums since the start. Times in seconds."""

    calls: int = 0
    actual_s: float = 0.0
    absolute_error_s: float = 0.0
    refused: int = 0
    """Calls that were not let in, since they would likely have been late."""
    _last: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    """What was computed for the last calls, and how many times as long they took."""

    def likely_s(self, computed_s: float) -> float:
        """What the last calls say of one that the engine's speed alone gives `computed_s`."""
        return computed_s * self._ratio(computed_s, LIKELY)

    def cautious_s(self, computed_s: float) -> float:
        """As much, so that few calls take longer; never less than what was computed."""
        return computed_s * max(1.0, self._ratio(computed_s, CAUTIOUS))

    def record(self, computed_s: float, actual_s: float) -> None:
        """Count a call that is done."""
        self.calls += 1
        self.actual_s += actual_s
        self.absolute_error_s += abs(actual_s - self.likely_s(computed_s))
        self._learn(computed_s, actual_s)

    def record_given_up(self, computed_s: float, waited_s: float) -> None:
        """Learn from a call whose caller left: it took at least that long."""
        if waited_s > self.likely_s(computed_s):
            self._learn(computed_s, waited_s)

    def _learn(self, computed_s: float, actual_s: float) -> None:
        if computed_s > 0.0:
            self._last.append((computed_s, actual_s / computed_s))

    def _ratio(self, computed_s: float, share: float) -> float:
        least_s, most_s = computed_s / ALIKE, computed_s * ALIKE
        alike = sorted(ratio for seconds, ratio in self._last if least_s <= seconds <= most_s)
        return 1.0 if len(alike) < MIN_CALLS else alike[int(share * len(alike))]
