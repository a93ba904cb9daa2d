"""Goodput: the highest rate of calls, arriving at random, of which 99 % meet their own target.

Measured: BatchEstimate over loopback gRPC on the real server and model, at rising rates, cold
(every context new) and warm (a pool of contexts). A call with N claims has 500 ms + N x 100 ms,
which is its deadline, too; a refused call has missed it. `--ways` does the same through vLLM's own
server, one way after the other. The loop is open: a call is sent when its time has come, and its
latency counts from that time, so a server that falls behind cannot slow its own load down.

Not measured: verification of whole answers (see bench.pipeline), and machines other than this.
"""

import argparse
import asyncio
import contextlib
import random
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import psutil

from bench.tools.common import (
    BenchError,
    Run,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    nearest_rank,
    results_folder,
    say,
    target_s,
    write_results,
)
from bench.tools.contenders import (
    CallFailedError,
    CompletionsContender,
    Contender,
    Cost,
    ScoringContender,
    add_model_flags,
    groundwire_contender,
    vllm_session,
)
from bench.tools.corpus import Corpus
from bench.tools.serving import family_of, memory_mib

WAYS = ("groundwire", "completions", "scoring")
CONTEXT_TOKENS = (100, 300, 600, 1200)
POOL = 20
"""Contexts of each length that warm calls draw from."""

ATTAINED = 0.99
"""The share of calls that have to meet their target."""

GIVE_UP_BELOW = 0.6
"""A sweep ends at the first rate of which fewer calls than this met their target."""

OVERLOAD = 3.0
"""Times the knee's rate, to see what is left of the goodput."""

MIN_CALLS = 25
WARM_UP_TIMEOUT_S = 60.0
SEED = 11
OK = "OK"
RULES = f"""\
A call with N claims has to be answered within 500 ms + N x 100 ms of the moment it was due, which
is its deadline, too; one that is refused or ends late has missed. Calls arrive as a Poisson process
and are sent whether or not earlier ones are done. Goodput: calls a second that met their target.
The knee: the highest rate at which at least {ATTAINED:.0%} did. Kept: goodput at {OVERLOAD:g} times
the knee's rate, as a share of the knee's. The lengths of contexts come equally often. Latencies are
of answered calls. Cached: the share of prompt tokens from the prefix cache; a way that does not
tell has none. Memory: that of the bench and all its servers, at the end of the rate."""


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
        return target_s(len(self.claims))


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
        dice = random.Random(seed)  # noqa: S311 - a fixed draw, not a secret
        sizes, weights = list(self.mix.weights), list(self.mix.weights.values())
        found: list[Arrival] = []
        at_s = dice.expovariate(rate)
        while at_s < seconds:
            tokens = dice.choice(self.lengths)
            (size,) = dice.choices(sizes, weights)
            context = dice.choice(self.pool[tokens]) if self.pool else self._corpus.context(tokens)
            found.append(Arrival(at_s, context, tokens, tuple(self._corpus.claims(size))))
            at_s += dice.expovariate(rate)
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


@dataclass(frozen=True, slots=True)
class Step:
    """One rate of a sweep.

    `offered` and `goodput` are calls a second: those that arrived, and those that met their target.
    The quantiles are of the latencies of answered calls, in seconds; None where none was answered.
    `memory_mib` is that of the bench and its servers at the end.
    """

    rate: float
    seconds: float
    calls: int
    offered: float
    goodput: float
    attained: float
    quantiles_s: Mapping[str, float | None]
    outcomes: Mapping[str, int]
    attained_by_claims: Mapping[int, float]
    p95_s_by_claims: Mapping[int, float]
    computed_tokens: int
    cached_share: float
    memory_mib: float


@dataclass(frozen=True, slots=True)
class Sweep:
    """All rates of one mix, cold or warm, through one way, and then a multiple of the knee's."""

    way: str
    mix: str
    warm: bool
    context_tokens: tuple[int, ...]
    steps: tuple[Step, ...]
    overload: Step | None = None

    @property
    def kept(self) -> float | None:
        """Goodput under overload as a share of the knee's; None where one of them is missing."""
        knee = self.knee
        return self.overload.goodput / knee.goodput if self.overload and knee else None

    @property
    def knee(self) -> Step | None:
        """The highest rate at which enough calls met their target; None where none did."""
        held = [step for step in self.steps if step.attained >= ATTAINED]
        return max(held, key=lambda step: step.rate, default=None)


