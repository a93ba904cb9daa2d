"""How 2 to 256 servers behave by where calls go: prefix cache, imbalance, waiting, scaling.

Simulated, without a model or a server. What is assumed:

- Calls of one claim come at random (Poisson), 2.5 a second for each server. Contexts are asked
  about by Zipf's law; there are 200 of them for each server, and a server remembers the 100 that it
  used last.
- A server reads one call after the other, in order, in 94 ms on a context that it remembers and in
  360 ms on any other: the p95 of one claim on 300 tokens that docs/measurements.md has.
- Affinity gives each context a server by a hash (that of the largest hash of both, which moves as
  few contexts as Maglev does, or fewer). Bounded load is Envoy's rule: a server may have so many
  times the mean of the calls under way; beyond it, servers are tried in an order that belongs to
  the context. One proxy sees all calls.
- Autoscaling is that of Kubernetes: each 15 s as many servers as bring the sum of predicted waits
  to 0.5 s each, with a tenth of tolerance, and no more than twice those of a minute ago; a server
  comes after 60 s, with nothing remembered, and one goes each 2 minutes once fewer were enough for
  10 minutes.

Not in it: batches, calls of several claims, refusals, deadlines, networks. So figures say how ways
compare, and not how long a call of yours takes.
"""

import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from heapq import heappop, heappush
from itertools import pairwise
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.tools.common import (
    Run,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    write_results,
)

KNOWN_S, NEW_S = 0.094, 0.360
CALLS_A_SECOND_EACH = 2.5
CONTEXTS_EACH, REMEMBERED = 200, 100
SERVERS = (2, 8, 32, 128, 256)
SKEWS = (0.8, 1.1)
CALLS_EACH, QUICK_CALLS_EACH = 150, 30
LEAST_CALLS = 10_000
WARM_SHARE = 0.4
"""Of the calls, those at the beginning that count for nothing: caches are empty then."""

SEED = 7
HASHED = 2**31

TARGET_WAIT_S, TOLERANCE = 0.5, 0.1
SCALE_EVERY_S, START_S, DOWN_AFTER_S, DOWN_EVERY_S = 15.0, 60.0, 600.0, 120.0
LEAST_SERVERS, MOST_SERVERS = 4, 64
DAY = ((0.0, 1.0), (900.0, 1.0), (1200.0, 4.0), (2700.0, 4.0), (3000.0, 1.0), (5400.0, 1.0))
"""Seconds, and the rate then as a multiple of what 8 servers are meant for; straight between."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Servers:
    """The state of all servers: what each remembers, when it is free, what is under way."""

    def __init__(self, count: int) -> None:
        self.free_s = np.zeros(count)
        self.busy_s = np.zeros(count)
        self.alive = list(range(count))
        self._memory: list[dict[int, None]] = [{} for _ in range(count)]
        self._under_way: list[deque[float]] = [deque() for _ in range(count)]
        self._ends: list[float] = []

    def add(self) -> None:
        """One more, that remembers nothing."""
        self.alive.append(len(self._memory))
        self.free_s = np.append(self.free_s, 0.0)
        self.busy_s = np.append(self.busy_s, 0.0)
        self._memory.append({})
        self._under_way.append(deque())

    def remove(self) -> None:
        """The newest takes no calls any more."""
        self.alive.pop()

    def under_way(self, server: int, now_s: float) -> int:
        """Calls that a server has now."""
        calls = self._under_way[server]
        while calls and calls[0] <= now_s:
            calls.popleft()
        return len(calls)

    def all_under_way(self, now_s: float) -> int:
        """Calls that all of them have now."""
        while self._ends and self._ends[0] <= now_s:
            heappop(self._ends)
        return len(self._ends)

    def mean_wait_s(self, now_s: float) -> float:
        """What a call would wait now, in the mean of the servers."""
        return float(np.maximum(self.free_s[self.alive] - now_s, 0.0).mean())

    def call(self, server: int, context: int, now_s: float) -> tuple[float, bool]:
        """Give a server a call: how long it waits, and whether the context is remembered."""
        memory = self._memory[server]
        known = context in memory
        memory.pop(context, None)
        memory[context] = None
        if len(memory) > REMEMBERED:
            del memory[next(iter(memory))]
        cost_s = KNOWN_S if known else NEW_S
        wait_s = max(0.0, float(self.free_s[server]) - now_s)
        end_s = now_s + wait_s + cost_s
        self.free_s[server] = end_s
        self.busy_s[server] += cost_s
        self._under_way[server].append(end_s)
        heappush(self._ends, end_s)
        return wait_s, known


Choose = Callable[[Servers, int, float], int]


def by_turns() -> Choose:
    """One server after the other."""
    turn = 0

    def choose(servers: Servers, context: int, now_s: float) -> int:
        nonlocal turn
        turn += 1
        return servers.alive[turn % len(servers.alive)]

    return choose


def by_context(factor: float | None) -> Choose:
    """The server of the context, or the next of its own order that has not too much under way."""
    orders: dict[tuple[int, int], Ints] = {}

    def choose(servers: Servers, context: int, now_s: float) -> int:
        alive = servers.alive
        order = orders.get((context, len(alive)))
        if order is None:
            ranks = mixed(np.asarray(alive, dtype=np.int64), context)
            order = orders[context, len(alive)] = np.asarray(alive)[np.argsort(-ranks)]
        if factor is None:
            return int(order[0])
        most = ceil(factor * (servers.all_under_way(now_s) + 1) / len(alive))
        for server in order:
            if servers.under_way(int(server), now_s) < most:
                return int(server)
        return int(order[0])

    return choose


def mixed(servers: Ints, context: int) -> Ints:
    """A hash of each server with a context."""
    x = (servers + 1) * 2654435761 ^ (context + 1) * 40503 * 65537
    for shift in (15, 13, 16):
        x = (x ^ (x >> shift)) * 2246822519 % HASHED
    return x


WAYS: tuple[tuple[str, Callable[[], Choose]], ...] = (
    ("by turns", by_turns),
    ("by context", lambda: by_context(None)),
    ("by context, at most 2.0 times the mean", lambda: by_context(2.0)),
    ("by context, at most 1.5 times the mean", lambda: by_context(1.5)),
    ("by context, at most 1.25 times the mean", lambda: by_context(1.25)),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """One way with so many servers. `imbalance` is the busiest server's work over the mean."""

    skew: float
    servers: int
    way: str
    hit_rate: float
    imbalance: float
    utilisation: float
    p95_wait_s: float
    mean_s: float
    """Waiting and reading, of a call."""


