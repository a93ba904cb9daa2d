"""What `groundwire patterns` finds in made records: `python -m bench.patterns`.

A record of 10,000 detections has patterns planted in it: a kind of error, a source, a question and
a model that are wrong more often, a week whose share of grounded claims falls, and one whose label
mass does. Measured: which of them are found, how long it takes, and how much memory. Then, on many
records, how often a share that falls by so much is found, and how often drift is called where
nothing changes. No model is needed.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from bench.tools.common import (
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    write_results,
)
from groundwire_server.cli.patterns.reading import Wanted, read_record
from groundwire_server.cli.patterns.report import LEAST_SHARE, Report, report_of
from groundwire_server.cli.patterns.tally import Tally, Thing
from groundwire_server.records.audit_lines import LINE_VERSION
from groundwire_verifier.numbers.drift import Values, find_drift

DETECTIONS, WEEKS, CLAIMS = 10_000, 20, 6
FIRST = datetime(2026, 1, 5, tzinfo=UTC)
RIGHT, MASS, SPREAD = 0.9, 0.95, 0.02
"""The share of claims that are right, and the label mass, where nothing is planted."""
FALLS = 0.15, 12
LOSES_MASS = 0.05, 16
"""By how much the share and the mass fall, and in which week, counted from 0."""
BAD_KIND, BAD_SOURCE, BAD_QUESTION, BAD_MODEL = "MISCITED", "source-7", "question-3", "other"
SOURCES, QUESTIONS = 200, 2000
RECORDS, SIZES = 200, (0.0, 0.05, 0.1, 0.15)
SEED = 41


@dataclass(frozen=True, slots=True)
class Planted:
    """A pattern, and whether it was found."""

    what: str
    found: bool


@dataclass(frozen=True, slots=True)
class Called:
    """Of records whose last week's share of grounded claims is so much lower, how many drift.

    `elsewhere` counts those where another week is called drifting.
    """

    falls_by: float
    records: int
    found: int
    elsewhere: int


def main() -> int:
    """Parse the flags, make, count, write."""
    parser = bench_parser("bench.patterns", "What groundwire patterns finds in made records.")
    return guarded(lambda: _bench(parser.parse_args()))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    detections, records = (2_000, 20) if arguments.quick else (DETECTIONS, RECORDS)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "audit.jsonl"
        with file.open("w", encoding="utf-8") as lines:
            lines.writelines(f"{json.dumps(line)}\n" for line in made_record(detections))
        size_mb = file.stat().st_size / 1e6
        before_kib = _memory_kib()
        began_s = time.perf_counter()
        report = report_on(file)
        took_s = time.perf_counter() - began_s
        grown_mib = (_memory_kib() - before_kib) / 1024
    planted = find_planted(report)
    called = [called_drifting(size, records, detections) for size in SIZES]
    text = [
        "# Patterns in made records",
        "",
        *run.lines(),
        "",
        f"{detections:,} detections of {CLAIMS} claims in {WEEKS} weeks, {size_mb:.1f} MB, read "
        f"and counted in {took_s:.1f} s; memory grew by {grown_mib:.0f} MiB.",
        "",
        markdown_table(
            ("planted", "found"), [(each.what, "yes" if each.found else "no") for each in planted]
        ),
        "",
        f"The same many records {records} times, whose share of {RIGHT:g} falls in the last week:",
        "",
        markdown_table(
            ("falls by", "records", "found", "another week is called drifting"),
            [(f"{c.falls_by:.2f}", str(c.records), str(c.found), str(c.elsewhere)) for c in called],
        ),
    ]
    data = {
        "run": asdict(run),
        "detections": detections,
        "seconds": took_s,
        "mb": size_mb,
        "grown_mib": grown_mib,
        "planted": [asdict(each) for each in planted],
        "called": [asdict(each) for each in called],
    }
    folder_of_results = results_folder("patterns", arguments.out, run)
    write_results(folder_of_results, "patterns", data, "\n".join(text))


def _memory_kib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def report_on(file: Path) -> Report:
    """What the command counts in a record."""
    tally = Tally(by_day=False)
    for seen in read_record(file, Wanted(None, None, None, file), []):
        tally.add(seen)
    return report_of([file.name], "week", tally)


def made_record(detections: int) -> Iterator[dict[str, object]]:
    """The lines of a record with the patterns planted in it."""
    random = np.random.default_rng(SEED)
    for number in range(detections):
        week = number * WEEKS // detections
        question = (
            BAD_QUESTION if random.random() < 0.02 else _one_of(random, QUESTIONS, "question")
        )
        model = BAD_MODEL if random.random() < 0.1 else "usual"
        lost = (FALLS[0] if week == FALLS[1] else 0.0) + (0.3 if question == BAD_QUESTION else 0.0)
        mass = MASS - (LOSES_MASS[0] if week == LOSES_MASS[1] else 0.0)
        yield {
            "version": LINE_VERSION,
            "id": f"{number:032x}",
            "time": (FIRST + timedelta(weeks=week, minutes=number % 1000)).isoformat(),
            "model": model,
            "question_hash": question,
            "verdicts": [
                _verdict(random, RIGHT - lost - (0.2 if model == BAD_MODEL else 0.0), mass)
                for _ in range(CLAIMS)
            ],
        }


def _verdict(random: np.random.Generator, right: float, mass: float) -> dict[str, object]:
    source = BAD_SOURCE if random.random() < 0.02 else _one_of(random, SOURCES, "source")
    is_right = random.random() < right - (0.3 if source == BAD_SOURCE else 0.0)
    # Half of the errors are of one kind, and the others of three.
    kind = "SUPPORTED" if is_right else BAD_KIND if random.random() < 0.5 else "UNSUPPORTED"
    spans = [["NAME"], ["NUMBER"], []][int(random.integers(3))] if kind == "UNSUPPORTED" else []
    return {
        "verdict": kind,
        "reason": "BUDGET_COVERED",
        "grounded": is_right,
        "p1_label_mass": float(np.clip(random.normal(mass, SPREAD), 0.0, 1.0)),
        "span_kinds": spans,
        "unstated_values": 0,
        "source_hashes": [source],
        "claim_hash": f"{random.integers(1 << 62):064x}",
        "evidence_hash": f"{random.integers(1 << 62):064x}",
    }


def _one_of(random: np.random.Generator, count: int, sort: str) -> str:
    return f"{sort}-{10 + random.integers(count)}"


def find_planted(report: Report) -> list[Planted]:
    """Which of the planted patterns the report has where they belong."""
    things = {name: dict(of.by_name) for name, of in report.sorts}
    shares = [i for i, each in enumerate(report.periods) if each.share_drift]
    masses = [i for i, each in enumerate(report.periods) if each.mass_drift]
    return [
        Planted("kind that comes up most", _first(report, "kind of error") == "miscitation"),
        Planted("source that is wrong most", _first(report, "source") == BAD_SOURCE),
        Planted("question that is wrong most", _first(report, "question") == BAD_QUESTION),
        Planted("model that is wrong more often", _rate(things["model"], BAD_MODEL) > 1.5),
        Planted("week in which the share falls, alone", shares == [FALLS[1]]),
        Planted("week in which the label mass falls, alone", masses == [LOSES_MASS[1]]),
    ]


def _first(report: Report, sort: str) -> str:
    return dict(report.sorts)[sort].most(1)[0][0]


def _rate(models: dict[str, Thing], name: str) -> float:
    """How much more often the claims of one model are wrong than those of the usual one."""
    shares = {key: thing.wrong / thing.claims for key, thing in models.items()}
    return shares[name] / shares["usual"]


def called_drifting(falls_by: float, records: int, detections: int) -> Called:
    """How many of so many records drift whose share of grounded claims falls in the last week."""
    random = np.random.default_rng(SEED)
    found = elsewhere = 0
    for _ in range(records):
        weeks = [
            _week(random, RIGHT - (falls_by if week == WEEKS - 1 else 0.0), detections // WEEKS)
            for week in range(WEEKS)
        ]
        *others, last = find_drift([weeks], (LEAST_SHARE if falls_by else 0.0,))[0]
        found += last is not None
        elsewhere += any(others)
    return Called(falls_by, records, found, elsewhere)


def _week(random: np.random.Generator, right: float, detections: int) -> Values:
    values = Values()
    shares: Sequence[float] = (random.binomial(CLAIMS, right, detections) / CLAIMS).tolist()
    for share in shares:
        values.add(share)
    return values


if __name__ == "__main__":
    sys.exit(main())
