"""When an answer is wanted.

Knows the latency target and the machine's monotonic clock. Does not know transports or engines.
"""

import math
from dataclasses import dataclass

FIXED_TARGET_S, TARGET_A_CLAIM_S = 0.5, 0.1
"""The latency target of a call with N claims: 500 ms + N x 100 ms."""


@dataclass(frozen=True, slots=True)
class Urgency:
    """Times on the monotonic clock, in seconds.

    What is due first is read first. After `deadline_s` nobody waits for the answer any more.
    """

    due_s: float
    deadline_s: float = math.inf

    def of_follow_up(self) -> "Urgency":
        """Of what a call needs besides, once it was let in: due as soon, and not refused."""
        return Urgency(self.due_s)


WHENEVER = Urgency(math.inf)
"""Of what nobody waits for in particular: read after all that is due, and never refused."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A call's own times on the monotonic clock, in seconds: when it came, when it gives up."""

    at_s: float
    deadline_s: float = math.inf

    def urgency(self, claims: int) -> Urgency:
        """Of a call with so many claims: due at its target, or at its deadline if that is first."""
        due_s = self.at_s + FIXED_TARGET_S + TARGET_A_CLAIM_S * claims
        return Urgency(min(due_s, self.deadline_s), self.deadline_s)
