"""How long a call will take, by the speed that the engine has shown, and how well that is foreseen.

A call is done when all is read that comes before it, and itself. So what is learnt is the seconds
that a step takes the engine and each token in it, from its last steps; what it computed for callers
who left counts as time without tokens. A queue is read in the largest steps that the engine makes,
whatever it made of late: by the time per token of small steps, calls in time would be refused.
"""

import math
from dataclasses import dataclass, field

FADING = 0.97
"""How much of its weight an observed step keeps at each later one."""

LEAST_SPREAD = 0.01
"""Of the square of their tokens: with less variance steps are of one size, and noise would tell."""


class Speed:
    """What the last steps say, by least squares."""

    def __init__(self) -> None:
        # Weighted sums of 1, tokens, seconds, tokens squared, and tokens times seconds.
        self._sums: tuple[float, ...] = (0.0,) * 5

    def took(self, tokens: int, seconds: float, weight: float = 1.0) -> None:
        """Learn from a step of so many tokens that took so many seconds, with this weight."""
        new = (1.0, tokens, seconds, tokens * tokens, tokens * seconds)
        self._sums = tuple(
            FADING * old + weight * value for old, value in zip(self._sums, new, strict=True)
        )

    def step_and_token_s(self) -> tuple[float, float]:
        """Seconds of a step and seconds of each of its tokens, once a step is known."""
        weight, tokens, seconds, squares, products = self._sums
        spread = weight * squares - tokens * tokens
        is_wide = spread > LEAST_SPREAD * weight * squares
        slope = (weight * products - tokens * seconds) / spread if is_wide else 0.0
        fixed_s = (seconds - slope * tokens) / weight
        if tokens and (slope <= 0.0 or fixed_s < 0.0):
            # Steps of one size do not tell one from the other.
            return 0.0, seconds / tokens
        return fixed_s, slope


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
    _speed: Speed = field(default_factory=Speed)
    _steps: int = 0
    # Of the last step, whose readings may not all have been told.
    _tokens: int = 0
    _seconds: float = 0.0
    _since_s: float = 0.0

    def seconds(self, tokens: float, step_tokens: int) -> float | None:
        """How long an engine takes for so many tokens, at most `step_tokens` in each step.

        None while too little is known.
        """
        if self._steps < MIN_STEPS:
            return None
        step_s, token_s = self._speed.step_and_token_s()
        return math.ceil(tokens / step_tokens) * step_s + tokens * token_s

    def begin(self, now_s: float) -> None:
        """Start the clock: the engine was idle and gets work now."""
        self._since_s = now_s

    def done(self, tokens: int, end_s: float) -> None:
        """So many tokens were computed in the step that ended then, by the same clock."""
        # What was computed in one step is told by several readings, one after the other.
        if end_s > self._since_s:
            self._learn()
            self._tokens, self._seconds = 0, end_s - self._since_s
            self._since_s = end_s
        # A step without tokens teaches nothing.
        if tokens and not self._tokens:
            self._steps += 1
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
        self._speed, self._steps = Speed(), 0
        self._tokens, self._seconds = 0, 0.0

    def _learn(self) -> None:
        """Learn from the last step, of which all readings are in."""
        if self._tokens and self._seconds:
            self._speed.took(self._tokens, self._seconds)
