"""How long a call will take, by how long the last ones took, and how well that was foreseen.

A call takes as long as all that is read until it is done: its own tokens, and those of what came
before and ranks no later. So what is learnt is the seconds that one of these tokens takes, waiting
included, as a moving average. Knows tokens and seconds. Does not know calls or engines.
"""

from dataclasses import dataclass

FADING = 0.97
"""How much of its weight a call keeps at each later one."""

DOUBTED = 0.8
"""What is left of the seconds that were learnt, each time that they are doubted."""

MIN_CALLS = 8
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
    _learnt: int = 0
    _tokens: float = 0.0
    _seconds: float = 0.0

    def seconds(self, tokens: int) -> float | None:
        """How long a call takes until whose end so many tokens are read; None if not known yet."""
        return None if self._learnt < MIN_CALLS else tokens * self._seconds / self._tokens

    def record(self, tokens: int, foreseen_s: float | None, actual_s: float) -> None:
        """Learn from a call that is done, and count it if its time was foreseen."""
        if foreseen_s is not None:
            self.calls += 1
            self.actual_s += actual_s
            self.absolute_error_s += abs(actual_s - foreseen_s)
        self._learn(tokens, actual_s)

    def record_given_up(self, tokens: int, foreseen_s: float | None, waited_s: float) -> None:
        """Learn from a call whose caller left, if that was late: it took at least that long."""
        if foreseen_s is not None and waited_s > foreseen_s:
            self._learn(tokens, waited_s)

    def doubt(self) -> None:
        """A call was refused that nothing else was in the way of: believe the past less.

        So one is let in at last, and shows how long it takes. Refused calls alone teach nothing.
        """
        self._seconds *= DOUBTED

    def forget(self) -> None:
        """Forget how long calls took, such as those that were slow only once."""
        self._learnt, self._tokens, self._seconds = 0, 0.0, 0.0

    def _learn(self, tokens: int, seconds: float) -> None:
        if tokens == 0:
            return
        # In sums, so that a long call counts for more than a short one.
        self._learnt += 1
        self._tokens = FADING * self._tokens + tokens
        self._seconds = FADING * self._seconds + seconds
