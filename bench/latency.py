"""The latency of BatchEstimate over gRPC, as a client on the same machine sees it.

Measured: the wall time of one call of the Python client to `groundwire serve` on loopback, one call
at a time, for five context lengths and four batch sizes. Cold: a context that the server never saw.
Warm: the same context again with other claims. Whether a call was cold or warm is checked with the
cached tokens that the server reports. The target is 500 ms + N x 100 ms for N claims, at the p95.

Not measured: calls side by side, a network, TLS, the quality of the answers.
"""

import argparse
import sys
import time
from dataclasses import asdict

from bench.common import (
    BenchError,
    bench_parser,
    describe_run,
    guarded,
    results_folder,
    write_results,
)
from bench.latency_calls import Plan, Session
from bench.latency_report import Measured, draw, report, summarise
from bench.serving import add_server_flags, client_at, server_in_words
from groundwire import GroundwireError
from groundwire_server.config.environment import prepare_engine_environment

CALL_TIMEOUT_S = 120.0

FULL = Plan(
    claims=(1, 4, 10, 32),
    visits={100: 20, 300: 20, 600: 20, 1200: 10, 2400: 10},
    warm_calls={100: 1, 300: 1, 600: 1, 1200: 2, 2400: 2},
    limit_s=900.0,
)
QUICK = Plan(claims=(1, 10), visits={100: 2, 300: 2}, warm_calls={100: 1, 300: 1}, limit_s=60.0)


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("latency", "Latency of BatchEstimate against its target.")
    add_server_flags(parser)
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    prepare_engine_environment(None, None)  # the tokeniser's library reads some of it too
    from bench.corpus import Corpus

    plan = QUICK if arguments.quick else FULL
    run = describe_run(arguments.quick)
    corpus = Corpus(arguments.model)
    try:
        with client_at(arguments.target, arguments.model, CALL_TIMEOUT_S) as client:
            info = client.server_info()
            began_s = time.monotonic()
            samples = Session(client, corpus, plan).measure()
            took_s = time.monotonic() - began_s
    except GroundwireError as error:
        raise BenchError(f"a call failed: {error}") from error
    cells = summarise(samples)
    measured = Measured(run, server_in_words(info, arguments.target), cells, took_s)
    folder = results_folder("latency", arguments.out, run)
    draw(measured, folder / "latency.png")
    data = {**asdict(measured), "samples": [asdict(sample) for sample in samples]}
    write_results(folder, "latency", data, report(measured))


if __name__ == "__main__":
    sys.exit(main())
