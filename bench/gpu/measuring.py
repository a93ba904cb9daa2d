"""How a cell is measured: calls one after the other, then calls that arrive at random."""

import random
import statistics
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from bench.gpu.plan import Cell
from bench.load import GIVE_UP_BELOW, OK, Mix, Sample, Traffic, send
from bench.tools.common import BenchError, nearest_rank, say
from bench.tools.contenders import CallFailedError, Contender
from bench.tools.corpus import Corpus

OURS = "groundwire"
WARM_UPS = 2
REPEATS = 12
CALLS_S = 4.0
"""A cell ends after so many seconds, if it has LEAST_REPEATS by then."""
LEAST_REPEATS = 3
CALL_TIMEOUT_S = 30.0
RATES = 5
RATE_S = 1.5
MOST_CALLS, LEAST_CALLS = 200, 5
"""Of one rate, in the mean."""
SEED = 5


@dataclass(frozen=True, slots=True)
class Alone:
    """Calls of one cell, one after the other.

    `ratio` is the median, over calls, of the seconds of `other` by ours: above 1 we are faster.
    `other` is the faster of the two ways to ask vLLM's own server; None where both failed.
    """

    calls: int
    p50_s: float
    p95_s: float
    computed_tokens: float
    other: str | None
    ratio: float | None


@dataclass(frozen=True, slots=True)
class Loaded:
    """Calls of one cell that arrive at random, at the rate with the highest goodput.

    `goodput` is calls a second in time, and `answered_s` those that were answered at all, until the
    last was. `computed_tokens` is the mean of an answered call; 0 where the way does not tell.
    `outcomes` are OK and the reasons of errors, with how many calls ended so.
    """

    rate: float
    calls: int
    goodput: float
    computed_tokens: float
    answered_s: float
    outcomes: Mapping[str, int]


async def alone(
    ways: Mapping[str, Contender], corpus: Corpus, cell: Cell, repeats: int = REPEATS
) -> Alone:
    """Ask for the same claims by each way, in an order drawn anew. Raises BenchError."""
    dice = random.Random(SEED)  # noqa: S311 - a fixed order
    left, times_s, computed = dict(ways), {name: list[float]() for name in ways}, list[int]()
    began_s = time.perf_counter()
    for number in range(WARM_UPS + repeats):
        if time.perf_counter() - began_s > CALLS_S and number >= WARM_UPS + LEAST_REPEATS:
            break
        claims = corpus.claims(cell.claims)
        for name in dice.sample(list(left), k=len(left)):
            # Each its own: two of the ways are one server, which has one cache.
            context = corpus.context(cell.context_tokens)
            asked_s = time.perf_counter()
            try:
                cost = await left[name].ask(claims, context, CALL_TIMEOUT_S)
            except CallFailedError as error:
                if name == OURS:
                    raise BenchError(f"{cell}: a call failed: {error}") from error
                say(f"{cell}: {name} failed and is left out: {error}")
                del left[name]
                continue
            if number >= WARM_UPS:
                times_s[name].append(time.perf_counter() - asked_s)
                if name == OURS:
                    computed.append(cost.prompt_tokens - cost.cached_tokens)
    others = [name for name in left if name != OURS]
    other = min(others, key=lambda name: statistics.median(times_s[name]), default=None)
    ours = times_s[OURS]
    return Alone(
        calls=len(ours),
        p50_s=nearest_rank(ours, 0.5),
        p95_s=nearest_rank(ours, 0.95),
        computed_tokens=statistics.median(computed),
        other=other,
        ratio=None
        if other is None
        else statistics.median(a / b for a, b in zip(times_s[other], ours, strict=True)),
    )


async def loaded(
    way: Contender, corpus: Corpus, cell: Cell, alone_s: float, rates: int = RATES
) -> Loaded:
    """Calls at rates that double, from half of what is answered one after the other."""
    traffic = Traffic(
        corpus, Mix(str(cell.claims), {cell.claims: 1.0}), warm=False, lengths=[cell.context_tokens]
    )
    found: list[Loaded] = []
    for number in range(rates):
        rate = 0.5 * 2**number / alone_s
        seconds = min(max(RATE_S, LEAST_CALLS / rate), MOST_CALLS / rate)
        arrivals = traffic.arrivals(rate, seconds, SEED + number)
        samples = await send(way, arrivals)
        if samples:
            found.append(at_rate(rate, seconds, samples))
            if sum(sample.met for sample in samples) < GIVE_UP_BELOW * len(samples):
                break
    if not found:
        raise BenchError(f"{cell}: no call arrived")
    return max(found, key=lambda each: each.goodput)


def at_rate(rate: float, seconds: float, samples: list[Sample]) -> Loaded:
    """The figures of one rate, whose calls arrived within so many seconds."""
    # What was answered afterwards took longer than the arrivals did.
    took_s = max(seconds, *(sample.at_s + sample.latency_s for sample in samples))
    answered = [sample for sample in samples if sample.outcome == OK]
    computed = [sample.prompt_tokens - sample.cached_tokens for sample in answered]
    return Loaded(
        rate=rate,
        calls=len(samples),
        goodput=sum(sample.met for sample in samples) / took_s,
        computed_tokens=statistics.fmean(computed) if computed else 0.0,
        answered_s=len(answered) / took_s,
        outcomes=dict(Counter(sample.outcome for sample in samples)),
    )
