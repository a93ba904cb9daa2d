"""What the prior adds: do p1 - p0 and the gap tell better than p1 what rests on its source?

Measured on a split of labelled sets through a server, in two ways. `labelled`: the claims
that people found supported by their context against those that they did not. `misattributed`: the
supported claims on their own context against the same claims cited to another context of the set,
the one of some drawn ones that holds most of the claim's words. There a claim is true, the model
may believe it without any source, and only its source is wrong. AUROC of p1, p1 - p0 and -gap_bits.

Not measured: sets where one context may carry the claims of another (summedits has many summaries
of one document; those contexts are left out by `TOO_NEAR`).
"""

import argparse
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace

from bench.quality import CALL_TIMEOUT_S, QUICK_RESAMPLES, QUICK_ROWS, RESAMPLES, ask
from bench.tools.common import (
    bench_parser,
    describe_run,
    guarded,
    results_folder,
    write_results,
)
from bench.tools.labelled import MORE_SETS, SETS, Row, calls_for, choose, read_rows
from bench.tools.quality_figures import summarise
from bench.tools.quality_report import ranking
from bench.tools.serving import add_server_flags, client_at, server_in_words
from groundwire import Span
from groundwire_verifier.numbers.baseline import word_overlap

DEFAULT_SETS = (
    "fm2",
    "attributionbench",
    "factscore",
    "halueval_qa",
    "more/xquad_en",
    "more/boolq",
)
DRAWN_CONTEXTS = 30
TOO_NEAR = 0.75
"""Share of the right context's words above which another context may carry the same claims."""
SEED = 8


def misattributed(rows: Sequence[Row]) -> list[Row]:
    """The supported rows as they are, and each once more as unsupported, on another context.

    A claim that has no other context, since all that were drawn are too near, stands alone.
    """
    rng = random.Random(SEED)  # noqa: S311 - a fixed choice, not a secret
    contexts = {row.context_number: row.context for row in rows}
    found = []
    for row in (row for row in rows if row.supported):
        found.append(row)
        others = [number for number in contexts if number != row.context_number]
        drawn = rng.sample(others, min(DRAWN_CONTEXTS, len(others)))
        apart = [n for n in drawn if word_overlap(row.context, contexts[n]) < TOO_NEAR]
        if not apart:
            continue
        number = max(apart, key=lambda n: word_overlap(row.claim, contexts[n]))
        other = contexts[number]
        found.append(
            replace(
                row,
                id=f"{row.id}/misattributed",
                context=other,
                context_number=number,
                supported=False,
                spans=(Span(0, len(other)),),
            )
        )
    return found


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("bench.prior", "What the prior adds to the posterior.")
    add_server_flags(parser)
    parser.add_argument(
        "--sets", nargs="+", choices=SETS + MORE_SETS, default=list(DEFAULT_SETS), metavar="SET"
    )
    parser.add_argument(
        "--limit", type=int, default=150, metavar="N", help="at least N rows of each set"
    )
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    limit = QUICK_ROWS if arguments.quick else arguments.limit
    resamples = QUICK_RESAMPLES if arguments.quick else RESAMPLES
    began_s = time.monotonic()
    with client_at(arguments.target, arguments.model, CALL_TIMEOUT_S) as client:
        info = client.server_info()
        found = {}
        for name in dict.fromkeys(arguments.sets):
            rows = choose(read_rows(name, "dev"), limit)
            for way, asked in (("labelled", rows), ("misattributed", misattributed(rows))):
                calls = calls_for(asked, info.limits.max_claims)
                found[f"{name}, {way}"] = ask(client, f"{name}, {way}", calls)
    sets, _ = summarise(found, resamples)
    server = server_in_words(info, arguments.target)
    lines = [
        "# What the prior adds",
        "",
        *run.lines(),
        f"- server: {server}",
        f"- dev rows in {time.monotonic() - began_s:.0f} s; {resamples:,} bootstrap resamples",
        "",
        ranking(sets, None),
        "",
        "`misattributed`: supported claims on their own context against the same on another.",
    ]
    data = {
        "run": asdict(run),
        "server": server,
        "sets": [asdict(figures) for figures in sets],
        "rows_by_set": {name: [asdict(row) for row in rows] for name, rows in found.items()},
    }
    write_results(results_folder("prior", arguments.out, run), "prior", data, "\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())
