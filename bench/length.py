"""How well and how fast is a claim read whose source stands among others, by passages and whole?

Measured: dev rows of labelled sets whose context stands alone, and among other contexts of its set,
so that the evidence has about 500, 1,500 and 4,000 tokens. The claims cite nothing, so that their
passages have to be found. AUROC of p1, milliseconds a claim, one call after the other, tokens that
were computed, and how often a passage of the right source was read.

Not measured: evidence whose sources were chosen by a search, and so are nearer to each other.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from bench.quality import CALL_TIMEOUT_S
from bench.tools.common import (
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    say,
    write_results,
)
from bench.tools.labelled import MORE_SETS, SETS, AmongCall, among, choose, read_rows
from bench.tools.serving import add_server_flags, client_at, server_in_words
from groundwire import Client, Read, VerifyOptions
from groundwire_verifier.numbers.metrics import auroc

DEFAULT_SETS = ("attributionbench", "halueval_qa")
TOKENS = (500, 1500, 4000)
QUICK_ROWS = 6
MAX_CLAIMS = 8


@dataclass(frozen=True, slots=True)
class Measured:
    """One set at one length, read one way. `tokens` 0: the row alone.

    `found_share` is the share of claims that were read with the right source; None where it was
    read whole.
    """

    name: str
    tokens: int
    read: str
    rows: int
    auroc: float
    claim_ms: float
    computed_tokens: int
    found_share: float | None


def measure(
    client: Client, name: str, tokens: int, read: Read, calls: Sequence[AmongCall]
) -> Measured:
    """Make the calls one after the other."""
    options = VerifyOptions(read=read, skip_result_cache=True)
    scores, labels, found = [], [], []
    computed = 0
    began_s = time.monotonic()
    for call in calls:
        result = client.verify_claims(call.claims(citing=False), call.evidence, options=options)
        computed += result.run.usage.computed_tokens
        for row, claim in zip(call.rows, result, strict=True):
            scores.append(-1.0 if claim.p1 is None else claim.p1)
            labels.append(row.supported)
            if claim.read_passages:
                found.append(call.own in {each.source_id for each in claim.read_passages})
    took_s = time.monotonic() - began_s
    area = float(auroc(np.array(scores), np.array(labels)))
    say(f"{name}, {tokens} tokens, {read}: AUROC {area:.3f}, {took_s:.0f} s")
    return Measured(
        name,
        tokens,
        read.value,
        len(scores),
        area,
        1000.0 * took_s / len(scores),
        computed,
        float(np.mean(found)) if found else None,
    )


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("bench.length", "Long evidence, read by passages and whole.")
    add_server_flags(parser)
    parser.add_argument(
        "--sets", nargs="+", choices=SETS + MORE_SETS, default=list(DEFAULT_SETS), metavar="SET"
    )
    parser.add_argument(
        "--tokens", nargs="+", type=int, default=list(TOKENS), metavar="N", help="of the evidence"
    )
    parser.add_argument(
        "--limit", type=int, default=80, metavar="N", help="at least N rows of each set"
    )
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    limit = QUICK_ROWS if arguments.quick else arguments.limit
    found: list[Measured] = []
    with client_at(arguments.target, arguments.model, CALL_TIMEOUT_S) as client:
        info = client.server_info()
        for name in dict.fromkeys(arguments.sets):
            pool = read_rows(name, "dev")
            rows = choose(pool, limit)
            # The first call of a server takes longer than others.
            measure(client, name, 0, Read.WHOLE, among(rows[:1], 0, MAX_CLAIMS))
            found.append(measure(client, name, 0, Read.WHOLE, among(rows, 0, MAX_CLAIMS)))
            for tokens in arguments.tokens:
                calls = among(rows, tokens, MAX_CLAIMS, pool)
                found += [
                    measure(client, name, tokens, read, calls)
                    for read in (Read.PASSAGES, Read.WHOLE)
                ]
    server = server_in_words(info, arguments.target)
    table = markdown_table(
        ("set", "tokens", "read", "rows", "AUROC", "ms a claim", "computed", "right source read"),
        [
            (
                each.name,
                f"{each.tokens:,}" if each.tokens else "alone",
                each.read,
                str(each.rows),
                f"{each.auroc:.3f}",
                f"{each.claim_ms:.0f}",
                f"{each.computed_tokens:,}",
                "" if each.found_share is None else f"{each.found_share:.2f}",
            )
            for each in found
        ],
    )
    lines = ["# Long evidence", "", *run.lines(), f"- server: {server}", "", table]
    data = {"run": asdict(run), "server": server, "measured": [asdict(each) for each in found]}
    write_results(results_folder("length", arguments.out, run), "length", data, "\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())
