"""How labelled cases are judged: `python -m bench.cases KIND`.

A kind is a module beside this one, which holds its cases, what is asked about them and its tables.
"""

import argparse
import functools
import sys
from dataclasses import asdict

from bench.cases import assessment, chatbot, corpus, epistemic_risk, similarity, tables, traces
from bench.tools.common import bench_parser, describe_run, guarded, results_folder, write_results
from bench.tools.serving import add_server_flags, client_at

KINDS = {
    "assessment": assessment,
    "chatbot": chatbot,
    "corpus": corpus,
    "epistemic_risk": epistemic_risk,
    "similarity": similarity,
    "tables": tables,
    "traces": traces,
}
CALL_TIMEOUT_S = 600.0


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("bench.cases", "How labelled cases are judged.")
    add_server_flags(parser)
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    for name, module in KINDS.items():
        module.add(kinds.add_parser(name, help=(module.__doc__ or "").partition("\n\n")[0]))
    arguments = parser.parse_args()
    return guarded(lambda: _measure(arguments))


def _measure(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    serve = functools.partial(client_at, arguments.target, arguments.model, CALL_TIMEOUT_S)
    found = KINDS[arguments.kind].measure(arguments, serve)
    folder = results_folder(arguments.kind.replace("_", "-"), arguments.out, run)
    page = [f"# {found.title}", "", *run.lines(), *found.lines]
    write_results(folder, arguments.kind, {"run": asdict(run), **found.data}, "\n".join(page))


if __name__ == "__main__":
    sys.exit(main())
