"""How well VerifyClaims tells supported claims from unsupported ones, on labelled rows.

Measured: a split of each shared data set through a running server, as any client sees it; all rows
on one context go into one call, two calls at a time. Scores, calibration, what removing the cited
evidence does to the probability, verdicts, and whatever was not verified.

Not measured: how claims are found in an answer, and time (see bench.latency and bench.pipeline).
"""

import argparse
import sys
import time
from dataclasses import asdict
from pathlib import Path

from bench.quality_calls import Figures, ask
from bench.quality_plots import draw
from bench.tools.common import (
    BenchError,
    bench_parser,
    describe_run,
    guarded,
    results_folder,
    write_results,
)
from bench.tools.labelled import MORE_SETS, SETS, SPLITS, calls_for, choose, read_rows
from bench.tools.quality_figures import summarise
from bench.tools.quality_report import Measured, report
from bench.tools.serving import add_server_flags, client_at, server_in_words
from groundwire import GroundwireError
from groundwire_server.config.settings import ServerSettings

CALL_TIMEOUT_S = 290.0
"""Just below the most that the server grants a call."""
RESAMPLES = 1000
QUICK_ROWS, QUICK_RESAMPLES = 20, 200


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("quality", "Quality of VerifyClaims on labelled rows.")
    add_server_flags(parser)
    parser.add_argument(
        "--sets",
        nargs="+",
        choices=SETS + MORE_SETS,
        default=list(SETS),
        metavar="SET",
        help=f"{', '.join(SETS)} (the default); {', '.join(MORE_SETS)}",
    )
    parser.add_argument("--split", choices=SPLITS, default="dev", help="default: dev")
    parser.add_argument(
        "--limit",
        type=_positive,
        metavar="N",
        help="at least N rows of each set, all on each context chosen",
    )
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError("must be a whole number above 0")
    return int(text)


def _bench(arguments: argparse.Namespace) -> None:
    quick = arguments.quick
    limit = arguments.limit or (QUICK_ROWS if quick else None)
    resamples = QUICK_RESAMPLES if quick else RESAMPLES
    names = list(dict.fromkeys(arguments.sets))
    rows = {name: choose(read_rows(name, arguments.split), limit) for name in names}
    run = describe_run(quick)
    try:
        with client_at(arguments.target, arguments.model, CALL_TIMEOUT_S) as client:
            info = client.server_info()
            began_s = time.monotonic()
            found = {
                name: ask(client, name, calls_for(rows[name], info.limits.max_claims))
                for name in names
            }
            took_s = time.monotonic() - began_s
    except GroundwireError as error:
        raise BenchError(f"the server does not answer: {error}") from error
    sets, mean = summarise(found, resamples)
    server = server_in_words(info, arguments.target)
    measured = Measured(run, server, arguments.split, limit, resamples, took_s, tuple(sets), mean)
    folder = results_folder(_folder_name(info.model, arguments.split), arguments.out, run)
    draw(measured, folder)
    limits = asdict(info.limits)
    write_results(folder, "quality", _data(measured, limits, found), report(measured))
    if not any(figures.read for figures in sets):
        raise BenchError("no row was verified; the errors stand above")


def _folder_name(model: str, split: str) -> str:
    """The default folder's name, with what is not the default, so that models stay apart."""
    other_model = "" if model == ServerSettings().model else Path(model).name.lower()
    other_split = "" if split == SPLITS[0] else split
    return "-".join(part for part in ("quality", other_split, other_model) if part)


def _data(
    measured: Measured, limits: dict[str, int], found: dict[str, list[Figures]]
) -> dict[str, object]:
    rows = {name: [asdict(figures) for figures in of_set] for name, of_set in found.items()}
    return {**asdict(measured), "limits": limits, "rows_by_set": rows}


if __name__ == "__main__":
    sys.exit(main())
