"""The traffic of the load bench: calls that arrive at random, whether or not earlier ones are done.

Open loop: a call is sent when its time has come, and its latency counts from that time, so a server
that falls behind cannot slow its own load down. Knows the ways to ask and the corpus. Does not
know rates, sweeps or reports.
"""

import asyncio
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.tools.contenders import CallFailedError, Contender, Cost
from bench.tools.corpus import Corpus

FIXED_TARGET_S, TARGET_A_CLAIM_S = 0.5, 0.1
OK = "OK"
WARM_UP_TIMEOUT_S = 60.0
POOL = 20
"""Contexts of each length that warm calls draw from."""

CONTEXT_TOKENS = (100, 300, 600, 1200)


@dataclass(frozen=True, slots=True)
class Mix:
    """How often each batch size comes; the chosen context lengths come equally often."""

    name: str
    weights: Mapping[int, float]


MIXES = (
    Mix("single", {1: 1.0}),
    Mix("4", {4: 1.0}),
    Mix("16", {16: 1.0}),
    Mix("64", {64: 1.0}),
    Mix("mixed", {1: 0.6, 4: 0.25, 16: 0.12, 64: 0.03}),
    Mix("background", {1: 0.9, 64: 0.1}),
)


@dataclass(frozen=True, slots=True)
class Arrival:
    """A call that is to come: `at_s` after the beginning, with this context and these claims."""

    at_s: float
    context: str
    context_tokens: int
    claims: tuple[str, ...]

    @property
    def target_s(self) -> float:
        """The latency target, which is the call's deadline as well."""
        return FIXED_TARGET_S + TARGET_A_CLAIM_S * len(self.claims)


@dataclass(frozen=True, slots=True)
class Sample:
    """What became of a call. `outcome` is OK or the reason of its error."""

    at_s: float
    claims: int
    context_tokens: int
    target_s: float
    latency_s: float
    outcome: str
    prompt_tokens: int = 0
    cached_tokens: int = 0

    @property
    def met(self) -> bool:
        """Whether it was answered within its target. A refused call was not."""
        return self.outcome == OK and self.latency_s <= self.target_s


class Traffic:
    """Makes arrivals from a corpus; the same seed makes the same traffic."""

    def __init__(
        self, corpus: Corpus, mix: Mix, *, warm: bool, lengths: Sequence[int] = CONTEXT_TOKENS
    ) -> None:
        """Draw the pool, if calls are to be warm. `lengths` are those of contexts, in tokens."""
        self._corpus, self.mix, self.lengths = corpus, mix, tuple(lengths)
        self.pool = (
            {tokens: [corpus.context(tokens) for _ in range(POOL)] for tokens in lengths}
            if warm
            else {}
        )

    def to_warm_up(self) -> list[tuple[str, list[str]]]:
        """Contexts, each with a claim, after which the pool is known and a server has its speed."""
        contexts = [context for pool in self.pool.values() for context in pool]
        fresh = [self._corpus.context(tokens) for tokens in self.lengths for _ in range(4)]
        return [(context, self._corpus.claims(1)) for context in contexts or fresh]

    def arrivals(self, rate: float, seconds: float, seed: int) -> list[Arrival]:
        """Calls at `rate` a second in the mean for so many seconds, as a Poisson process."""
        draw = random.Random(seed)  # noqa: S311 - a fixed draw, not a secret
        sizes, weights = list(self.mix.weights), list(self.mix.weights.values())
        found: list[Arrival] = []
        at_s = draw.expovariate(rate)
        while at_s < seconds:
            tokens = draw.choice(self.lengths)
            (size,) = draw.choices(sizes, weights)
            context = draw.choice(self.pool[tokens]) if self.pool else self._corpus.context(tokens)
            found.append(Arrival(at_s, context, tokens, tuple(self._corpus.claims(size))))
            at_s += draw.expovariate(rate)
        return found


async def send(way: Contender, arrivals: Sequence[Arrival]) -> list[Sample]:
    """Send each call at its time; the samples in the order of the arrivals."""
    began_s = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        tasks = []
        for arrival in arrivals:
            await asyncio.sleep(max(0.0, began_s + arrival.at_s - time.perf_counter()))
            tasks.append(group.create_task(_call(way, arrival, began_s)))
    return [task.result() for task in tasks]


async def warm_up(way: Contender, traffic: Traffic) -> None:
    """Have the server know the pool, and its own speed."""
    for context, claims in traffic.to_warm_up():
        await way.ask(claims, context, WARM_UP_TIMEOUT_S)


async def _call(way: Contender, arrival: Arrival, began_s: float) -> Sample:
    cost, outcome = Cost(), OK
    left_s = began_s + arrival.at_s + arrival.target_s - time.perf_counter()
    try:
        cost = await way.ask(arrival.claims, arrival.context, max(0.001, left_s))
    except CallFailedError as error:
        outcome = str(error)
    return Sample(
        at_s=arrival.at_s,
        claims=len(arrival.claims),
        context_tokens=arrival.context_tokens,
        target_s=arrival.target_s,
        latency_s=time.perf_counter() - began_s - arrival.at_s,
        outcome=outcome,
        prompt_tokens=cost.prompt_tokens,
        cached_tokens=cost.cached_tokens,
    )
