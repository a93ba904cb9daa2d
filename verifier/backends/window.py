"""What an engine did, and in what time: what its cost model learns from.

Knows work and times. Does not know prompts, calls or engines.
"""

import time

from verifier.backends.cost_model import Work

OBSERVED_S = 0.25
"""Shortest time that is taken for an observation while the engine stays busy."""


class Window:
    """A time in which the engine was busy, and the work that was done in it."""

    def __init__(self) -> None:
        """The engine does nothing yet."""
        self._began_s: float | None = None
        self._done = Work()
        self._step_ends: set[float] = set()
        self._step_s = 0.0
        self._spoilt = False

    @property
    def since_step_s(self) -> float:
        """Seconds since the engine began what it does, or since the last step known to have ended.

        0 if it does nothing.
        """
        return 0.0 if self._began_s is None else max(0.0, time.monotonic() - self._step_s)

    def begin(self) -> None:
        """The engine has work; nothing changes if it had some already."""
        if self._began_s is None:
            self._began_s = self._step_s = time.monotonic()

    def add(self, work: Work, step_end_s: float) -> None:
        """So much more was done, in the step that ended then."""
        self._done += work
        self._step_ends.add(step_end_s)
        self._step_s = max(self._step_s, step_end_s)

    def spoil(self) -> None:
        """Something was done that nobody can measure."""
        self._spoilt = True

    def observation(self, *, idle: bool) -> tuple[Work, int, float] | None:
        """Work, steps and seconds, once the engine is idle or it took long enough; then it ends."""
        busy_s = 0.0 if self._began_s is None else time.monotonic() - self._began_s
        if not idle and busy_s < OBSERVED_S:
            return None
        found = None if self._spoilt else (self._done, len(self._step_ends), busy_s)
        self._began_s = None if idle else time.monotonic()
        self._done, self._step_ends, self._spoilt = Work(), set(), False
        return found
