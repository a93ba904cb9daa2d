"""How well VerifyClaims tells supported claims from unsupported ones, on labelled rows.

Measured: a split of each shared data set through a running server, as any client sees it; all rows
on one context go into one call, two calls at a time. Scores, calibration, what removing the cited
evidence does to the probability, verdicts, and whatever was not verified.

Not measured: how claims are found in an answer, and time (see bench.latency and bench.pipeline).
"""

import argparse
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

from bench.tools.common import (
    BenchError,
    bench_parser,
    describe_run,
    guarded,
    results_folder,
    say,
    write_results,
)
from bench.tools.labelled import ALL_SETS, SETS, SPLITS, Call, Row, calls_for, choose, read_rows
from bench.tools.quality_figures import Figures, summarise
from bench.tools.quality_report import Measured, draw, report
from bench.tools.serving import add_server_flags, client_at, server_in_words
from bench.tools.written.figures import slices_of
from groundwire import (
    Client,
    GroundwireError,
    InvalidResponseError,
    RpcFailedError,
    UnavailableError,
    VerifiedClaim,
)
from groundwire_server.config.settings import ServerSettings

CALL_TIMEOUT_S = 290.0
"""Just below the most that the server grants a call."""
CALLS_IN_FLIGHT = 2
PROGRESS_EVERY_S = 10.0
RESAMPLES = 1000
QUICK_ROWS, QUICK_RESAMPLES = 20, 200


def ask(client: Client, name: str, calls: Sequence[Call]) -> list[Figures]:
    """Make the calls of one set; the figures of all its rows, in the order of the calls.

    A call that fails leaves its rows in the result, with its error and no figures. Once the server
    is gone, the calls that are left are not made and count as failed, too.
    """
    asker = _Asker(client, name, sum(len(call.rows) for call in calls))
    with ThreadPoolExecutor(CALLS_IN_FLIGHT) as threads:
        return [figures for found in threads.map(asker.ask, calls) for figures in found]


class _Asker:
    """Makes calls from several threads and tells how far it is."""

    def __init__(self, client: Client, name: str, rows: int) -> None:
        self._client = client
        self._name = name
        self._rows = rows
        self._lock = threading.Lock()
        self._gone: str | None = None
        self._done = self._failed = 0
        self._told_s = time.monotonic()

    def ask(self, call: Call) -> list[Figures]:
        """The figures of one call's rows."""
        error = self._gone
        verified: Sequence[VerifiedClaim | None] = [None] * len(call.rows)
        if error is None:
            try:
                verified = self._client.verify_claims(call.claims, call.evidence).claims
            except (RpcFailedError, InvalidResponseError) as failure:
                error = str(failure)
                if isinstance(failure, UnavailableError):
                    self._gone = f"not asked, since the server had gone: {error}"
        self._tell(len(call.rows), error is not None)
        pairs = zip(call.rows, verified, strict=True)
        return [figures_of(row, claim, error) for row, claim in pairs]

    def _tell(self, rows: int, failed: bool) -> None:
        with self._lock:
            self._done += rows
            self._failed += failed
            now_s = time.monotonic()
            if self._done == self._rows or now_s > self._told_s + PROGRESS_EVERY_S:
                self._told_s = now_s
                say(f"{self._name}: {self._done} of {self._rows} rows, {self._failed} failed calls")


def figures_of(row: Row, claim: VerifiedClaim | None, error: str | None) -> Figures:
    """The figures of a row, with its verified claim or with the error of its call."""
    bare = Figures(
        row.id,
        row.context_number,
        row.supported,
        row.word_overlap,
        contradicted=row.contradicted,
        kind=row.kind,
        language=row.language,
        context_characters=len(row.context),
    )
    if claim is None:
        return replace(bare, error=error)
    return replace(
        bare,
        p1=claim.p1,
        p0=claim.p0,
        raw_p1=None if claim.posterior is None else claim.posterior.raw_probability,
        gap_bits=claim.gap_bits,
        label_mass_p1=None if claim.posterior is None else claim.posterior.label_mass,
        label_mass_p0=None if claim.prior is None else claim.prior.label_mass,
        verdict=claim.verdict.value,
        reason=claim.reason.value,
    )


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("bench.quality", "Quality of VerifyClaims on labelled rows.")
    add_server_flags(parser)
    parser.add_argument(
        "--sets",
        nargs="+",
        choices=ALL_SETS,
        default=list(SETS),
        metavar="SET",
        help=f"{', '.join(SETS)} (the default); {', '.join(ALL_SETS[len(SETS) :])}",
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
    measured = Measured(
        run,
        server,
        arguments.split,
        limit,
        resamples,
        took_s,
        tuple(sets),
        mean,
        slices_of(found, resamples),
    )
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
