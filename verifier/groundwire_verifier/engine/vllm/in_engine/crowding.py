"""Whether other work takes the cores that the engine's threads compute on.

Threads that compute one step together wait for each other hundreds of times in it. While all of
them run, the fastest wait is to look again and again (to spin). Where one of them has no core, the
others spin for nothing, on the very core that it could have. This says which of both it is, by how
long the threads were ready and had no core.
"""

import math
from dataclasses import dataclass

REMEMBERED_S = 1.0
"""Time constant of what is remembered: two looks a second are too few to tell from one alone."""

CROWDED_ABOVE = 0.20
"""Share of its time without a core above which a team is crowded. One busy loop beside two threads
on two cores takes a third where all threads are served alike, and a quarter where Linux serves
sessions alike (autogroup). The server's own process took .16 in a burst of calls."""

ALONE_BELOW = 0.10
"""Share below which it is alone again."""

QUOTA_SPENT_ABOVE = 0.1
"""Share of the periods of a container's quota that ended without any left."""

LEAST_BUSY_S = 0.05
"""Remembered seconds of readiness under which nothing can be told."""

HOLD_S, LONGEST_HOLD_S = 5.0, 80.0
"""How long a team counts as crowded at least, and at most where it comes back again and again."""


@dataclass(frozen=True, slots=True)
class Look:
    """What happened to a team of threads since the last look, `after_s` ago.

    `ran_s` is how long its threads computed, in sum, and `waited_s` how long they were ready but
    had no core. `quota_spent` is the share of the periods of the container's quota, 0 to 1, that
    ended without any left; 0 where there is none.
    """

    after_s: float
    ran_s: float
    waited_s: float
    quota_spent: float = 0.0


class Crowding:
    """Tells from look to look whether a team is crowded; slow to take it back."""

    def __init__(self) -> None:
        self._now_s = 0.0
        self._ran_s = self._waited_s = self._quota_spent = 0.0
        self._is_crowded = False
        self._since_s = -math.inf
        self._hold_s = HOLD_S

    @property
    def lost(self) -> float:
        """Share of the last second's readiness without a core, 0 to 1; 0 if nothing was ready."""
        ready_s = self._ran_s + self._waited_s
        return self._waited_s / ready_s if ready_s else 0.0

    def is_crowded(self, look: Look) -> bool:
        """Take a look, and say whether the team is crowded."""
        self._now_s += look.after_s
        kept = math.exp(-look.after_s / REMEMBERED_S)
        self._ran_s = self._ran_s * kept + look.ran_s
        self._waited_s = self._waited_s * kept + look.waited_s
        self._quota_spent = self._quota_spent * kept + look.quota_spent * (1 - kept)
        if self._ran_s + self._waited_s < LEAST_BUSY_S:
            return self._is_crowded
        if self._is_crowded:
            is_over = self.lost < ALONE_BELOW and self._quota_spent < QUOTA_SPENT_ABOVE / 2
            if is_over and self._now_s - self._since_s >= self._hold_s:
                self._turn(to=False)
        elif self.lost > CROWDED_ABOVE or self._quota_spent > QUOTA_SPENT_ABOVE:
            # What is over because of the switch comes back after it: then each return is later.
            is_back = self._now_s - self._since_s < self._hold_s
            self._hold_s = min(2 * self._hold_s, LONGEST_HOLD_S) if is_back else HOLD_S
            self._turn(to=True)
        return self._is_crowded

    def _turn(self, *, to: bool) -> None:
        self._is_crowded, self._since_s = to, self._now_s
