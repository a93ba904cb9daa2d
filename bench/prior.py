"""What the prior adds: do p1 - p0 and the gap tell better than p1 what rests on its source?

Measured on a split of labelled sets through a running server, in two ways. `labelled`: the claims
that people found supported by their context against those that they did not. `misattributed`: the
supported claims on their own context against the same claims cited to another context of the set,
the one of some drawn ones that holds most of the claim's words. There a claim is true, the model
may believe it without any source, and only its source is wrong. AUROC of p1, p1 - p0 and -gap_bits.

With `--related` it is measured instead what `verify_prior_reading: related` changes: rows whose
context stands among others of its set are read by two servers, and each claim cites its own
context, or every third one the source behind it. Mean change of p0, verdicts that flip, tokens.

Not measured: sets where one context may carry the claims of another (summedits has many summaries
of one document; those contexts are left out by `TOO_NEAR`).
"""

import argparse
import contextlib
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace

from bench.quality import CALL_TIMEOUT_S, QUICK_RESAMPLES, QUICK_ROWS, RESAMPLES, ask
from bench.tools.common import (
    BenchError,
    Run,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    write_results,
)
from bench.tools.labelled import MORE_SETS, SETS, Row, among, calls_for, choose, read_rows
from bench.tools.quality_figures import summarise
from bench.tools.quality_report import ranking
from bench.tools.serving import add_server_flags, client_at, server_in_words
from groundwire import ClaimInput, Client, Span, VerifiedClaim, VerifyOptions
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
RELATED_TOKENS = 500
"""Of the evidence that p0 is read with, in some five sources."""
MAX_RELATED_CLAIMS = 10
FLIPS_FOR_DEFAULT = 0.005
"""The share of verdicts that may flip where p0 with related passages is the default."""
LEAST_VERDICTS = 200
"""So many verdicts it takes to say so."""


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
    parser.add_argument(
        "--related", action="store_true", help="what reading p0 with related passages changes"
    )
    arguments = parser.parse_args()
    return guarded(lambda: (_related if arguments.related else _bench)(arguments))


def _read(
    client: Client, arguments: argparse.Namespace, limit: int
) -> tuple[list[VerifiedClaim], int]:
    """The claims of all sets among other sources, and the tokens that they took."""
    found: list[VerifiedClaim] = []
    tokens = 0
    for name in dict.fromkeys(arguments.sets):
        pool = read_rows(name, "dev")
        rows = choose(pool, limit)
        for call in among(rows, RELATED_TOKENS, MAX_RELATED_CLAIMS, pool):
            ids = [document.id for document in call.documents]
            behind = ids[(ids.index(call.own) + 1) % len(ids)]
            claims = [
                ClaimInput(row.claim, (behind if i % 3 == 2 else call.own,))
                for i, row in enumerate(call.rows)
            ]
            options = VerifyOptions(skip_result_cache=True)
            result = client.verify_claims(claims, call.evidence, options=options)
            tokens += result.run.usage.computed_tokens
            found += result
    return found, tokens


def related_figures(
    whole: Sequence[VerifiedClaim], related: Sequence[VerifiedClaim]
) -> dict[str, float]:
    """What related passages change, over the verdicts that both have p0 of."""
    pairs = [
        (one, other)
        for one, other in zip(whole, related, strict=True)
        if one.p0 is not None and other.p0 is not None
    ]
    moved = [abs((one.p0 or 0.0) - (other.p0 or 0.0)) for one, other in pairs]
    flips = sum(one.verdict is not other.verdict for one, other in pairs)
    return {
        "verdicts": len(pairs),
        "mean_change": sum(moved) / max(1, len(pairs)),
        "flips": flips,
        "flip_share": flips / max(1, len(pairs)),
    }


def may_be_default(figures: dict[str, float]) -> bool:
    """Whether so few verdicts flip, of enough, that related passages may be the default."""
    enough = figures["verdicts"] >= LEAST_VERDICTS
    return enough and figures["flip_share"] <= FLIPS_FOR_DEFAULT


def _related(arguments: argparse.Namespace) -> None:
    if arguments.target is not None:
        raise BenchError("--related starts two servers of its own: leave --target out")
    run: Run = describe_run(arguments.quick)
    limit = QUICK_ROWS if arguments.quick else arguments.limit
    found, tokens = {}, {}
    for way in ("whole", "related"):
        with contextlib.ExitStack() as stack:
            flags = ("--verify-prior-reading", way)
            client = stack.enter_context(client_at(None, arguments.model, CALL_TIMEOUT_S, *flags))
            found[way], tokens[way] = _read(client, arguments, limit)
            server = server_in_words(client.server_info(), None)
    figures = related_figures(found["whole"], found["related"])
    table = markdown_table(
        ("verdicts", "mean change of p0", "verdicts that flip", "tokens, whole", "tokens, related"),
        [
            (
                f"{figures['verdicts']:.0f}",
                f"{figures['mean_change']:.4f}",
                f"{figures['flips']:.0f} ({figures['flip_share']:.3f})",
                f"{tokens['whole']:,}",
                f"{tokens['related']:,}",
            )
        ],
    )
    said = "few" if may_be_default(figures) else "too many, or too few verdicts to say"
    lines = ["# p0 with related passages", "", *run.lines(), f"- server: {server}", "", table]
    lines += ["", f"For a default at most {FLIPS_FOR_DEFAULT:.1%} may flip: {said}."]
    data = {"run": asdict(run), "server": server, "figures": figures, "tokens": tokens}
    folder = results_folder("prior-related", arguments.out, run)
    write_results(folder, "prior-related", data, "\n".join(lines))


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
