"""Which prompt an engine reads next, and whether a call can be answered in its time.

The prompts of all calls that wait are one queue, in the order of their ranks; within a call they
are in the order of its caller, which is the one that shares prefixes. The engine gets just enough
of them to stay busy, so that what comes late and is due early waits for little. A call that most
likely could not meet its deadline is refused at once; one that nobody waits for any more never
reaches the engine.

Knows prompts, times and an engine behind a protocol. Does not know labels, claims or transports.
"""

import asyncio
import bisect
import math
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from groundwire_verifier.domain.errors import DeadlineUnreachableError
from groundwire_verifier.domain.threads import in_thread
from groundwire_verifier.domain.types import Prompt
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.scheduling.cost_model import CostModel, Work, total
from groundwire_verifier.scheduling.engine import Engine, TokenReading, Turn
from groundwire_verifier.scheduling.pace import STEP_SHARE, LeastSlack
from groundwire_verifier.scheduling.predictions import Predictions
from groundwire_verifier.scheduling.prefix_index import Blocks, PrefixIndex
from groundwire_verifier.scheduling.window import Window

STEPS_AHEAD = 2
"""How many steps of the engine are filled: one runs while the next one waits."""

STILL_TO_DO = 0.1
"""What is taken to be left of work that should have been done by now."""

DEAR_SHARE = 0.4
"""Of the time that a call has left, the part that its own work takes if it is dear."""

MIN_RETRY_S = 0.05
HASHED_ON_THE_LOOP = 64
"""Prompts of a call whose prefixes are hashed on the event loop; more are hashed in a thread."""

_LAST = 2**62

OnRead = Callable[[int, TokenReading], None]


@dataclass(slots=True, eq=False)
class _Item:
    """One prompt of a call."""

    index: int
    prompt: Prompt
    work: Work


@dataclass(slots=True, eq=False)
class _Call:
    """A call in the queue or in the engine. `work` is that of what waits."""

    urgency: Urgency
    turn: Turn
    trace_headers: Mapping[str, str]
    on_read: OnRead
    waiting: deque[_Item]
    work: Work
    left: int
    done: asyncio.Future[None]
    tasks: set[asyncio.Task[None]] = field(default_factory=set)


