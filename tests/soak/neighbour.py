"""Goodput beside other work on the machine: `python -m tests.soak.neighbour`.

Measured: the share of BatchEstimate calls (N = 1, known contexts) in time, as in `bench.load`, on
servers that differ in how the model's threads wait for each other. All servers run
at once and are asked in turn, so that they meet the same machine, on a quiet one and beside busy
loops. With `--quota` each server is in a control group with so many cores instead (needs root).

Not measured: other sizes of calls, and neighbours that take memory or its bandwidth.
"""

import argparse
import asyncio
import contextlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.load import MIXES, Step, Traffic, send, step_of
from bench.tools.common import (
    BenchError,
    Run,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    say,
    write_results,
)
from bench.tools.contenders import GroundwireContender
from bench.tools.corpus import Corpus
from bench.tools.serving import add_server_flags, serving
from groundwire import AsyncClient
from groundwire_verifier.engine.vllm.in_engine.plugin import WAIT

WAYS = {
    "auto": {WAIT: "auto"},
    "spin": {WAIT: "spin"},
    "sleep": {WAIT: "sleep"},
    "one thread": {"GROUNDWIRE_CPU_THREADS": "1"},
}
"""The variables of each server."""
SMALL = ("--kv-memory-gib", "0.5")
"""Several servers share the memory."""

SINGLE = next(mix for mix in MIXES if mix.name == "single")
CONTEXT_TOKENS = (100, 300)
WARM_UP_TIMEOUT_S = 60.0
SEED = 5
PERIOD_US = 100_000
CGROUPS = Path("/sys/fs/cgroup")
BUSY_LOOP = "while True: pass"
RULES = """\
A call has to be answered within 600 ms of the moment it was due, which is its deadline, too. Each
cell: calls in time, of all rounds, and the p50 and p95 of those that were answered. "20 + 1 loop":
20 calls a second, beside one busy loop. The program that sends the calls shares the cores, too."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Calls a second, beside so many busy loops."""

    rate: float
    loops: int

    def __str__(self) -> str:
        """Its name in the table."""
        beside = f" + {self.loops} loop{'s' if self.loops > 1 else ''}" if self.loops else ""
        return f"{self.rate:g}{beside}"


@dataclass(frozen=True, slots=True)
class Visit:
    """One server in one condition, in one round."""

    way: str
    condition: str
    round_number: int
    step: Step


