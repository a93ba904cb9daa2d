"""Which prompt an engine reads next, and whether a call can be answered in its time.

The prompts of a tenant's calls that wait are one queue, in the order of their ranks, and tenants
share the engine (`Lanes`); within a call prompts are in the order of its caller, which
is the one that shares prefixes. The engine gets just enough of them to stay busy, so that what
comes late and is due early waits for little. A call that most likely could not meet its deadline is
refused at once; one that nobody waits for any more never reaches the engine. Which prefixes an
engine's cache holds is known as far as what it was sent can tell (`PrefixIndex`).
"""

import asyncio
import bisect
import functools
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from groundwire_verifier.domain.errors import DeadlineUnreachableError
from groundwire_verifier.domain.tasks import in_thread
from groundwire_verifier.domain.types import Prompt
from groundwire_verifier.domain.urgency import Tenant, Urgency
from groundwire_verifier.engine.queue.engine import Engine, EngineTurn, TokenReading
from groundwire_verifier.engine.queue.predictions import Predictions

Blocks = tuple[int, ...]
"""A prompt's whole blocks, each by the hash of the prefix that it ends."""

AHEAD_S = 1e6
"""How much earlier than its own is the rank of what has credit while others have none: before all
of theirs, and by rank among itself."""

OnRead = Callable[[int, TokenReading], None]

STEPS_AHEAD = 2
"""How many steps of the engine are filled: one runs while the next one waits."""

MIN_RETRY_S = 0.05
HASHED_ON_THE_LOOP = 64
"""Prompts of a call whose prefixes are hashed on the event loop; more are hashed in a thread."""

_LAST = 2**62


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

    What is given to the engine for a tenant is added up in its lane, by its weight, and of several
    lanes that one goes next for which the least was computed. A tenant that comes, also one that
    comes again, gets a credit, `credit_tokens` times its weight: some tokens ahead of those who had
    the engine meanwhile, who wait until it has used them up. So whoever asks for little waits for
    nobody's backlog, and whoever always asks has the share of its weight. Lanes that have credit go
    by rank alone, so while nobody has had more than its credit since the engine was last idle, all
    goes as if there were one lane. What nobody waits for goes behind all that is due, whosever it
    is.

    `floor` is what was given to the engine for whoever went next, over the weight, and never less
    than it was.
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


def turn_of(rank_s: float, slack_s: float) -> EngineTurn:
    """When the engine is to take what has this rank and slack."""
    if math.isinf(rank_s):
        return EngineTurn(_LAST, math.inf)
    # The engine's priority is in milliseconds on the clock.
    return EngineTurn(round(rank_s * 1000), slack_s)