class Dispatcher:
    """Feeds one engine. `wanted_ids` are the tokens whose log-probabilities are read.

    `predictions` are counted up.
    """

    def __init__(
        self,
        engine: Engine,
        wanted_ids: Sequence[int],
        predictions: Predictions,
        cost: CostModel | None = None,
    ) -> None:
        self._engine = engine
        self._wanted = list(wanted_ids)
        self._cost = cost or CostModel()
        self._index = PrefixIndex(engine.block_tokens, engine.cache_tokens // engine.block_tokens)
        self._calls: list[_Call] = []
        self._flying: dict[_Item, float] = {}
        self._window = Window()
        self._slack = LeastSlack()
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
        Cancelling it takes what waits out of the queue and stops what runs.
        """
        if len(prompts) <= HASHED_ON_THE_LOOP:
            blocks = self._index.blocks(prompts)
        else:
            blocks = await in_thread(self._index.blocks, prompts)
        began_s = time.monotonic()
        call = self._call(prompts, blocks, trace_headers, urgency, on_read)
        self._slack.came(call.turn.slack_s, began_s)
        computed_s = self._admit(call)
        for each in blocks:
            self._index.add(each)
        bisect.insort(self._calls, call, key=lambda known: known.urgency.rank_s)
        self._fill()
        try:
            await call.done
        except asyncio.CancelledError:
            if computed_s is not None:
                self.predictions.record_given_up(computed_s, time.monotonic() - began_s)
            raise
        finally:
            self._leave(call)
        if computed_s is not None:
            self.predictions.record(computed_s, time.monotonic() - began_s)

    def forget_cache(self) -> None:
        """Take the engine's cache for empty."""
        self._index.clear()

    def forget(self) -> None:
        """Forget the engine's cache, and its speed while it warmed up."""
        self._index.clear()
        self._cost.forget()

    def _call(
        self,
        prompts: Sequence[Prompt],
        blocks: Sequence[Blocks],
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_read: OnRead,
    ) -> _Call:
        uncached = self._index.uncached_tokens(prompts, blocks)
        items = deque(
            _Item(i, prompt, Work.of(tokens, len(prompt.token_ids)))
            for i, (prompt, tokens) in enumerate(zip(prompts, uncached, strict=True))
        )
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if not items:
            done.set_result(None)
        work = total(item.work for item in items)
        return _Call(urgency, _turn(urgency), trace_headers, on_read, items, work, len(items), done)

    def _admit(self, call: _Call) -> float | None:
        """Seconds until a call is done, by the engine's speed; None while too little is known.

        Raises DeadlineUnreachableError if it would likely miss its deadline. What ranks later
        is no reason: it takes the risk of what passes it.
        """
        if not self._cost.ready:
            return None
        rank_s = call.urgency.rank_s
        ahead = total(known.work for known in self._calls if known.urgency.rank_s <= rank_s)
        computed_s = self._seconds_after_flying(ahead + call.work, call.urgency)
        own_s = self._cost.seconds(call.work)
        left_s = max(0.0, call.urgency.deadline_s - time.monotonic())
        is_first = not self._calls or self._calls[0].urgency.rank_s > rank_s
        if is_first and computed_s <= left_s:
            # What calls took behind others says nothing of it, and refusing it teaches nothing.
            return computed_s
        # A dear call that ends late has wasted much; a cheap one is worth a try.
        dear = own_s > DEAR_SHARE * left_s
        needed_s = self.predictions.needed_s(computed_s, dear=dear)
        if needed_s > left_s:
            self.predictions.refused += 1
            # With nothing else in the engine it would be late as well: no use to try again.
            retry_s = None if own_s > left_s else max(needed_s - left_s, MIN_RETRY_S)
            raise DeadlineUnreachableError(left_s, needed_s, retry_s)
        return computed_s

    def _seconds_after_flying(self, work: Work, urgency: Urgency) -> float:
        """Seconds for this work behind what the engine has, for a call that comes now."""
        before: list[Work] = []
        behind: list[Work] = []
        for item, rank_s in self._flying.items():
            (before if rank_s <= urgency.rank_s else behind).append(item.work)
        since_s = self._window.since_step_s
        before_s, behind_s = self._cost.seconds(total(before)), self._cost.seconds(total(behind))
        done_s = min(since_s, (1.0 - STILL_TO_DO) * before_s)
        own_s = self._cost.seconds(total(before) + work) - done_s
        # Of what goes behind it two things are in its way: the rest of the step that runs, and what
        # its own step is filled up with.
        step_s = min(behind_s, STEP_SHARE * self._slack.seconds(time.monotonic()))
        left_s = max(STILL_TO_DO * step_s, step_s - since_s)
        return left_s + min(max(step_s, own_s), own_s + behind_s)

    def _fill(self) -> None:
        """Give the engine prompts until it has enough."""
        while call := next((call for call in self._calls if call.waiting), None):
            rank_s = call.urgency.rank_s
            if self._is_busy(rank_s):
                return
            item = call.waiting.popleft()
            call.work -= item.work
            self._flying[item] = rank_s
            self._window.begin()
            task = asyncio.create_task(self._run(call, item))
            call.tasks.add(task)
            task.add_done_callback(call.tasks.discard)

    def _is_busy(self, rank_s: float) -> bool:
        """Whether what ranks no later fills the steps ahead; the engine puts off the rest."""
        ahead = [item.work.tokens for item, ranks_s in self._flying.items() if ranks_s <= rank_s]
        return (
            sum(ahead) >= STEPS_AHEAD * self._engine.step_tokens
            or len(ahead) >= STEPS_AHEAD * self._engine.step_prompts
        )

    async def _run(self, call: _Call, item: _Item) -> None:
        reading: TokenReading | None = None
        try:
            reading = await self._engine.read(
                item.prompt.token_ids,
                self._wanted,
                call.trace_headers,
                call.turn,
                item.prompt.cache_salt,
            )
            if not call.done.done():
                call.on_read(item.index, reading)
                call.left -= 1
                if call.left == 0:
                    call.done.set_result(None)
        except Exception as error:  # noqa: BLE001 - whoever waits for the call is told
            if not call.done.done():
                call.done.set_exception(error)
        finally:
            del self._flying[item]
            self._observe(item, reading)
            self._fill()

    def _observe(self, item: _Item, reading: TokenReading | None) -> None:
        """Learn from a prompt that the engine is through with."""
        found = None
        if reading is None:
            # Nobody knows how much of it was computed.
            self._window.spoil()
        else:
            tokens = len(item.prompt.token_ids)
            work = Work.of(tokens - reading.cached_tokens, tokens)
            found = self._window.add(work, reading.done_s)
        for observation in (found, None if self._flying else self._window.end()):
            if observation is not None:
                self._cost.observe(*observation)

    def _leave(self, call: _Call) -> None:
        self._calls.remove(call)
        call.waiting.clear()
        for task in list(call.tasks):
            task.cancel()
        self._fill()


def _turn(urgency: Urgency) -> Turn:
    """Its priority is in milliseconds on the clock."""
    if math.isinf(urgency.rank_s):
        return Turn(_LAST, math.inf)
    return Turn(round(urgency.rank_s * 1000), urgency.slack_s)
