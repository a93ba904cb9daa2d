"""How well the time of calls is foreseen, and what that says of the next ones. Knows no call."""

from collections import deque
from dataclasses import dataclass, field

REMEMBERED = 64
MIN_CALLS = 8
LIKELY, CAUTIOUS = 0.5, 0.8
"""Shares of the calls that took no longer than what is said of them."""


@dataclass(slots=True)
class Predictions:
    """How well the time of calls was foreseen, in sums since the start. Times in seconds."""

    calls: int = 0
    actual_s: float = 0.0
    absolute_error_s: float = 0.0
    refused: int = 0
    """Calls that were not let in, since they or others would have been late."""
    _ratios: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def likely_s(self, computed_s: float) -> float:
        """What the last calls say of one that the engine's speed alone gives `computed_s`."""
        return computed_s * self._ratio(LIKELY)

    def cautious_s(self, computed_s: float) -> float:
        """As much, so that few calls take longer; never less than what was computed."""
        return computed_s * max(1.0, self._ratio(CAUTIOUS))

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
            self._ratios.append(actual_s / computed_s)

    def _ratio(self, share: float) -> float:
        if len(self._ratios) < MIN_CALLS:
            return 1.0
        return sorted(self._ratios)[int(share * len(self._ratios))]