@contextlib.contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """So many processes that take a core each, at the priority of this one."""
    loops = [subprocess.Popen([sys.executable, "-c", BUSY_LOOP]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@contextlib.contextmanager
def born_with_quota(name: str, cores: float | None) -> Iterator[None]:
    """What is started within has, in sum, the quota of `cores`; None leaves it as it is.

    Raises BenchError where control groups cannot be made.
    """
    if cores is None:
        yield
        return
    is_v2 = (CGROUPS / "cgroup.controllers").exists()
    top = CGROUPS if is_v2 else CGROUPS / "cpu"
    group, before = top / f"groundwire-bench-{os.getpid()}-{name.replace(' ', '-')}", _own(top)
    quota_us = int(cores * PERIOD_US)
    try:
        group.mkdir()
        if is_v2:
            (group / "cpu.max").write_text(f"{quota_us} {PERIOD_US}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(quota_us))
        (group / "cgroup.procs").write_text(str(os.getpid()))
    except OSError as error:
        raise BenchError(f"no control group can be made: {error}") from error
    try:
        yield
    finally:
        (before / "cgroup.procs").write_text(str(os.getpid()))


def _own(top: Path) -> Path:
    """The control group of this process below `top`."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers in ("", "cpu"):
            found = top / group.lstrip("/")
            if found.is_dir():
                return found
    return top


def _remove_groups() -> None:
    """Those of the servers, which have ended."""
    for group in CGROUPS.glob(f"**/groundwire-bench-{os.getpid()}-*"):
        with contextlib.suppress(OSError):
            group.rmdir()


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("tests.soak.neighbour", "Goodput beside other work on the machine.")
    add_server_flags(parser)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=["auto", "spin", "sleep"])
    parser.add_argument("--at", nargs="+", type=float, default=[20.0, 40.0], metavar="RATE")
    parser.add_argument("--beside", nargs="+", type=float, default=[8.0, 20.0], metavar="RATE")
    parser.add_argument("--loops", type=int, default=1, help="busy loops beside the server")
    parser.add_argument("--quota", type=float, metavar="CORES", help="of each server's group")
    parser.add_argument("--seconds", type=float, default=8.0, help="of each visit")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--wait", action="store_true", help="start measuring at a line on stdin")
    arguments = parser.parse_args()
    return guarded(lambda: asyncio.run(_bench(arguments)))


async def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    traffic = Traffic(Corpus(arguments.model), SINGLE, warm=True, lengths=CONTEXT_TOKENS)
    conditions = [Condition(rate, 0) for rate in arguments.at]
    conditions += [Condition(rate, arguments.loops) for rate in arguments.beside]
    seconds, rounds = (3.0, 1) if arguments.quick else (arguments.seconds, arguments.rounds)
    visits: list[Visit] = []
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(_remove_groups)
        ways = {}
        for name in arguments.ways:
            say(f"starting a server: {name}")
            with born_with_quota(name, arguments.quota):
                target = stack.enter_context(
                    serving(arguments.model, *SMALL, environment=WAYS[name])
                )
            client = await stack.enter_async_context(AsyncClient(target))
            ways[name] = GroundwireContender(client, "")
            for context, claims in traffic.to_warm_up():
                await ways[name].ask(claims, context, WARM_UP_TIMEOUT_S)
        if arguments.wait:
            say("waiting for a line")
            await asyncio.to_thread(sys.stdin.readline)
        dice = random.Random(SEED)  # noqa: S311 - a fixed order, not a secret
        for number in range(rounds):
            for condition in conditions:
                arrivals = traffic.arrivals(condition.rate, seconds, SEED + number)
                for name in dice.sample(list(ways), len(ways)):
                    with busy_loops(condition.loops):
                        step = step_of(condition.rate, seconds, await send(ways[name], arrivals))
                    visits.append(Visit(name, str(condition), number, step))
                    say(f"{name}, {condition}: {step.attained:.0%} in time")
    name = "neighbour" if arguments.quota is None else f"quota-{arguments.quota:g}"
    data = {"run": asdict(run), "visits": [asdict(visit) for visit in visits]}
    text = report(run, arguments.ways, list(map(str, conditions)), visits, arguments.quota)
    write_results(results_folder(name, arguments.out, run), "neighbour", data, text)


def report(
    run: Run,
    ways: Sequence[str],
    conditions: Sequence[str],
    visits: Sequence[Visit],
    quota: float | None,
) -> str:
    """The whole result as markdown."""
    of: Mapping[tuple[str, str], list[Step]] = {
        (way, condition): [v.step for v in visits if (v.way, v.condition) == (way, condition)]
        for way in ways
        for condition in conditions
    }
    rows = [[way, *(_cell(of[way, condition]) for condition in conditions)] for way in ways]
    lines = ["# Goodput beside other work on the machine", "", *run.lines()]
    if quota is not None:
        lines.append(f"- each server has a quota of {quota:g} cores")
    header = ["threads wait", *(f"{condition} calls/s" for condition in conditions)]
    return "\n".join([*lines, "", markdown_table(header, rows), "", RULES])


def _cell(steps: Sequence[Step]) -> str:
    met = sum(step.attained * step.calls for step in steps)
    calls = sum(step.calls for step in steps)
    share = f"{met / max(1, calls):.1%} of {calls}"
    for name in ("p50", "p95"):
        known = [s for step in steps if (s := step.quantiles_s[name]) is not None]
        share += f", {name} {max(known) * 1e3:,.0f} ms" if known else ""
    return share


if __name__ == "__main__":
    sys.exit(main())
