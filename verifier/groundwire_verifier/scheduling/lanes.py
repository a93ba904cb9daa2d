"""Which call goes next: by rank among those of one tenant, by what was computed among tenants.

Each tenant has a lane. What is given to the engine for it is added up there, by its weight, and of
several lanes that one goes next for which the least was computed. A tenant that comes, also one
that comes again, gets a credit: some tokens ahead of those who had the engine meanwhile, who wait
until it has used them up. So whoever asks for little waits for nobody's backlog, and whoever always
asks has the share of its weight. Lanes that have credit go by rank alone, so while nobody has had
more than its credit since the engine was last idle, all goes as if there were one lane.

What nobody waits for goes behind all that is due, whosever it is.
"""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from groundwire_verifier.domain.types import Prompt
from groundwire_verifier.domain.urgency import Tenant
from groundwire_verifier.scheduling.engine import TokenReading

AHEAD_S = 1e6
"""How much earlier than its own is the rank of what has credit while others have none: before all
of theirs, and by rank among itself."""

OnRead = Callable[[int, TokenReading], None]


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One prompt of a call, and how many of its tokens are to be computed."""

    index: int
    prompt: Prompt
    uncached_tokens: int


@dataclass(slots=True, eq=False)
class Lane:
    """The calls of one tenant in the order of their ranks.

    `used` are the tokens that were given to the engine for it, over its weight.
    """

    weight: float
    used: float
    calls: list["QueuedRead"] = field(default_factory=list)

    def next(self) -> "QueuedRead | None":
        """The call that goes next of those that have prompts."""
        return next((call for call in self.calls if call.waiting), None)

    def tokens(self, rank_s: float) -> int:
        """Tokens to compute of all that waits and ranks no later."""
        return sum(call.waiting_tokens for call in self.calls if call.rank_s <= rank_s)


@dataclass(slots=True, eq=False)
class QueuedRead:
    """A call in the queue or in the engine. `waiting_tokens` are to be computed of what waits.

    `tasks` are what the engine has of it, which its tenant pays for.
    """

    tenant: Tenant
    lane: Lane
    rank_s: float
    slack_s: float
    trace_headers: Mapping[str, str]
    on_read: OnRead
    waiting: deque[Item]
    waiting_tokens: int
    left: int
    done: asyncio.Future[None]
    tasks: dict[asyncio.Task[None], Item] = field(default_factory=dict)

    @property
    def is_due(self) -> bool:
        """Whether somebody waits for it."""
        return not math.isinf(self.rank_s)


@dataclass(slots=True, eq=False)
class Lanes:
    """The lanes of tenants since the engine was last idle, by key.

    The credit of each is `credit_tokens` times its weight. `floor` is what was given to the engine
    for whoever went next, over the weight, and never less than it was.
    """

    credit_tokens: int
    by_key: dict[str, Lane] = field(default_factory=dict)
    floor: float = 0.0

    def come(self, tenant: Tenant) -> Lane:
        """The lane of a tenant that had no calls until now, beside those of others."""
        if len(self.by_key) == 1:
            # Alone it was always the next.
            (alone,) = self.by_key.values()
            self.floor = max(self.floor, alone.used)
        least = self.floor - self.credit_tokens
        lane = self.by_key.setdefault(tenant.key, Lane(tenant.weight, least))
        lane.used = max(lane.used, least)
        return lane

    def next(self) -> QueuedRead | None:
        """The call of which a prompt goes next."""
        waiting = [
            (lane, call) for lane in self.by_key.values() if (call := lane.next()) is not None
        ]
        waiting = [each for each in waiting if each[1].is_due] or waiting
        if not waiting:
            return None
        self.floor = max(self.floor, min(lane.used for lane, _ in waiting))
        return min(waiting, key=lambda each: (self._behind(each[0]), each[1].rank_s))[1]

    def rank_s(self, call: QueuedRead) -> float:
        """The rank of a call's next prompt among what is in the engine."""
        if not self._has_credit(call.lane):
            return call.rank_s
        passes = any(lane.calls and not self._has_credit(lane) for lane in self.by_key.values())
        return call.rank_s - AHEAD_S if passes else call.rank_s

    def tokens_before(self, call: QueuedRead) -> float:
        """Tokens to compute of other tenants' calls before one that comes now."""
        mine, before = call.lane, 0.0
        # What was given to the engine for its tenant when it is done, over the weight.
        then = mine.used + (mine.tokens(call.rank_s) + call.waiting_tokens) / mine.weight
        for lane in self.by_key.values():
            if lane is mine:
                continue
            if self._has_credit(mine) and self._has_credit(lane):
                before += lane.tokens(call.rank_s)
                continue
            waiting = sum(c.waiting_tokens for c in lane.calls if c.is_due or not call.is_due)
            before += min(waiting, max(0.0, then - lane.used) * lane.weight)
        return before

    def _has_credit(self, lane: Lane) -> bool:
        return lane.used < self.floor

    def _behind(self, lane: Lane) -> float:
        """How far behind others a lane is; all that have credit are before all others."""
        return -math.inf if self._has_credit(lane) else lane.used
