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
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from bench.quality import CALL_TIMEOUT_S, CALLS_IN_FLIGHT, QUICK_ROWS, telling
from bench.tools.common import (
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    write_results,
)
from bench.tools.labelled import MORE_SETS, SETS, choose, read_rows
from bench.tools.serving import add_server_flags, client_at, server_in_words
from groundwire import Strictness, VerifyOptions
from groundwire_server.cli.evaluation.asking import Said, ask
from groundwire_server.cli.evaluation.figures import RESAMPLES, UNREAD
from groundwire_server.cli.evaluation.report import difference_text, figure_text
from groundwire_server.cli.evaluation.rows import LabelledRow
from groundwire_verifier.numbers import metrics
from groundwire_verifier.numbers.budget import budget
from groundwire_verifier.numbers.metrics import Figure, Floats, word_overlap
from groundwire_verifier.verdicts.policy import Thresholds

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


P1, OVERLAP = "p1", "word overlap"


@dataclass(frozen=True, slots=True)
class Ranking:
    """How well scores tell the supported rows of a set from the others.

    `auroc` goes by score; `gain` is that AUROC less the one of p1, on the same resamples.
    """

    name: str
    rows: int
    supported: int
    auroc: Mapping[str, Figure]
    gain: Mapping[str, Figure]


def misattributed(rows: Sequence[LabelledRow]) -> list[LabelledRow]:
    """The supported rows as they are, and each once more as unsupported, on another context.

    A claim that has no other context, since all that were drawn are too near, stands alone.
    """
    rng = random.Random(SEED)  # noqa: S311 - a fixed choice, not a secret
    contexts = list(dict.fromkeys(row.context for row in rows))
    found = []
    for row in (row for row in rows if row.supported):
        found.append(row)
        others = [context for context in contexts if context != row.context]
        drawn = rng.sample(others, min(DRAWN_CONTEXTS, len(others)))
        apart = [context for context in drawn if word_overlap(row.context, context) < TOO_NEAR]
        if apart:
            other = max(apart, key=lambda context: word_overlap(row.claim, context))
            wrong = f"{row.id}/misattributed"
            found.append(replace(row, id=wrong, context=other, supported=False))
    return found


def ranked(name: str, rows: Sequence[LabelledRow], said: Said) -> Ranking:
    """The figures of what was said of rows; what was not read counts as .5."""
    labels = np.array([row.supported for row in rows], dtype=np.bool_)
    _, contexts = np.unique([row.context for row in rows], return_inverse=True)
    weights = metrics.cluster_weights(contexts.astype(np.int64), RESAMPLES, SEED)
    p1, p0 = (
        np.array([UNREAD if value is None else value for value in values])
        for values in zip(*((each.p1, each.p0) for each in said.outcomes), strict=True)
    )
    calibration = said.server.calibration
    points = calibration.operating_points if calibration else {}
    confidence = points.get(Strictness.BALANCED, Thresholds().default_confidence)
    scores: dict[str, Floats] = {
        P1: p1,
        "p1 - p0": p1 - p0,
        "-gap_bits": -np.asarray(budget(p1, p0, confidence).gap_bits),
        OVERLAP: np.array([row.word_overlap for row in rows]),
    }
    sampled = {
        score: (metrics.auroc(values, labels), metrics.auroc(values, labels, weights))
        for score, values in scores.items()
    }
    return Ranking(
        name,
        len(rows),
        int(labels.sum()),
        {score: metrics.interval(*each) for score, each in sampled.items()},
        {
            score: metrics.interval(value - sampled[P1][0], resampled - sampled[P1][1])
            for score, (value, resampled) in sampled.items()
            if score not in (P1, OVERLAP)
        },
    )


def table(rankings: Sequence[Ranking]) -> str:
    """A line for each set, as markdown."""
    first = rankings[0]
    header = ["set", "rows", "supported", *(f"AUROC of {score}" for score in first.auroc)]
    header += [f"{score}, over p1" for score in first.gain]
    return markdown_table(
        header,
        [
            [
                each.name,
                f"{each.rows:,}",
                f"{each.supported:,}",
                *map(figure_text, each.auroc.values()),
                *map(difference_text, each.gain.values()),
            ]
            for each in rankings
        ],
    )


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
    began_s = time.monotonic()
    rankings = []
    rows_by_set = {}
    with client_at(arguments.target, arguments.model, CALL_TIMEOUT_S) as client:
        server = server_in_words(client.server_info(), arguments.target)
        for name in dict.fromkeys(arguments.sets):
            rows = choose(read_rows(name, "dev"), limit)
            for way, asked in (("labelled", rows), ("misattributed", misattributed(rows))):
                of = f"{name}, {way}"
                said = ask(client, asked, VerifyOptions(), CALLS_IN_FLIGHT, telling(len(asked)))
                rankings.append(ranked(of, asked, said))
                rows_by_set[of] = [
                    {"id": row.name, "label": int(row.supported), **asdict(outcome)}
                    for row, outcome in zip(asked, said.outcomes, strict=True)
                ]
    lines = [
        "# What the prior adds",
        "",
        *run.lines(),
        f"- server: {server}",
        f"- dev rows in {time.monotonic() - began_s:.0f} s",
        "",
        table(rankings),
        "",
        "`misattributed`: supported claims on their own context against the same on another.",
        "-gap_bits: at the confidence of `balanced`. Brackets: 95 % intervals over contexts.",
    ]
    data = {
        "run": asdict(run),
        "server": server,
        "sets": [asdict(each) for each in rankings],
        "rows_by_set": rows_by_set,
    }
    write_results(results_folder("prior", arguments.out, run), "prior", data, "\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())