def step_of(
    rate: float, seconds: float, samples: Sequence[Sample], memory_mib: float = 0.0
) -> Step:
    answered = [sample.latency_s for sample in samples if sample.outcome == OK]
    met = sum(sample.met for sample in samples)
    prompt = sum(sample.prompt_tokens for sample in samples)
    cached = sum(sample.cached_tokens for sample in samples)
    sizes = sorted({sample.claims for sample in samples})
    latencies_s = {
        size: [s.latency_s for s in samples if s.claims == size and s.outcome == OK]
        for size in sizes
    }
    return Step(
        rate=rate,
        seconds=seconds,
        calls=len(samples),
        offered=len(samples) / seconds,
        goodput=met / seconds,
        attained=met / max(1, len(samples)),
        quantiles_s={
            name: nearest_rank(answered, share) if answered else None
            for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
        },
        outcomes=dict(Counter(sample.outcome for sample in samples).most_common()),
        attained_by_claims={
            size: sum(s.met for s in samples if s.claims == size)
            / sum(s.claims == size for s in samples)
            for size in sizes
        },
        p95_s_by_claims={n: nearest_rank(own, 0.95) for n, own in latencies_s.items() if own},
        computed_tokens=prompt - cached,
        cached_share=cached / max(1, prompt),
        memory_mib=memory_mib,
    )


def report(run: Run, sweeps: Sequence[Sweep]) -> str:
    """The whole result as markdown."""
    lines = ["# Goodput under calls that arrive at random", "", *run.lines(), ""]
    header = ["way", "mix", "kind", "knee, calls/s", "goodput there", "best goodput", "kept"]
    lines += [markdown_table(header, map(_knee_cells, sweeps))]
    for sweep in sweeps:
        lines += ["", f"## {sweep.way}: {sweep.mix}, {_kind(sweep)}", "", _step_table(sweep)]
    return "\n".join([*lines, "", RULES])


def _knee_cells(sweep: Sweep) -> list[str]:
    knee, kept = sweep.knee, sweep.kept
    best = max(step.goodput for step in sweep.steps)
    attained = max(step.attained for step in sweep.steps)
    return [
        sweep.way,
        sweep.mix,
        _kind(sweep),
        f"none: at best {attained:.1%}" if knee is None else f"{knee.rate:.2f}",
        "-" if knee is None else f"{knee.goodput:.2f}",
        f"{best:.2f}",
        "-" if kept is None else f"{kept:.0%}",
    ]


def _step_table(sweep: Sweep) -> str:
    header = ["rate", "calls", "met", "goodput", "p50", "p95", "p99", "by N", "outcomes"]
    header += ["tokens computed", "cached", "memory"]
    steps = [*sweep.steps, *([sweep.overload] if sweep.overload else [])]
    return markdown_table(header, [_step_cells(step) for step in steps])


def _step_cells(step: Step) -> list[str]:
    times = ["-" if s is None else f"{s * 1000:,.0f} ms" for s in step.quantiles_s.values()]
    by_size = ", ".join(
        f"{n}: {share:.0%}"
        + (f" (p95 {step.p95_s_by_claims[n] * 1000:,.0f} ms)" if n in step.p95_s_by_claims else "")
        for n, share in step.attained_by_claims.items()
    )
    outcomes = ", ".join(f"{name} {count}" for name, count in step.outcomes.items())
    return [
        f"{step.rate:.2f}",
        str(step.calls),
        f"{step.attained:.1%}",
        f"{step.goodput:.2f}",
        *times,
        by_size,
        outcomes,
        f"{step.computed_tokens:,}",
        f"{step.cached_share:.0%}",
        f"{step.memory_mib:,.0f} MiB",
    ]


def _kind(sweep: Sweep) -> str:
    lengths = ", ".join(map(str, sweep.context_tokens))
    return f"{'warm' if sweep.warm else 'cold'}, contexts of {lengths}"


