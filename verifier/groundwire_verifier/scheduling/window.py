"""What an engine did, and in what time: what its cost model learns from.

Knows work and times on the monotonic clock. Does not know prompts, calls or engines.
"""

import time

from groundwire_verifier.scheduling.cost_model import Work

OBSERVED_S = 0.25
"""Shortest time that is taken for an observation while the engine stays busy."""

Observation = tuple[Work, int, float]
"""Work that was done, in how many steps, and in how many seconds."""


class Window:
    """A time in which the engine was busy, in whole steps, and the work that was done in it.

    What was computed in one step is told by several readings, one after the other: a window that
    ended between them would leave work to the next one which took no time there.
    """

    def __init__(self) -> None:
        """The engine does nothing yet."""
        self._began_s: float | None = None
        self._end_s = 0.0
        self._steps = 0
        self._done = Work()
        self._spoilt = False

    @property
    def since_step_s(self) -> float:
        """Seconds since the engine began what it does, or since the last step known to have ended.

        0 if it does nothing.
        """
        return 0.0 if self._began_s is None else max(0.0, time.monotonic() - self._end_s)

    def begin(self) -> None:
        """The engine has work; nothing changes if it had some already."""
        if self._began_s is None:
            self._began_s = self._end_s = time.monotonic()

    def add(self, work: Work, step_end_s: float) -> Observation | None:
        """So much more was done, in the step that ended then.

        Gives what was done in the steps before, if that is another step and they took long enough.
        """
        found = None
        if step_end_s != self._end_s:
            if self._began_s is not None and self._end_s - self._began_s >= OBSERVED_S:
                found = self._close(self._began_s)
            self._steps += 1
            self._end_s = step_end_s
        self._done += work
        return found

    def spoil(self) -> None:
        """Something was done that nobody can measure."""
        self._spoilt = True

    def end(self) -> Observation | None:
        """The engine is through with all; gives what was done since the last observation."""
        found = None if self._began_s is None else self._close(self._began_s)
        self._began_s = None
        return found

    def _close(self, began_s: float) -> Observation | None:
        found = None if self._spoilt else (self._done, self._steps, self._end_s - began_s)
        self._began_s = self._end_s
        self._done, self._steps, self._spoilt = Work(), 0, False
        return found
