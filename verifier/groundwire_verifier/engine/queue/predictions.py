"""How long a call will take, by the speed that the engine has shown, and how well that is foreseen.

A call is done when all is read that comes before it, and itself. So what is learnt is the seconds
that a token takes the engine, as a moving average over its last steps; what it computed for callers
who left counts as time without tokens.
"""

from dataclasses import dataclass

FADING = 0.97
"""How much of its weight a step keeps at each later one."""

BELIEVED_S = 2.0
"""How long an engine that does nothing is taken to be as fast as it was."""

MIN_STEPS = 8
"""Below it nothing is foreseen."""


@dataclass(slots=True)
class Predictions:
    """How well the time of calls was foreseen, in sums since the start. Times in seconds.

    `calls` are those whose time was foreseen. `refused` were not let in, since they would likely
    have been late.
    """

    calls: int = 0
    actual_s: float = 0.0
    absolute_error_s: float = 0.0
    refused: int = 0
    _steps: int = 0
    _tokens: float = 0.0
    _seconds: float = 0.0
    _since_s: float = 0.0

    def seconds(self, tokens: float) -> float | None:
        """How long the engine takes for so many tokens; None while too little is known."""
        return tokens * self._seconds / self._tokens if self._steps >= MIN_STEPS else None

    def begin(self, now_s: float) -> None:
        """Start the clock: the engine was idle and gets work now."""
        self._since_s = now_s

    def done(self, tokens: int, end_s: float) -> None:
        """So many tokens were computed in the step that ended then, by the same clock."""
        # What was computed in one step is told by several readings, one after the other.
        if end_s > self._since_s:
            self._steps += 1
            self._tokens *= FADING
            self._seconds = FADING * self._seconds + end_s - self._since_s
            self._since_s = end_s
        self._tokens += tokens

    def record(self, foreseen_s: float, actual_s: float) -> None:
        """Count a call that took `actual_s`, and how far `foreseen_s` was from that."""
        self.calls += 1
        self.actual_s += actual_s
        self.absolute_error_s += abs(actual_s - foreseen_s)

    def are_old(self, now_s: float) -> bool:
        """Whether the engine has shown nothing for so long that it may be faster by now."""
        return now_s - self._since_s > BELIEVED_S

    def forget(self) -> None:
        """Forget the engine's speed, such as that of steps that were slow only once."""
        self._steps, self._tokens, self._seconds = 0, 0.0, 0.0