class Dispatcher:
    """Feeds one engine. `wanted_ids` are the tokens whose log-probabilities are read after prompts
    that have none of their own.

    `predictions` learn from what the engine does, and are counted up.
    """

    def __init__(self, engine: Engine, wanted_ids: Sequence[int], predictions: Predictions) -> None:
        self._engine = engine
        self._wanted = list(wanted_ids)
        self._index = PrefixIndex(engine.block_tokens, engine.cache_tokens // engine.block_tokens)
        # Its credit is what one step computes.
        self._lanes = Lanes(engine.step_tokens)
        self._flying: dict[Item, float] = {}
        self.predictions = predictions

    async def read(
        self,
        prompts: Sequence[Prompt],
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_read: OnRead,
    ) -> None:
        """Have all prompts read, each told to `on_read` with its index.

        Raises DeadlineUnreachableError before anything is read, or what the engine raises.
        The tenant pays for each as it comes. Cancelling it takes what waits out of the queue and
        stops what runs, which is paid for, too: it is computed in part, and what is computed stays
        in the engine's cache.
        """
        if len(prompts) <= HASHED_ON_THE_LOOP:
            blocks = self._index.blocks(prompts)
        else:
            blocks = await in_thread(self._index.blocks, prompts)
        began_s = time.monotonic()
        call = self._call(prompts, blocks, trace_headers, urgency, on_read)
        tokens = self._tokens_before(call) + call.waiting_tokens
        foreseen_s = self._foreseen_s(call, tokens, urgency.deadline_s - began_s)
        self._index.add(blocks)
        bisect.insort(call.lane.calls, call, key=lambda known: known.rank_s)
        self._fill()
        try:
            await call.done
        except asyncio.CancelledError:
            runs = (item.uncached_tokens for task, item in call.tasks.items() if not task.done())
            call.tenant.pay(sum(runs))
            raise
        finally:
            self._leave(call)
        if foreseen_s is not None:
            self.predictions.record(foreseen_s, time.monotonic() - began_s)

    def predicted_wait_s(self) -> float | None:
        """Seconds until all is read that waits or runs now; None while too little is known."""
        calls = [call for lane in self._lanes.by_key.values() for call in lane.calls]
        waiting = sum(call.waiting_tokens for call in calls)
        flying = sum(item.uncached_tokens for item in self._flying)
        tokens = waiting + flying
        return self.predictions.seconds(tokens, self._engine.step_tokens) if tokens else 0.0

    def forget_cache(self) -> None:
        """Take the engine's cache for empty."""
        self._index.clear()

    def forget(self) -> None:
        """Forget the engine's cache, and its speed while it warmed up."""
        self._index.clear()
        self.predictions.forget()

    def _call(
        self,
        prompts: Sequence[Prompt],
        blocks: Sequence[Blocks],
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_read: OnRead,
    ) -> QueuedRead:
        uncached = self._index.uncached_tokens(prompts, blocks)
        items = deque(map(Item, range(len(prompts)), prompts, uncached))
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if not items:
            done.set_result(None)
        return QueuedRead(
            urgency.tenant,
            self._lane(urgency.tenant),
            urgency.rank_s,
            urgency.slack_s,
            trace_headers,
            on_read,
            items,
            sum(uncached),
            len(items),
            done,
        )

    def _lane(self, tenant: Tenant) -> Lane:
        """The calls of a tenant, to which one is added."""
        lanes = self._lanes
        if not lanes.by_key:
            lanes.by_key[tenant.key] = Lane(tenant.weight, -float(lanes.credit_tokens))
            return lanes.by_key[tenant.key]
        lane = lanes.by_key.get(tenant.key)
        if lane is None or not lane.calls:
            lane = lanes.come(tenant)
        lane.weight = tenant.weight
        return lane

    def _tokens_before(self, call: QueuedRead) -> float:
        """Tokens to compute before a call that comes now. What ranks later takes its own risk."""
        rank_s, others = call.rank_s, 0.0
        if not self._is_alone:
            rank_s, others = self._lanes.rank_s(call), self._lanes.tokens_before(call)
        own = sum(c.waiting_tokens for c in call.lane.calls if c.rank_s <= call.rank_s)
        flying = (i.uncached_tokens for i, its_s in self._flying.items() if its_s <= rank_s)
        return own + others + sum(flying)

    def _foreseen_s(self, call: QueuedRead, tokens: float, left_s: float) -> float | None:
        """Seconds until a call is done which has `left_s`; None while too little is known.

        Raises DeadlineUnreachableError if it would likely be late, unless it passes all others,
        which is what it is ranked for.
        """
        step_tokens = self._engine.step_tokens
        foreseen_s = self.predictions.seconds(tokens, step_tokens)
        first_s = [lane.calls[0].rank_s for lane in self._lanes.by_key.values() if lane.calls]
        passes_all = bool(first_s) and min(first_s) > call.rank_s
        if foreseen_s is None or foreseen_s <= left_s or passes_all:
            return foreseen_s
        if not first_s and self.predictions.are_old(time.monotonic()):
            # Refused calls teach nothing: now and then one has to show how long it takes.
            return foreseen_s
        self.predictions.refused += 1
        own_s = self.predictions.seconds(call.waiting_tokens, step_tokens) or 0.0
        # Alone it would be late as well: no use to try again.
        retry_s = None if own_s > left_s else max(foreseen_s - left_s, MIN_RETRY_S)
        raise DeadlineUnreachableError(max(0.0, left_s), foreseen_s, retry_s)

    def _fill(self) -> None:
        """Give the engine prompts until it has enough."""
        while call := self._next():
            rank_s = call.rank_s if self._is_alone else self._lanes.rank_s(call)
            if self._is_busy(rank_s):
                return
            item = call.waiting.popleft()
            call.waiting_tokens -= item.uncached_tokens
            call.lane.used += item.uncached_tokens / call.lane.weight
            if not self._flying:
                self.predictions.begin(time.monotonic())
            self._flying[item] = rank_s
            turn = turn_of(rank_s, call.slack_s)
            task = asyncio.create_task(self._run(call, item, turn))
            call.tasks[task] = item
            task.add_done_callback(functools.partial(self._landed, call, item))

    @property
    def _is_alone(self) -> bool:
        """Whether all calls are of one tenant, so that ranks say all."""
        return len(self._lanes.by_key) <= 1

    def _next(self) -> QueuedRead | None:
        """The call of which a prompt goes next."""
        if not self._is_alone:
            return self._lanes.next()
        calls = (call for lane in self._lanes.by_key.values() for call in lane.calls)
        return next((call for call in calls if call.waiting), None)

    def _is_busy(self, rank_s: float) -> bool:
        """Whether what ranks no later fills the steps ahead; the engine puts off the rest."""
        ahead = [item.uncached_tokens for item, its_s in self._flying.items() if its_s <= rank_s]
        return (
            sum(ahead) >= STEPS_AHEAD * self._engine.step_tokens
            or len(ahead) >= STEPS_AHEAD * self._engine.step_prompts
        )

    async def _run(self, call: QueuedRead, item: Item, turn: EngineTurn) -> None:
        try:
            reading = await self._engine.read(
                item.prompt.token_ids,
                self._wanted,
                call.trace_headers,
                turn,
                item.prompt.cache_salt,
            )
            uncached_tokens = len(item.prompt.token_ids) - reading.cached_tokens
            self.predictions.done(uncached_tokens, reading.done_s)
            if call.tenant.spend is not None:
                call.tenant.spend(uncached_tokens)
            if not call.done.done():
                call.on_read(item.index, reading)
                call.left -= 1
                if call.left == 0:
                    call.done.set_result(None)
        except Exception as error:  # noqa: BLE001 - whoever waits for the call is told
            if not call.done.done():
                call.done.set_exception(error)

    def _landed(self, call: QueuedRead, item: Item, task: asyncio.Task[None]) -> None:
        # Not at the end of the task itself: one that is cancelled before it begins has no end.
        call.tasks.pop(task, None)
        del self._flying[item]
        self._fill()

    def _leave(self, call: QueuedRead) -> None:
        call.lane.calls.remove(call)
        call.waiting.clear()
        for task in list(call.tasks):
            task.cancel()
        if not any(lane.calls for lane in self._lanes.by_key.values()):
            # An idle engine owes nobody anything; so there are no more lanes than tenants at once.
            self._lanes = Lanes(self._lanes.credit_tokens)
        self._fill()


class PrefixIndex:
    """The blocks of the last prompts, at most `capacity_blocks`. It begins empty.

    The engine keeps prefixes in whole blocks and forgets the least recently used. No text is kept:
    a block is known by a hash of all tokens up to its end, and of the cache salt before them.
    """

    def __init__(self, block_tokens: int, capacity_blocks: int) -> None:
        self._block_tokens = block_tokens
        self._capacity = max(1, capacity_blocks)
        self._known: OrderedDict[int, None] = OrderedDict()

    def blocks(self, prompts: Sequence[Prompt]) -> list[Blocks]:
        """The blocks of each prompt; what neighbours share is hashed once."""
        found: list[Blocks] = []
        before = Prompt((), 0, 0)
        last: Blocks = ()
        for prompt in prompts:
            last = self._continued(last[: self._shared_blocks(before, prompt)], prompt)
            before = prompt
            found.append(last)
        return found

    def uncached_tokens(self, prompts: Sequence[Prompt], blocks: Sequence[Blocks]) -> list[int]:
        """Tokens to compute of each prompt, read in this order; at least one each."""
        own: set[int] = set()
        found = []
        for prompt, known in zip(prompts, blocks, strict=True):
            tokens = len(prompt.token_ids)
            cached = 0
            # The last token is always computed: it is what is read.
            ends = range(self._block_tokens, tokens, self._block_tokens)
            for end, block in zip(ends, known, strict=False):
                if block not in self._known and block not in own:
                    break
                cached = end
            found.append(tokens - cached)
            own.update(known)
        return found

    def add(self, blocks: Sequence[Blocks]) -> None:
        """Take these prompts for cached, the last as the most recently used."""
        for prompt in blocks:
            # The end first: the engine, too, forgets the end of a prefix before its beginning.
            for block in reversed(prompt):
                self._known[block] = None
                self._known.move_to_end(block)
        while len(self._known) > self._capacity:
            self._known.popitem(last=False)

    def clear(self) -> None:
        """Forget everything."""
        self._known.clear()

    def _shared_blocks(self, before: Prompt, prompt: Prompt) -> int:
        """How many blocks a prompt shares with the one before; only the context's are tried."""
        if before.cache_salt != prompt.cache_salt:
            return 0
        shared = min(len(before.token_ids), prompt.context_tokens) // self._block_tokens
        end = shared * self._block_tokens
        return shared if prompt.token_ids[:end] == before.token_ids[:end] else 0

    def _continued(self, known: Blocks, prompt: Prompt) -> Blocks:
        size, ids = self._block_tokens, prompt.token_ids
        blocks = list(known)
        for start in range(len(known) * size, len(ids) - size + 1, size):
            blocks.append(
                hash((blocks[-1] if blocks else prompt.cache_salt, ids[start : start + size]))
            )
        return tuple(blocks)
