"""What becomes of calls when something goes at a random moment: the engine, the client, the server,
Redis, PostgreSQL, the network, a clock, the memory, a disk; or when thousands of connections are
open, and peers read nothing.

    python -m tests.soak.chaos --toxiproxy FILE --faketime FILE

The clients are ours, with their retries, and the engine is scripted; `--subjects model` takes the
embedded model. Half of the claims are not true, so that what fails open would be seen. Seeded. An
event that needs what is not here is left out, and the results say why.

Not measured: more than one machine, how fast calls are.
"""

import argparse
import asyncio
import random
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench.tools.common import (
    BenchError,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    say,
    write_results,
)
from tests.soak.chaos import (
    client_clock,
    clock,
    crowds,
    disk,
    engine_gone,
    memory,
    network,
    server_gone,
)
from tests.soak.chaos.claims import CALLS, CLAIMS, Tally, chance_of
from tests.soak.chaos.served import Event, NotHereError, Tools
from tests.soak.chaos.stores import database, redis_gone

MODEL = "model"
"""The subject that takes the embedded model and minutes; only where it is named."""
SUBJECTS = {
    "engine": engine_gone.EVENTS,
    MODEL: engine_gone.ON_THE_MODEL,
    "server": server_gone.EVENTS,
    "redis": redis_gone.EVENTS,
    "postgres": database.EVENTS,
    "network": network.EVENTS,
    "clock": (*clock.EVENTS, *client_clock.EVENTS),
    "crowds": crowds.EVENTS,
    "memory": memory.EVENTS,
    "disk": disk.EVENTS,
}
QUICK_ROUNDS = 2


async def play(
    tally: Tally, event: Event, rounds: int, tools: Tools, chance: random.Random
) -> None:
    """All rounds of an event. Raises NotHereError, and BenchError for a server that is lost."""
    async with event.scene(tools) as one:
        for _ in range(rounds):
            await one(tally, chance)
            tally.rounds += 1


def main() -> int:
    """Parse the flags, do it, write."""
    parser = bench_parser(
        "tests.soak.chaos", "What becomes of calls when something goes at a random moment."
    )
    usual = [subject for subject in SUBJECTS if subject != MODEL]
    parser.add_argument("--subjects", nargs="+", choices=SUBJECTS, default=usual)
    parser.add_argument("--events", default="", metavar="WORDS", help="only those with these words")
    parser.add_argument("--rounds", type=int, help="of each event; default: as its module says")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--toxiproxy", type=Path, metavar="FILE", help="the server of Toxiproxy")
    parser.add_argument("--faketime", type=Path, metavar="FILE", help="libfaketimeMT.so.1")
    parser.add_argument("--connections", type=int, default=4_000, help="that are idle")
    arguments = parser.parse_args()
    # Who ends it, in whatever way, gets what there is.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    tallies: list[Tally] = []
    left_out: list[str] = []
    try:
        events = [event for subject in arguments.subjects for event in SUBJECTS[subject]]
        for event in [event for event in events if arguments.events in event.name]:
            _play(event, arguments, tallies, left_out)
    finally:
        # Also where somebody has ended it by then.
        data = {
            "run": asdict(run),
            "seed": arguments.seed,
            "events": [tally.as_json() for tally in tallies],
            "left out": left_out,
        }
        folder = results_folder("chaos", arguments.out, run)
        lines = [*run.lines(), f"- seed {arguments.seed}"]
        text = _report(lines, tallies, left_out)
        write_results(folder, "chaos", data, "\n".join(text))
    if any(tally.faults for tally in tallies):
        raise BenchError("something went wrong that must not; it stands in the results")


def _play(
    event: Event, arguments: argparse.Namespace, tallies: list[Tally], left_out: list[str]
) -> None:
    """One event, and how it went; one that cannot be is left out."""
    rounds = arguments.rounds or (QUICK_ROUNDS if arguments.quick else event.rounds)
    say(f"{event.name}: {rounds} rounds")
    tally = Tally(event.name)
    chance = chance_of(f"{arguments.seed} {event.name}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        tools = Tools(Path(folder), arguments.toxiproxy, arguments.faketime, arguments.connections)
        try:
            asyncio.run(play(tally, event, rounds, tools, chance))
        except NotHereError as error:
            left_out.append(f"{event.name}: {error}")
            say(f"left out: {left_out[-1]}")
            return
        except BenchError as error:
            tally.faults.append(str(error))
    tallies.append(tally)
    say(f"{event.name}: {tally.rounds} rounds, {len(tally.faults)} at fault")


def _report(
    lines: Sequence[str], tallies: Sequence[Tally], left_out: Sequence[str]
) -> Sequence[str]:
    rows = []
    for tally in tallies:
        counts = tally.outcomes
        others = [f"{name} {count:,}" for name, count in sorted(counts.items()) if name != "whole"]
        figures = [f"{name} {value:g}" for name, value in tally.figures.items()]
        rows.append(
            [
                tally.event,
                str(tally.rounds),
                f"{counts.total():,}",
                f"{counts['whole']:,}",
                "; ".join(others) or "-",
                str(len(tally.faults)),
                "; ".join(figures) or "-",
            ]
        )
    header = ["event", "rounds", "calls", "whole", "others", "at fault", "the most"]
    faults = [f"- {tally.event}: {fault}" for tally in tallies for fault in tally.faults[:10]]
    return [
        "# Things that go at a random moment",
        "",
        *lines,
        f"- {CALLS} calls a round or more, of four kinds, with {CLAIMS} claims each; other work "
        "shared the machine",
        "",
        markdown_table(header, rows),
        "",
        "At fault is a claim that is SUPPORTED and not true, an outcome that the event does not "
        "explain, INTERNAL or UNKNOWN, a call without an end, an accepted output without its "
        "result, and a server that is not itself again behind the event.",
        *faults,
        *(f"- left out: {each}" for each in left_out),
    ]


if __name__ == "__main__":
    sys.exit(main())
