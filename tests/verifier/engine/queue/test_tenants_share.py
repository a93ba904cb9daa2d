"""How tenants share an engine. Time is counted in computed tokens, so no clock decides."""

import asyncio
import heapq
import itertools
import math
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from groundwire_verifier.domain.errors import DeadlineUnreachableError
from groundwire_verifier.domain.types import Prompt
from groundwire_verifier.domain.urgency import Tenant, Urgency
from groundwire_verifier.engine.queue.dispatcher import Dispatcher
from groundwire_verifier.engine.queue.engine import EngineTurn, TokenReading
from groundwire_verifier.engine.queue.predictions import MIN_STEPS, Predictions
from tests.scripted import ScriptedEngine

LIGHT, HEAVY = Tenant("light"), Tenant("heavy")
PROMPT_TOKENS = 100
TURNS = 20
"""Turns of the loop in which whatever follows from a reading has happened."""


class CountingEngine(ScriptedEngine):
    """Computes one prompt at a time, the lowest priority first. Its clock counts their tokens."""

    def __init__(self, step_tokens: int = PROMPT_TOKENS) -> None:
        super().__init__()
        self.step_prompts, self.step_tokens = 1, step_tokens
        self.now_tokens = 0
        self.order: list[str] = []
        self._numbers = itertools.count()
        self._queue: list[tuple[int, int, str, int, asyncio.Future[None]]] = []

    async def read(
        self,
        prompt_ids: Sequence[int],
        wanted_ids: Sequence[int],
        trace_headers: Mapping[str, str],
        turn: EngineTurn,
        cache_salt: str,
    ) -> TokenReading:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        name = "".join(map(chr, prompt_ids)).rstrip(".")
        heapq.heappush(
            self._queue, (turn.priority, next(self._numbers), name, len(prompt_ids), done)
        )
        await done
        now_s = time.monotonic()
        return TokenReading((0.0,) * len(wanted_ids), 0, now_s, now_s)

    async def step(self) -> None:
        """Compute one prompt, if there is any."""
        while self._queue:
            _, _, name, tokens, done = heapq.heappop(self._queue)
            if not done.done():
                self.now_tokens += tokens
                self.order.append(name)
                done.set_result(None)
                break
        else:
            self.now_tokens += PROMPT_TOKENS
        for _ in range(TURNS):
            await asyncio.sleep(0)


@dataclass
class Load:
    """Calls on an engine, and how many tokens were computed until each was answered."""

    engine: CountingEngine = field(default_factory=CountingEngine)
    predictions: Predictions = field(default_factory=Predictions)

    def __post_init__(self) -> None:
        self.dispatcher = Dispatcher(self.engine, [ord("y")], self.predictions)
        self._numbers = itertools.count()
        self.calls: list[asyncio.Task[int]] = []

    def call(self, tenant: Tenant, prompts: int, rank_s: float = 0.0) -> "asyncio.Task[int]":
        """Ask for so many prompts that share nothing."""
        number = next(self._numbers)
        texts = [f"{tenant.key}{number}-{i}".ljust(PROMPT_TOKENS, ".") for i in range(prompts)]
        asked = [Prompt(tuple(map(ord, text)), 4, 4) for text in texts]
        came = self.engine.now_tokens

        async def read() -> int:
            urgency = Urgency(rank_s or float(number), tenant=tenant)
            await self.dispatcher.read(asked, {}, urgency, lambda *_: None)
            return self.engine.now_tokens - came

        task = asyncio.create_task(read())
        self.calls.append(task)
        return task

    async def run(self, steps: int) -> None:
        for _ in range(steps):
            await self.engine.step()

    def computed(self, tenant: Tenant) -> int:
        """Prompts that were computed for a tenant."""
        return sum(name.startswith(tenant.key) for name in self.engine.order)


@pytest.fixture
async def load() -> AsyncIterator[Load]:
    load = Load()
    yield load
    for call in load.calls:
        call.cancel()
    await asyncio.gather(*load.calls, return_exceptions=True)


