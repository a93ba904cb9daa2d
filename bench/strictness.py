"""What each operating point does to SUPPORTED, from rows that `bench.quality` has read.

Measured: the confidences that are most balanced, strict and lenient on one half of the contexts of
SETS, and then, on the other half, how they tell supported claims from unsupported ones. The halves
are drawn by a fixed seed. On MORE_SETS, which the points are not chosen on, they are measured whole
and together. No server is asked: a verdict follows from p1, p0 and confidence.
"""

import argparse
import json
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.tools.common import (
    BenchError,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    write_results,
)
from bench.tools.labelled import MORE_SETS, SETS
from groundwire_server.models import calibrations
from groundwire_verifier.numbers.calibration import Strictness
from groundwire_verifier.numbers.metrics import Bools, Floats
from groundwire_verifier.numbers.operating_point import (
    PROMISES,
    ContextNumbers,
    OperatingPoint,
    choose_points,
    equal_sets,
    operating_point,
)
from groundwire_verifier.verdicts.policy import Thresholds, supported_up_to

SEED = 16
ALL, MORE = "all of these", "more"
_PROMISED = ", ".join(f"{name.value}: at most {share:g}" for name, share in PROMISES.items())
RULES = f"""\
False SUPPORTED: the share of the claims that people labelled unsupported which are SUPPORTED.
Recall: the share of those labelled supported that are. Precision: the share of the claims that are
SUPPORTED which people labelled so. Each point is the lowest confidence that keeps its promise on
false SUPPORTED ({_PROMISED}), balanced and strict from min_posterior up. Every set has equal weight
in the choice, and in the row of all. A row without a probability is left out; its verdict is
NOT_VERIFIED."""

_Row = tuple[str, float, float, bool, int]
"""Set, p1, p0, label and context."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows as arrays of one length; `scores` are those of `supported_up_to`.

    `sets` are their sets, MORE for all of MORE_SETS.
    """

    sets: tuple[str, ...]
    scores: Floats
    labels: Bools
    contexts: ContextNumbers

    @property
    def weights(self) -> Floats:
        """What each row counts for, so that every set counts as much as any other."""
        _, sources = np.unique(self.sets, return_inverse=True)
        return equal_sets(sources.astype(np.int64), self.labels)

    def of(self, name: str) -> "Rows":
        """The rows of one set, or ALL but those of MORE."""
        at = np.array([each == name or (name == ALL and each != MORE) for each in self.sets])
        sets = tuple(each for each, inside in zip(self.sets, at, strict=True) if inside)
        return Rows(sets, self.scores[at], self.labels[at], self.contexts[at])


def main() -> int:
    """Parse the flags, choose, measure, write."""
    parser = bench_parser("bench.strictness", "Operating points, from results of bench.quality.")
    parser.add_argument("quality", nargs="+", type=Path, metavar="FILE", help="its quality.json")
    parser.add_argument(
        "--calibration", type=Path, metavar="FILE", help="write the points into this calibration"
    )
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    files = [json.loads(path.read_text(encoding="utf-8")) for path in arguments.quality]
    chosen_on, measured_on = halves(
        {name: rows for file in files for name, rows in file["rows_by_set"].items()}
    )
    points = choose_points(
        chosen_on.scores,
        chosen_on.labels,
        chosen_on.weights,
        Thresholds().min_posterior,
        {},
    )
    if arguments.calibration is not None:
        file = calibrations.read(arguments.calibration)
        changed = file.model_copy(update={"operating_points": points})
        calibrations.write(changed, arguments.calibration)
    found = set(measured_on.sets)
    names = [name for name in (*SETS, ALL, MORE) if name in found or name == ALL]
    by_set = {name: measured_on.of(name) for name in names}
    figures = {
        name: {
            point: operating_point(at, rows.scores, rows.labels, rows.contexts, rows.weights)
            for point, at in points.items()
        }
        for name, rows in by_set.items()
    }
    read_by = [f"{file['server']}, {file['run']['date'][:10]}" for file in files]
    lines = [
        "# What each operating point does to SUPPORTED",
        "",
        *run.lines(),
        *(f"- read by {server}" for server in read_by),
        f"- chosen on {len(chosen_on.sets):,} rows, measured on {len(measured_on.sets):,} rows of "
        "other contexts",
        *(f"- {name.value}: a confidence of {at:.4f}" for name, at in points.items()),
        "",
        _table(figures, {name: len(rows.sets) for name, rows in by_set.items()}),
        "",
        RULES,
    ]
    data = {
        "run": asdict(run),
        "read_by": read_by,
        "points": {name.value: at for name, at in points.items()},
        "rows": {name: len(rows.sets) for name, rows in by_set.items()},
        "figures": {
            name: {point.value: asdict(figure) for point, figure in of_set.items()}
            for name, of_set in figures.items()
        },
    }
    folder = results_folder("strictness", arguments.out, run)
    write_results(folder, "strictness", data, "\n".join(lines))


def halves(rows_by_set: Mapping[str, Sequence[Mapping[str, Any]]]) -> tuple[Rows, Rows]:
    """The rows with both probabilities, in two halves that share no context.

    Those of MORE_SETS are all in the second.

    Raises BenchError if there is none.
    """
    found: tuple[list[_Row], list[_Row]] = ([], [])
    side = random.Random(SEED)  # noqa: S311 - a fixed choice, not a secret
    number = 0
    for name, rows in rows_by_set.items():
        halves_of: dict[int, tuple[int, list[_Row]]] = {}
        for row in rows:
            if row["context"] not in halves_of:
                number += 1
                is_second = side.random() < 0.5 or name in MORE_SETS
                halves_of[row["context"]] = number, found[is_second]
            context, half = halves_of[row["context"]]
            if row["p1"] is not None and row["p0"] is not None:
                group = MORE if name in MORE_SETS else name
                half.append((group, row["p1"], row["p0"], row["supported"], context))
    if not all(found):
        raise BenchError("the files hold no rows that were read, or too few contexts")
    first, second = (_arrays(half) for half in found)
    return first, second


def _arrays(rows: Sequence[_Row]) -> Rows:
    sets, p1, p0, labels, contexts = zip(*rows, strict=True)
    return Rows(
        sets=sets,
        scores=supported_up_to(np.array(p1), np.array(p0), Thresholds()),
        labels=np.array(labels, dtype=np.bool_),
        contexts=np.array(contexts, dtype=np.int64),
    )


def _table(
    figures: Mapping[str, Mapping[Strictness, OperatingPoint]], rows: Mapping[str, int]
) -> str:
    points = list(figures[ALL])
    shown = "false SUPPORTED, recall, precision"
    header = ["set", "rows", *(f"{point.value}: {shown}" for point in points)]
    return markdown_table(
        header,
        (
            [name, f"{rows[name]:,}", *(_cell(of_set[point]) for point in points)]
            for name, of_set in figures.items()
        ),
    )


def _cell(point: OperatingPoint) -> str:
    shown = (point.false_positive_rate.value, point.recall.value, point.precision.value)
    return ", ".join("-" if value is None else f"{value:.2f}".lstrip("0") for value in shown)


if __name__ == "__main__":
    sys.exit(main())
