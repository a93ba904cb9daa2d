"""What corrections of a deployment's own are worth: `python -m bench.studies.feedback`.

Rows of labelled sets stand for people. On half of the contexts each claim is verified by a server
that takes feedback, and its label is recorded. The feedback is exported, a calibration is fitted on
it, and the claims of the other half are verified before and after, by a server without and with it.

Measured: on the other half, the calibration error of p1, and what the verdicts are worth.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

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
from bench.tools.labelled import Row, choose, read_rows
from bench.tools.serving import serving
from groundwire import Client, FeedbackVerdict, Verdict, VerifyResult
from groundwire_server.cli.main import main as groundwire
from groundwire_server.config.settings import ServerSettings
from groundwire_verifier.numbers.metrics import (
    balanced_accuracy,
    brier,
    expected_calibration_error,
)

CALL_TIMEOUT_S = 120.0
DEFAULT_SETS = ("more/snli", "more/mnli")
ROWS_OF_A_SET = 150


@dataclass(frozen=True, slots=True)
class Figures:
    """What p1 and the verdicts are worth on some rows; shares in [0, 1]."""

    rows: int
    calibration_error: float
    brier: float
    balanced_accuracy: float
    supported: float


def _verified(client: Client, rows: Sequence[Row]) -> list[tuple[Row, VerifyResult]]:
    return [(row, client.verify_claims([row.claim], row.context)) for row in rows]


def _figures(found: Sequence[tuple[Row, VerifyResult]]) -> Figures:
    known = [
        (result[0].p1, result[0].verdict is Verdict.SUPPORTED, row.supported)
        for row, result in found
        if result[0].p1 is not None
    ]
    p1, said, labels = (np.array(column) for column in zip(*known, strict=True))
    return Figures(
        rows=len(known),
        calibration_error=expected_calibration_error(p1, labels),
        brier=brier(p1, labels),
        balanced_accuracy=float(balanced_accuracy(said, labels)),
        supported=float(said.mean()),
    )


def _correct(client: Client, rows: Sequence[Row]) -> None:
    """Verify claims, and record their labels as people's verdicts."""
    for row, result in _verified(client, rows):
        said = FeedbackVerdict.GROUNDED if row.supported else FeedbackVerdict.NOT_GROUNDED
        client.record_feedback(result.detection_id, 0, said)


def _command(*arguments: str) -> None:
    if groundwire(arguments) != 0:
        raise BenchError(f"groundwire {' '.join(arguments)} failed")


def _halves(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The rows of every other context, and the others."""
    first = [row for row in rows if row.context_number % 2 == 0]
    return first, [row for row in rows if row.context_number % 2 == 1]


def _run(arguments: argparse.Namespace) -> None:
    run, limit = describe_run(arguments.quick), 20 if arguments.quick else ROWS_OF_A_SET
    folder = results_folder("feedback", arguments.out, run)
    corrections, held_out = [], []
    for name in arguments.sets:
        first, second = _halves(choose(read_rows(name, "dev"), limit))
        corrections += first
        held_out += second
    model = ServerSettings().model
    with tempfile.TemporaryDirectory() as temporary:
        file, rows, fitted = (Path(temporary, n) for n in ("kept.sqlite", "rows.jsonl", "fit.json"))
        kept = ("--feedback-enabled", "--feedback-file", str(file))
        with serving(model, *kept) as target, Client(target, timeout_s=CALL_TIMEOUT_S) as client:
            say(f"{len(held_out)} claims before, {len(corrections)} corrections")
            before = _figures(_verified(client, held_out))
            _correct(client, corrections)
            _command("feedback", "export", "--out", str(rows), "--feedback-file", str(file))
            _command(
                "calibrate", "--data", str(rows), "--out", str(fitted), "--target", target
            )  # fmt: skip
        with (
            serving(model, "--calibration", str(fitted)) as target,
            Client(target, timeout_s=CALL_TIMEOUT_S) as client,
        ):
            after = _figures(_verified(client, held_out))
    table = markdown_table(
        ["calibration", "claims", "calibration error", "Brier", "balanced accuracy", "SUPPORTED"],
        [
            [
                name,
                str(figures.rows),
                f"{figures.calibration_error:.3f}",
                f"{figures.brier:.3f}",
                f"{figures.balanced_accuracy:.3f}",
                f"{figures.supported:.2f}",
            ]
            for name, figures in (("the model's own", before), ("by the corrections", after))
        ],
    )
    sets = ", ".join(arguments.sets)
    text = "\n\n".join(
        [
            "# Feedback",
            f"Sets: {sets}; {len(corrections)} corrections, on other contexts than the claims.",
            table,
            *run.lines(),
        ]
    )
    data = {
        "run": asdict(run),
        "sets": arguments.sets,
        "corrections": len(corrections),
        "before": asdict(before),
        "after": asdict(after),
    }
    write_results(folder, "feedback", data, text)


def main() -> int:
    """Run the study and return its exit code."""
    parser = bench_parser("studies.feedback", "what corrections are worth")
    parser.add_argument("--sets", nargs="+", default=DEFAULT_SETS, metavar="SET")
    arguments = parser.parse_args()
    return guarded(lambda: _run(arguments))


if __name__ == "__main__":
    sys.exit(main())
