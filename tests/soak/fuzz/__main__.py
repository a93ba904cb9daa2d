"""Inputs that nobody would send, by the million: `python -m tests.soak.fuzz`.

Three ways: `mutated` (the default) changes kept inputs by chance, in this process. `guided` has
atheris follow the code that inputs reach; `--atheris` names the Python of an environment that has
it. `wire` sends bytes to a real server. What is at fault is told, written to the results, and the
run fails. With `--keep`, the inputs that reach new code become the kept ones, minimised.

Not measured: time, and what a model says.
"""

import argparse
import base64
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.tools.common import (
    ROOT,
    BenchError,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    say,
    write_results,
)
from tests.soak.fuzz.corpus_files import read_corpus, write_corpus
from tests.soak.fuzz.mutation import MOST_BYTES, mutated
from tests.soak.fuzz.request_targets import REQUEST_TARGETS
from tests.soak.fuzz.text_targets import TEXT_TARGETS
from tests.soak.fuzz.wire import WireFigures, attack
from tests.soak.fuzz.wire_messages import GivenIds, inputs

TARGETS: Mapping[str, Callable[[bytes], None]] = {**TEXT_TARGETS, **REQUEST_TARGETS}
WAYS = ("mutated", "guided", "wire")
MOST_KEPT_BYTES, MOST_KEPT = 400, 120
"""What of a minimised corpus stays in the repository, for each target."""

SLICE_S = 5.0
"""Targets take turns of so many seconds."""

SLOW_S = 5.0
_UNITS = re.compile(r"stat::number_of_executed_units:\s*(\d+)")


@dataclass(frozen=True, slots=True)
class Fault:
    """An input that a target raised at, where, and with what; `data` is base64."""

    target: str
    error: str
    place: str
    data: str


@dataclass(slots=True)
class Tally:
    """What was done with one target. `slowest_s` is the CPU time of the slowest input."""

    target: str
    inputs: int = 0
    seconds: float = 0.0
    slowest_s: float = 0.0