async def latencies(load: Load, asker: Tenant, backlog: int) -> list[int]:
    """Of calls that one tenant sends now and then, while another has so many that wait."""
    for _ in range(backlog):
        load.call(HEAVY, prompts=16)
    await load.run(40)
    found = []
    for _ in range(20):
        call = load.call(asker, prompts=16)
        await load.run(60)
        found.append(call.result() if call.done() else 10**9)
    return sorted(found)


async def test_a_backlog_of_one_tenant_leaves_the_95th_percentile_of_another(load: Load) -> None:
    alone = (await latencies(Load(), LIGHT, backlog=0))[18]
    beside = (await latencies(load, LIGHT, backlog=200))[18]
    assert beside <= 1.1 * alone


async def test_of_one_tenant_the_backlog_goes_first(load: Load) -> None:
    """The same load without tenants, which shows what the test above is about."""
    assert (await latencies(load, HEAVY, backlog=200))[18] > 10**6


async def test_who_always_asks_has_the_share_of_its_weight(load: Load) -> None:
    double = Tenant("double", 2.0)
    for tenant in (HEAVY, double):
        for _ in range(30):
            load.call(tenant, prompts=10)
    await load.run(150)
    assert load.computed(double) == pytest.approx(2 * load.computed(HEAVY), rel=0.05)


async def test_within_a_tenant_the_rank_decides(load: Load) -> None:
    load.call(HEAVY, prompts=30)
    late = load.call(LIGHT, prompts=8, rank_s=90.0)
    await load.run(4)
    soon = load.call(LIGHT, prompts=2, rank_s=50.0)
    await load.run(40)
    assert soon.result() < late.result()
    order = [name for name in load.engine.order if name.startswith("light")]
    assert order.index("light2-1") < order.index("light1-7")


async def test_a_credit_is_used_up(load: Load) -> None:
    for tenant in (HEAVY, LIGHT):
        for _ in range(10):
            load.call(tenant, prompts=10)
        await load.run(20)
    await load.run(60)
    of_both = load.engine.order[30:]
    light = sum(name.startswith("light") for name in of_both)
    assert light == pytest.approx(len(of_both) / 2, abs=2)


async def test_what_nobody_waits_for_waits_for_all_tenants(load: Load) -> None:
    load.call(LIGHT, prompts=5, rank_s=math.inf)
    await load.run(1)
    load.call(HEAVY, prompts=20)
    await load.run(40)
    order = "".join(name[0] for name in load.engine.order)
    assert "h" * 20 in order
    assert order.endswith("ll")


async def test_an_idle_engine_owes_nobody_anything() -> None:
    load = Load(CountingEngine(step_tokens=10 * PROMPT_TOKENS))
    load.call(HEAVY, prompts=30)
    await load.run(40)
    heavy = load.call(HEAVY, prompts=1, rank_s=1.0)
    light = load.call(LIGHT, prompts=1, rank_s=2.0)
    await load.run(5)
    assert heavy.result() < light.result()
    assert not load.dispatcher._lanes.by_key


async def test_a_call_is_not_refused_for_the_backlog_of_another_tenant(load: Load) -> None:
    began_s = time.monotonic() - 1000.0
    load.predictions.begin(began_s)
    for step in range(100 * MIN_STEPS):
        load.predictions.done(PROMPT_TOKENS, began_s + (step + 1) / MIN_STEPS)
    # Not in one call: so many prompts are hashed in a thread, which no turn of the loop waits for.
    for _ in range(12):
        load.call(HEAVY, prompts=16)
    await load.run(20)

    async def ask(tenant: Tenant) -> None:
        prompt = Prompt(tuple(map(ord, tenant.key.ljust(PROMPT_TOKENS, "_"))), 4, 4)
        now_s = time.monotonic()
        urgency = Urgency(now_s + 2.0, 2.0, now_s + 2.0, tenant)
        await load.dispatcher.read([prompt], {}, urgency, lambda *_: None)

    with pytest.raises(DeadlineUnreachableError):
        await ask(HEAVY)
    call = asyncio.create_task(ask(LIGHT))
    await load.run(5)
    assert call.done()
    await call
