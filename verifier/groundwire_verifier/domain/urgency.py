"""When an answer is wanted, and whose work it is.

A tenant goes along with the urgency of its calls, since engines are shared.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

FIXED_TARGET_S, TARGET_A_CLAIM_S = 0.5, 0.1
"""The latency target of a call with N claims: 500 ms + N x 100 ms."""

ANSWER_FIXED_S, ANSWER_A_CLAIM_S = 0.1, 0.0002
"""What is kept of a call's time for making and sending its answer: a way there and back through a
wide network, and five times what the part of one claim was measured to take."""

FOLLOW_UP_S = 0.001
"""How much sooner than its call a follow-up is due: the unit of the engine's own queue, in which it
is first then, too, and too little to matter to other calls."""

MOST_ANSWER_SHARE = 0.2
"""The most of a call's own time that is kept for its answer, however short the time is."""


def target_s(claims: int) -> float:
    """The latency target of a call with so many claims, in seconds."""
    return FIXED_TARGET_S + TARGET_A_CLAIM_S * claims


@dataclass(frozen=True, slots=True)
class Tenant:
    """Whoever shares an engine with others. Two with one `key` are the same.

    Of what several want at one time, each gets a part by its `weight`, which is above 0. `spend` is
    told how many tokens an engine, or an endpoint, computed for it; None where nobody counts.
    """

    key: str = ""
    weight: float = field(default=1.0, compare=False)
    spend: Callable[[int], None] | None = field(default=None, compare=False, repr=False)

    def pay(self, tokens: int) -> None:
        """Count so many tokens at once."""
        if self.spend is not None:
            self.spend(tokens)


EVERYONE = Tenant()
"""Where callers are not told apart, and whatever the server does for itself."""


@dataclass(frozen=True, slots=True)
class Urgency:
    """Times on the monotonic clock, in seconds.

    `slack_s` is what the call could wait for in all when it came. After `deadline_s` nobody waits
    for the answer any more. `tenant` is who waits. Until `waits_until_s` an endpoint that limits
    its rate is asked again; None: as often as its settings say.
    """

    due_s: float
    slack_s: float = 0.0
    deadline_s: float = math.inf
    tenant: Tenant = EVERYONE
    waits_until_s: float | None = None

    @property
    def rank_s(self) -> float:
        """What ranks lowest is read first: when a call has waited twice for what it could.

        A short call makes a long one late by little, and a long one makes a short one miss its
        target, so even a long call that is nearly due lets a short one pass.
        """
        return self.due_s + self.slack_s

    def of_follow_up(self) -> "Urgency":
        """Of what a call needs besides, once it was let in: before its own rest, and not refused.

        Behind that it would end with the call, and what is known only then is in no answer that is
        cut short.
        """
        return Urgency(
            self.due_s - FOLLOW_UP_S,
            self.slack_s,
            tenant=self.tenant,
            waits_until_s=self.waits_until_s,
        )


WHENEVER = Urgency(math.inf)
"""Of what nobody waits for in particular: read after all that is due, and never refused."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A call's own times on the monotonic clock, in seconds: when it came, when it gives up.

    `tenant` is whose it is.
    """

    at_s: float
    deadline_s: float = math.inf
    tenant: Tenant = EVERYONE

    def urgency(self, claims: int) -> Urgency:
        """Of a call with so many claims: due at its target, or at its deadline if that is first."""
        due_s = min(self.at_s + target_s(claims), self.deadline_s)
        return Urgency(due_s, due_s - self.at_s, self.deadline_s, self.tenant)

    def answer_by_s(self, claims: int) -> float:
        """When an answer of so many claims has to be made, so that it comes before the deadline."""
        wanted_s = ANSWER_FIXED_S + ANSWER_A_CLAIM_S * claims
        most_s = MOST_ANSWER_SHARE * max(0.0, self.deadline_s - self.at_s)
        return self.deadline_s - min(wanted_s, most_s)