def main() -> int:
    """Parse the flags, send inputs, write."""
    parser = bench_parser("tests.soak.fuzz", "Inputs that nobody would send.")
    parser.add_argument("--way", choices=WAYS, default=WAYS[0])
    parser.add_argument("--targets", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--inputs", type=int, default=1_000_000, help="at most, of all targets")
    parser.add_argument("--seconds", type=float, default=600.0, help="at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--atheris", type=Path, metavar="PYTHON", help="for --way guided")
    parser.add_argument("--keep", action="store_true", help="renew the kept inputs (guided)")
    return guarded(lambda: _bench(parser.parse_args()))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    end_s = time.monotonic() + arguments.seconds
    tallies: list[Tally] = []
    faults: list[Fault] = []
    wire: WireFigures | None = None
    if arguments.way == "wire":
        wire = _over_the_wire(arguments, end_s)
    elif arguments.way == "guided":
        if arguments.atheris is None:
            raise BenchError("--way guided needs --atheris PYTHON")
        tallies, faults = _guided(arguments)
    else:
        tallies, faults = _mutated(arguments, end_s)
    folder = results_folder(f"fuzz-{arguments.way}", arguments.out, run)
    data = {
        "run": asdict(run),
        "seed": arguments.seed,
        "targets": [asdict(tally) for tally in tallies],
        "faults": [asdict(fault) for fault in faults],
        "wire": None if wire is None else {**asdict(wire), "faults": len(wire.faults)},
    }
    title = ["# Inputs that nobody would send", "", *run.lines(), ""]
    said = _report(tallies, faults) if wire is None else _wire_report(wire)
    write_results(folder, "fuzz", data, "\n".join([*title, said]))
    if faults or (wire is not None and wire.faults):
        raise BenchError("there are inputs at fault; they are in the results")


def _mutated(arguments: argparse.Namespace, end_s: float) -> tuple[list[Tally], list[Fault]]:
    """Targets in turns, in this process, until inputs or time are used up."""
    makers = {
        name: mutated(read_corpus(name), random.Random(f"{arguments.seed} {name}"))
        for name in arguments.targets
    }
    tallies = {name: Tally(name) for name in makers}
    faults: dict[tuple[str, str, str], Fault] = {}
    left = arguments.inputs
    while left > 0 and time.monotonic() < end_s:
        for name, maker in makers.items():
            began_s = time.process_time()
            stop_s = min(end_s, time.monotonic() + SLICE_S)
            while left > 0 and time.monotonic() < stop_s:
                data = next(maker)
                left -= 1
                tallies[name].inputs += 1
                fault, took_s = _tried(name, data)
                tallies[name].slowest_s = max(tallies[name].slowest_s, took_s)
                if fault is not None and faults.setdefault(_kind(fault), fault) is fault:
                    say(f"{fault.target}: {fault.error} at {fault.place}")
            tallies[name].seconds += time.process_time() - began_s
        say(f"{arguments.inputs - left:,} inputs, {len(faults)} kinds of fault")
    return list(tallies.values()), list(faults.values())


def _kind(fault: Fault) -> tuple[str, str, str]:
    return fault.target, fault.error.partition(":")[0], fault.place


def _tried(target: str, data: bytes) -> tuple[Fault | None, float]:
    began_s = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            TARGETS[target](data)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - what is looked for; a panic is no Exception
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        said = f"{type(error).__name__}: {error}"[:200]
        return Fault(target, said, place, base64.b64encode(data).decode()), 0.0
    took_s = time.process_time() - began_s
    if took_s > SLOW_S:
        encoded = base64.b64encode(data).decode()
        return Fault(target, f"slow: {took_s:.1f} s", "-", encoded), took_s
    return None, took_s


def _guided(arguments: argparse.Namespace) -> tuple[list[Tally], list[Fault]]:
    """Each target in a process of its own, under atheris, for its share of inputs and time."""
    share_s = max(1, int(arguments.seconds / len(arguments.targets)))
    runs = max(1, arguments.inputs // len(arguments.targets))
    tallies: list[Tally] = []
    faults: list[Fault] = []
    for name in arguments.targets:
        with tempfile.TemporaryDirectory() as place:
            found, crashes = _under_atheris(arguments, name, Path(place), runs, share_s)
            tallies.append(found)
            faults += crashes
        say(f"{name}: {found.inputs:,} inputs, {len(crashes)} at fault")
    return tallies, faults


def _under_atheris(
    arguments: argparse.Namespace, name: str, place: Path, runs: int, seconds: int
) -> tuple[Tally, list[Fault]]:
    inputs_folder, smaller, crashes = place / "inputs", place / "smaller", place / "crashes"
    for folder in (inputs_folder, smaller, crashes):
        folder.mkdir()
    for number, data in enumerate(read_corpus(name)):
        (inputs_folder / f"kept-{number}").write_bytes(data)
    command: list[str | Path] = [arguments.atheris, "-m", "tests.soak.fuzz.guided", name]
    # Modules that name no encoding warn under this Python's own settings: as for everybody else.
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}

    def fuzz(*flags: str | Path) -> str:
        done = subprocess.run(
            [*command, *flags], cwd=ROOT, env=environment, capture_output=True, check=False
        )
        return done.stderr.decode(errors="replace") + done.stdout.decode(errors="replace")

    began_s = time.monotonic()
    said = fuzz(
        inputs_folder, f"-runs={runs}", f"-max_total_time={seconds}", f"-max_len={MOST_BYTES}",
        f"-seed={arguments.seed}", "-print_final_stats=1", "-timeout=20", "-rss_limit_mb=3000",
        f"-artifact_prefix={crashes}/",
    )  # fmt: skip
    units = _UNITS.search(said)
    found = list(crashes.iterdir())
    if units is None and not found:
        raise BenchError(f"atheris did not run {name}: {said[-2000:]}")
    tally = Tally(name, int(units.group(1)) if units else 0, time.monotonic() - began_s)
    faults = [_crash(name, path.read_bytes(), said) for path in found]
    if arguments.keep and not faults:
        said = fuzz("-merge=1", smaller, inputs_folder)
        if not any(smaller.iterdir()):
            raise BenchError(f"atheris kept no input of {name}: {said[-2000:]}")
        least = sorted((path.read_bytes() for path in smaller.iterdir()), key=len)
        write_corpus(name, [data for data in least if len(data) <= MOST_KEPT_BYTES][:MOST_KEPT])
    return tally, faults


def _crash(name: str, data: bytes, said: str) -> Fault:
    lines = [line for line in said.splitlines() if line.strip()]
    raised = [i for i, line in enumerate(lines) if "Uncaught Python exception" in line]
    told = lines[raised[0] + 1] if raised else lines[-1]
    return Fault(name, told[:200], "-", base64.b64encode(data).decode())


def _over_the_wire(arguments: argparse.Namespace, end_s: float) -> WireFigures:
    ids: GivenIds = {"id": [], "detection_id": []}
    made = inputs(read_corpus("request_bytes"), random.Random(arguments.seed), ids)
    return attack(made, arguments.inputs, lambda: time.monotonic() > end_s, ids)


def _report(tallies: Sequence[Tally], faults: Sequence[Fault]) -> str:
    rows = [
        [
            tally.target,
            f"{tally.inputs:,}",
            f"{tally.seconds:.0f}",
            f"{tally.slowest_s * 1000:.0f} ms" if tally.slowest_s else "-",
            str(sum(fault.target == tally.target for fault in faults)),
        ]
        for tally in tallies
    ]
    total = sum(tally.inputs for tally in tallies)
    table = markdown_table(["target", "inputs", "seconds", "slowest input", "faults"], rows)
    listed = [f"- {fault.target}, {fault.place}: {fault.error}" for fault in faults]
    return "\n".join([f"{total:,} inputs, {len(faults)} kinds of fault.", "", table, "", *listed])


def _wire_report(found: WireFigures) -> str:
    statuses = sorted(found.statuses)
    rows = [
        [name, *(f"{counts.get(status, 0):,}" for status in statuses)]
        for name, counts in (*found.by_method.items(), ("all", found.statuses))
    ]
    listed = [f"- {path}: {status}" for path, status, _ in found.faults]
    return "\n".join(
        [
            f"{found.calls:,} calls; memory of the server and its children {found.warm_mib:.0f} "
            f"MiB once warm, {found.last_mib:.0f} MiB at the end.",
            "",
            markdown_table(["method", *statuses], rows),
            "",
            *listed,
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