@dataclass(frozen=True, slots=True)
class Limits:
    """The `rates` of a sweep in calls a second, in their order.

    Each lasts `seconds` at least, with at least so many `calls` in the mean. Unless `all_of_them`,
    the sweep ends where the server has given up, and goes on to a multiple of the knee's.
    """

    rates: tuple[float, ...]
    all_of_them: bool
    seconds: float
    calls: int

    def seconds_at(self, rate: float) -> float:
        """How long this rate lasts."""
        return max(self.seconds, self.calls / rate)


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("bench.load", "Goodput of a server under calls that arrive at random.")
    add_model_flags(parser)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=["groundwire"])
    names = [mix.name for mix in MIXES]
    parser.add_argument("--mixes", nargs="+", choices=names, default=["single", "mixed"])
    parser.add_argument("--kinds", nargs="+", choices=("cold", "warm"), default=["cold", "warm"])
    parser.add_argument(
        "--contexts", nargs="+", type=int, choices=CONTEXT_TOKENS, default=CONTEXT_TOKENS
    )
    parser.add_argument("--seconds", type=float, default=40.0, help="of each rate, at least")
    parser.add_argument("--first-rate", type=float, default=1.0, help="calls a second")
    parser.add_argument("--rate-factor", type=float, default=1.5, help="from rate to rate")
    parser.add_argument("--rates", type=int, help="at most, in a sweep")
    parser.add_argument("--at", nargs="+", type=float, metavar="RATE", help="these rates alone")
    arguments = parser.parse_args()
    return guarded(lambda: asyncio.run(_bench(arguments)))


async def _bench(arguments: argparse.Namespace) -> None:
    rates, seconds, calls = (3, 8.0, 4) if arguments.quick else (10, arguments.seconds, MIN_CALLS)
    first, factor = arguments.first_rate, arguments.rate_factor
    rising = (first * factor**i for i in range(arguments.rates or rates))
    limits = Limits(tuple(arguments.at or rising), arguments.at is not None, seconds, calls)
    mixes = [mix for mix in MIXES if mix.name in arguments.mixes]
    run = describe_run(arguments.quick)
    corpus = Corpus(arguments.model)
    folder = results_folder("load", arguments.out, run)
    sweeps: list[Sweep] = []
    for name in arguments.ways:
        # One after the other, each with the machine to itself.
        async with _way(name, corpus, arguments) as way:
            for mix in mixes:
                for kind in arguments.kinds:
                    lengths = arguments.contexts
                    traffic = Traffic(corpus, mix, warm=kind == "warm", lengths=lengths)
                    sweeps.append(await _sweep(name, way, traffic, limits))
                    # After each, so that a run that is stopped has not been for nothing.
                    data = {"run": asdict(run), "sweeps": [asdict(sweep) for sweep in sweeps]}
                    write_results(folder, "load", data, report(run, sweeps))
    if not any(step.goodput for sweep in sweeps for step in sweep.steps):
        raise BenchError("no call met its target at any rate")


@contextlib.asynccontextmanager
async def _way(
    name: str, corpus: Corpus, arguments: argparse.Namespace
) -> AsyncIterator[Contender]:
    if name == "groundwire":
        async with groundwire_contender(arguments.model, arguments.load_format) as ours:
            yield ours
        return
    async with vllm_session(corpus, arguments.load_format) as session:
        kind = CompletionsContender if name == "completions" else ScoringContender
        yield kind(session, corpus)


async def _sweep(name: str, way: Contender, traffic: Traffic, limits: Limits) -> Sweep:
    steps: list[Step] = []
    kind = "warm" if traffic.pool else "cold"
    label = f"{name}, {traffic.mix.name}, {kind}"
    for context, claims in traffic.to_warm_up():
        await way.ask(claims, context, WARM_UP_TIMEOUT_S)
    for number, rate in enumerate(limits.rates):
        seconds = limits.seconds_at(rate)
        arrivals = traffic.arrivals(rate, seconds, SEED + number)
        steps.append(await _step(label, way, arrivals, rate, seconds))
        if steps[-1].attained < GIVE_UP_BELOW and not limits.all_of_them:
            break
    sweep = Sweep(name, traffic.mix.name, bool(traffic.pool), traffic.lengths, tuple(steps))
    if sweep.knee is not None and not limits.all_of_them:
        rate = OVERLOAD * sweep.knee.rate
        seconds = limits.seconds_at(rate)
        arrivals = traffic.arrivals(rate, seconds, SEED - 1)
        overload = await _step(f"{label}, overload", way, arrivals, rate, seconds)
        sweep = replace(sweep, overload=overload)
    return sweep


async def _step(
    label: str, way: Contender, arrivals: Sequence[Arrival], rate: float, seconds: float
) -> Step:
    began_s = time.monotonic()
    samples = await send(way, arrivals)
    # Of this process and the servers that it started.
    step = step_of(rate, seconds, samples, memory_mib(family_of(psutil.Process())))
    say(
        f"{label}, {rate:.2f}/s: {step.attained:.0%} of {step.calls} calls in time, "
        f"{time.monotonic() - began_s:.0f} s"
    )
    return step


if __name__ == "__main__":
    sys.exit(main())