@dataclass(frozen=True, slots=True)
class Scaled:
    """One way over a day with autoscaling. Times in seconds."""

    way: str
    mean_servers: float
    most_servers: int
    changes: int
    hit_rate: float
    p95_wait_s: float
    p95_wait_rising_s: float
    """While the rate rises and for five minutes after."""


def zipf(contexts: int, skew: float, calls: int, rng: np.random.Generator) -> Ints:
    """Which context each call is on; the number of a context does not say how popular it is."""
    weights = np.arange(1, contexts + 1, dtype=np.float64) ** -skew
    ranks = np.searchsorted(np.cumsum(weights) / weights.sum(), rng.random(calls))
    return np.asarray(rng.permutation(contexts)[np.minimum(ranks, contexts - 1)])


def simulate(servers: int, skew: float, way: str, choose: Choose, calls_each: int) -> Figures:
    """Have so many servers answer calls, the same for each way."""
    rng = np.random.default_rng(SEED)
    calls = max(LEAST_CALLS, calls_each * servers)
    times_s = np.cumsum(rng.exponential(1 / (CALLS_A_SECOND_EACH * servers), calls))
    contexts = zipf(CONTEXTS_EACH * servers, skew, calls, rng)
    state = Servers(servers)
    first = int(calls * WARM_SHARE)
    waits_s, hits = np.zeros(calls), np.zeros(calls, dtype=bool)
    for i, (now_s, context) in enumerate(zip(times_s.tolist(), contexts.tolist(), strict=True)):
        if i == first:
            state.busy_s[:] = 0.0
        waits_s[i], hits[i] = state.call(choose(state, context, now_s), context, now_s)
    seconds = float(times_s[-1] - times_s[first])
    busy_s = state.busy_s
    return Figures(
        skew, servers, way,
        hit_rate=float(hits[first:].mean()),
        imbalance=float(busy_s.max() / busy_s.mean()),
        utilisation=float(busy_s.mean() / seconds),
        p95_wait_s=float(np.quantile(waits_s[first:], 0.95)),
        mean_s=float((waits_s + np.where(hits, KNOWN_S, NEW_S))[first:].mean()),
    )  # fmt: skip


def rates_of_day(seconds: int) -> Floats:
    """Calls a second at each second of the day."""
    at_s, times = zip(*DAY, strict=True)
    return np.asarray(np.interp(np.arange(seconds), at_s, times)) * CALLS_A_SECOND_EACH * 8


