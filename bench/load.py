"""Goodput: the highest rate of calls, arriving at random, of which 99 % meet their own target.

Measured: BatchEstimate over loopback gRPC on the real server and model, in open loop, at rising
rates, cold (every context new) and warm (a pool of contexts). A call with N claims has 500 ms + N x
100 ms, which is its deadline, too; a refused call has missed it.

Not measured: verification of whole answers (see bench.pipeline), and machines other than this.
"""

import argparse
import asyncio
import sys
import time
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
from bench.corpus import Corpus
from bench.load_calls import MIXES, Mix, Traffic, send, warm_up
from bench.load_figures import Step, Sweep, step_of
from bench.load_report import draw, report
from bench.serving import add_server_flags, server_at
from groundwire import AsyncClient

FIRST_RATE, RATE_FACTOR = 0.25, 1.6
"""Calls a second: where a sweep begins, and how it rises."""
GIVE_UP_BELOW = 0.5
"""A sweep ends at the first rate of which fewer calls than this met their target."""
SEED = 11


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a rate lasts, in seconds, and how many there are at most in a sweep."""

    seconds: float
    rates: int


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("load", "Goodput of a server under calls that arrive at random.")
    add_server_flags(parser)
    names = [mix.name for mix in MIXES]
    parser.add_argument("--mixes", nargs="+", choices=names, default=["single", "mixed"])
    parser.add_argument("--kinds", nargs="+", choices=("cold", "warm"), default=["cold", "warm"])
    parser.add_argument("--seconds", type=float, default=40.0, help="of each rate")
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    limits = Limits(8.0, 3) if arguments.quick else Limits(arguments.seconds, 10)
    mixes = [mix for mix in MIXES if mix.name in arguments.mixes]
    run = describe_run(arguments.quick)
    corpus = Corpus(arguments.model)
    with server_at(arguments.target, arguments.model) as target:
        sweeps = [
            asyncio.run(_sweep(target, corpus, mix, kind == "warm", limits))
            for mix in mixes
            for kind in arguments.kinds
        ]
    if not any(step.goodput for sweep in sweeps for step in sweep.steps):
        raise BenchError("no call met its target at any rate")
    folder = results_folder("load", arguments.out, run)
    draw(sweeps, folder)
    data = {"run": asdict(run), "sweeps": [asdict(sweep) for sweep in sweeps]}
    write_results(folder, "load", data, report(run, sweeps))


async def _sweep(target: str, corpus: Corpus, mix: Mix, warm: bool, limits: Limits) -> Sweep:
    traffic = Traffic(corpus, mix, warm=warm)
    steps: list[Step] = []
    rate = FIRST_RATE
    async with AsyncClient(target) as client:
        await warm_up(client, [c for pool in traffic.pool.values() for c in pool], "It is warm.")
        while len(steps) < limits.rates:
            arrivals = traffic.arrivals(rate, limits.seconds, SEED + len(steps))
            began_s = time.monotonic()
            step = step_of(rate, limits.seconds, await send(client, arrivals))
            steps.append(step)
            say(
                f"{mix.name}, {'warm' if warm else 'cold'}, {rate:.2f}/s: {step.attained:.0%} of "
                f"{step.calls} calls in time, {time.monotonic() - began_s:.0f} s"
            )
            if step.calls and step.attained < GIVE_UP_BELOW:
                break
            rate *= RATE_FACTOR
    return Sweep(mix.name, warm, tuple(steps))


if __name__ == "__main__":
    sys.exit(main())
