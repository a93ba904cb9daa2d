"""The latency of VerifyAnswer over gRPC, as a client on the same machine sees it.

Measured: the wall time from sending an answer of ten claims and its five sources until the report
is there, and in the streaming form until the first verdict; one call at a time. Cold: sources that
the server never saw. Warm: the same sources with another answer, and then with that answer again.
That all ten claims were read, and that a call was cold or warm, is checked with what the server
reports. The target is 500 ms + 10 x 100 ms, at the p95.

Not measured: calls side by side, a network, TLS, whether the verdicts are right (see
bench.quality).
"""

import argparse
import sys
import time
from dataclasses import asdict

from bench.answers import CLAIMS, SOURCES, Answers
from bench.common import (
    BenchError,
    bench_parser,
    describe_run,
    guarded,
    results_folder,
    say,
    write_results,
)
from bench.pipeline_calls import Plan, Session
from bench.pipeline_report import Measured, report, summarise
from bench.serving import add_server_flags, client_at, server_in_words
from groundwire import GroundwireError

CALL_TIMEOUT_S = 120.0
FULL = Plan(visits=20, limit_s=1200.0)
QUICK = Plan(visits=2, limit_s=120.0)


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("pipeline", "Latency of VerifyAnswer against its target.")
    add_server_flags(parser)
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    plan = QUICK if arguments.quick else FULL
    run = describe_run(arguments.quick)
    say("making the answers")
    answers = Answers()
    try:
        with client_at(arguments.target, arguments.model, CALL_TIMEOUT_S) as client:
            info = client.server_info()
            began_s = time.monotonic()
            samples = Session(client, answers.visit, plan).measure()
            took_s = time.monotonic() - began_s
    except GroundwireError as error:
        raise BenchError(f"a call failed: {error}") from error
    cells = summarise(samples, CLAIMS)
    server = server_in_words(info, arguments.target)
    measured = Measured(run, server, CLAIMS, SOURCES, cells, took_s)
    data = {**asdict(measured), "samples": [asdict(sample) for sample in samples]}
    folder = results_folder("pipeline", arguments.out, run)
    write_results(folder, "pipeline", data, report(measured))


if __name__ == "__main__":
    sys.exit(main())