class Scaler:
    """Kubernetes' rule: how many servers there are to be."""

    def __init__(self) -> None:
        self.coming_s: deque[float] = deque()
        self._wanted: deque[tuple[float, int]] = deque()
        self._last_down_s = 0.0
        # Of the last minute.
        self._counts: deque[int] = deque(maxlen=round(60 / SCALE_EVERY_S) + 1)

    def step(self, servers: Servers, now_s: float) -> None:
        """Add those that have started, and look again."""
        while self.coming_s and self.coming_s[0] <= now_s:
            self.coming_s.popleft()
            servers.add()
        count = len(servers.alive) + len(self.coming_s)
        self._counts.append(count)
        # Those that are still to come count as if nothing waited there.
        share = servers.mean_wait_s(now_s) * len(servers.alive) / count / TARGET_WAIT_S
        wanted = count if abs(share - 1) <= TOLERANCE else ceil(count * share)
        wanted = int(np.clip(wanted, LEAST_SERVERS, MOST_SERVERS))
        self._wanted.append((now_s, wanted))
        while self._wanted[0][0] < now_s - DOWN_AFTER_S:
            self._wanted.popleft()
        if wanted > count:
            self.coming_s.extend(
                [now_s + START_S] * (max(0, min(wanted, 2 * self._counts[0]) - count))
            )
        elif self._may_go(now_s, count) and len(servers.alive) > LEAST_SERVERS:
            self._last_down_s = now_s
            servers.remove()

    def _may_go(self, now_s: float, count: int) -> bool:
        """Whether fewer were enough for long, and the last one went long ago."""
        enough = max(wanted for _, wanted in self._wanted) < count and now_s >= DOWN_AFTER_S
        return enough and now_s - self._last_down_s >= DOWN_EVERY_S


def scaled(way: str, choose: Choose) -> Scaled:
    """A day of 8 servers that become more and fewer."""
    rng = np.random.default_rng(SEED)
    rates = rates_of_day(int(DAY[-1][0]))
    counts = rng.poisson(rates)
    times_s = np.sort(np.repeat(np.arange(len(rates)), counts) + rng.random(int(counts.sum())))
    contexts = zipf(CONTEXTS_EACH * 8, SKEWS[-1], len(times_s), rng)
    state, scaler = Servers(8), Scaler()
    waits_s, hits = np.zeros(len(times_s)), np.zeros(len(times_s), dtype=bool)
    sizes: list[int] = []
    next_s = SCALE_EVERY_S
    for i, (now_s, context) in enumerate(zip(times_s.tolist(), contexts.tolist(), strict=True)):
        while now_s >= next_s:
            scaler.step(state, next_s)
            sizes.append(len(state.alive))
            next_s += SCALE_EVERY_S
        waits_s[i], hits[i] = state.call(choose(state, context, now_s), context, now_s)
    rising = (times_s >= DAY[1][0]) & (times_s < DAY[2][0] + 300)
    return Scaled(
        way,
        mean_servers=float(np.mean(sizes)),
        most_servers=max(sizes),
        changes=sum(a != b for a, b in pairwise(sizes)),
        hit_rate=float(hits.mean()),
        p95_wait_s=float(np.quantile(waits_s, 0.95)),
        p95_wait_rising_s=float(np.quantile(waits_s[rising], 0.95)),
    )


def table(found: Sequence[Figures], days: Sequence[Scaled]) -> str:
    """The figures as markdown."""
    header = ("Zipf", "servers", "calls go", "prefix hits", "busiest over mean", "busy", "p95 wait",
              "mean time")  # fmt: skip
    rows = [
        (
            f"{f.skew:g}", str(f.servers), f.way, f"{f.hit_rate:.0%}", f"{f.imbalance:.2f}",
            f"{f.utilisation:.0%}", f"{f.p95_wait_s:.2f} s", f"{f.mean_s:.2f} s",
        )
        for f in found
    ]  # fmt: skip
    scaling = ("calls go", "servers, mean", "most", "changes", "prefix hits", "p95 wait",
               "p95 wait while the rate rises")  # fmt: skip
    of_day = [
        (
            d.way, f"{d.mean_servers:.1f}", str(d.most_servers), str(d.changes),
            f"{d.hit_rate:.0%}", f"{d.p95_wait_s:.2f} s", f"{d.p95_wait_rising_s:.2f} s",
        )
        for d in days
    ]  # fmt: skip
    return f"{markdown_table(header, rows)}\n\n{markdown_table(scaling, of_day)}"


def measure(out: Path | None, run: Run) -> None:
    """Simulate all, and write the figures."""
    calls_each = QUICK_CALLS_EACH if run.quick else CALLS_EACH
    found = [
        simulate(servers, skew, way, make(), calls_each)
        for skew in SKEWS
        for servers in SERVERS
        for way, make in WAYS
    ]
    days = [scaled(way, make()) for way, make in WAYS]
    assumed = (__doc__ or "").partition("\n\n")[2]
    lines = ["# Replicas, simulated", "", *run.lines(), "", assumed]
    data = {
        "run": asdict(run),
        "figures": [asdict(each) for each in found],
        "days": [asdict(each) for each in days],
    }
    folder = results_folder("replicas-simulated", out, run)
    write_results(folder, "simulation", data, "\n".join(lines) + table(found, days))


def main() -> int:
    """Run the bench; its exit code."""
    parser = bench_parser("replicas.simulation", (__doc__ or "").partition("\n\n")[0])
    flags = parser.parse_args()
    return guarded(lambda: measure(flags.out, describe_run(flags.quick)))


if __name__ == "__main__":
    sys.exit(main())
