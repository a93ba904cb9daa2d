"""Goodput: the highest rate of calls, arriving at random, of which 99 % meet their own target.

Measured: BatchEstimate over loopback gRPC on the real server and model, in open loop, at rising
rates, cold (every context new) and warm (a pool of contexts). A call with N claims has 500 ms + N x
100 ms, which is its deadline, too; a refused call has missed it. `--ways` does the same through
vLLM's own server, one way after the other.

Not measured: verification of whole answers (see bench.pipeline), and machines other than this.
"""

import argparse
import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass, replace

import psutil

from bench.load_calls import CONTEXT_TOKENS, MIXES, Arrival, Traffic, send, warm_up
from bench.load_figures import OVERLOAD, Step, Sweep, step_of
from bench.load_report import draw, report
from bench.tools.common import (
    BenchError,
    bench_parser,
    describe_run,
    guarded,
    results_folder,
    say,
    write_results,
)
from bench.tools.contenders import (
    CompletionsContender,
    Contender,
    Foreseen,
    ScoringContender,
    add_model_flags,
    groundwire_contender,
    vllm_session,
)
from bench.tools.corpus import Corpus

GIVE_UP_BELOW = 0.6
"""A sweep ends at the first rate of which fewer calls than this met their target."""
MIN_CALLS = 25
MIB = 1 << 20
SEED = 11
WAYS = ("groundwire", "completions", "scoring")


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
    parser = bench_parser("load", "Goodput of a server under calls that arrive at random.")
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
                    draw(sweeps, folder)
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
    await warm_up(way, traffic)
    before = await way.foreseen()
    for rate in limits.rates:
        seconds = limits.seconds_at(rate)
        arrivals = traffic.arrivals(rate, seconds, SEED + len(steps))
        steps.append(await _step(label, way, arrivals, rate, seconds))
        if steps[-1].attained < GIVE_UP_BELOW and not limits.all_of_them:
            break
    sweep = Sweep(name, traffic.mix.name, bool(traffic.pool), traffic.lengths, tuple(steps))
    if sweep.knee is None or limits.all_of_them:
        return replace(sweep, prediction_error=_error(before, await way.foreseen()))
    rate = OVERLOAD * sweep.knee.rate
    seconds = limits.seconds_at(rate)
    arrivals = traffic.arrivals(rate, seconds, SEED - 1)
    overload = await _step(f"{label}, overload", way, arrivals, rate, seconds)
    error = _error(before, await way.foreseen())
    return replace(sweep, overload=overload, prediction_error=error)


def _error(before: Foreseen | None, after: Foreseen | None) -> float | None:
    if before is None or after is None or after.actual_s == before.actual_s:
        return None
    wrong_s = after.absolute_error_s - before.absolute_error_s
    return wrong_s / (after.actual_s - before.actual_s)


async def _step(
    label: str, way: Contender, arrivals: Sequence[Arrival], rate: float, seconds: float
) -> Step:
    began_s = time.monotonic()
    step = step_of(rate, seconds, await send(way, arrivals), _memory_mib())
    say(
        f"{label}, {rate:.2f}/s: {step.attained:.0%} of {step.calls} calls in time, "
        f"{time.monotonic() - began_s:.0f} s"
    )
    return step


def _memory_mib() -> float:
    """Resident memory of this process and all that it started."""
    own = psutil.Process()
    return float(sum(p.memory_info().rss for p in (own, *own.children(recursive=True)))) / MIB


if __name__ == "__main__":
    sys.exit(main())
