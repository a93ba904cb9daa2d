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
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass

from bench.common import (
    BenchError,
    bench_parser,
    describe_run,
    guarded,
    results_folder,
    say,
    write_results,
)
from bench.contenders import (
    CompletionsContender,
    Contender,
    ScoringContender,
    add_model_flags,
    groundwire_contender,
    vllm_session,
)
from bench.corpus import Corpus
from bench.load_calls import MIXES, Traffic, send, warm_up
from bench.load_figures import Step, Sweep, step_of
from bench.load_report import draw, report

FIRST_RATE, RATE_FACTOR = 0.25, 1.6
"""Calls a second: where a sweep begins, and how it rises."""
GIVE_UP_BELOW = 0.5
"""A sweep ends at the first rate of which fewer calls than this met their target."""
SEED = 11
WAYS = ("groundwire", "completions", "scoring")


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a rate lasts, in seconds, and how many there are at most in a sweep."""

    seconds: float
    rates: int


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("load", "Goodput of a server under calls that arrive at random.")
    add_model_flags(parser)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=["groundwire"])
    names = [mix.name for mix in MIXES]
    parser.add_argument("--mixes", nargs="+", choices=names, default=["single", "mixed"])
    parser.add_argument("--kinds", nargs="+", choices=("cold", "warm"), default=["cold", "warm"])
    parser.add_argument("--seconds", type=float, default=40.0, help="of each rate")
    arguments = parser.parse_args()
    return guarded(lambda: asyncio.run(_bench(arguments)))


async def _bench(arguments: argparse.Namespace) -> None:
    limits = Limits(8.0, 3) if arguments.quick else Limits(arguments.seconds, 10)
    mixes = [mix for mix in MIXES if mix.name in arguments.mixes]
    run = describe_run(arguments.quick)
    corpus = Corpus(arguments.model)
    sweeps: list[Sweep] = []
    for name in arguments.ways:
        # One after the other, each with the machine to itself.
        async with _way(name, corpus, arguments) as way:
            for mix in mixes:
                for kind in arguments.kinds:
                    traffic = Traffic(corpus, mix, warm=kind == "warm")
                    sweeps.append(await _sweep(name, way, traffic, limits))
    if not any(step.goodput for sweep in sweeps for step in sweep.steps):
        raise BenchError("no call met its target at any rate")
    folder = results_folder("load", arguments.out, run)
    draw(sweeps, folder)
    data = {"run": asdict(run), "sweeps": [asdict(sweep) for sweep in sweeps]}
    write_results(folder, "load", data, report(run, sweeps))


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
    rate = FIRST_RATE
    kind = "warm" if traffic.pool else "cold"
    await warm_up(way, [c for pool in traffic.pool.values() for c in pool], "It is warm.")
    while len(steps) < limits.rates:
        arrivals = traffic.arrivals(rate, limits.seconds, SEED + len(steps))
        began_s = time.monotonic()
        step = step_of(rate, limits.seconds, await send(way, arrivals))
        steps.append(step)
        say(
            f"{name}, {traffic.mix.name}, {kind}, {rate:.2f}/s: {step.attained:.0%} of "
            f"{step.calls} calls in time, {time.monotonic() - began_s:.0f} s"
        )
        if step.calls and step.attained < GIVE_UP_BELOW:
            break
        rate *= RATE_FACTOR
    return Sweep(name, traffic.mix.name, bool(traffic.pool), tuple(steps))


if __name__ == "__main__":
    sys.exit(main())
