"""How often VerifyClaims is right on labelled rows: the figures of `groundwire evaluate`, by set.

Measured: a split of each shared data set through a running server, as any client sees it; all rows
on one context go into one call, two calls at a time. A line for each set, each group of kinds
(bench/data/kind_groups.json) and each language. A claim cites the whole of its context.

Not measured: how claims are found in an answer, and time (see bench.latency and bench.pipeline).
"""

import argparse
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from bench.tools.common import (
    BenchError,
    Run,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    say,
    write_results,
)
from bench.tools.labelled import ALL_SETS, MEAN_SETS, SETS, SPLITS, choose, read_rows
from bench.tools.serving import add_server_flags, client_at, server_in_words
from bench.tools.written.twins import OTHER_KIND, kind_groups
from groundwire import VerifyOptions
from groundwire_server.batch.verifying import versions_of
from groundwire_server.cli.evaluation.asking import Outcome, Said, ask
from groundwire_server.cli.evaluation.figures import Evaluation, Figures, evaluate
from groundwire_server.cli.evaluation.page import html_page
from groundwire_server.cli.evaluation.report import (
    Report,
    Server,
    failure_lines,
    figures_table,
    verdict_table,
)
from groundwire_server.cli.evaluation.rows import LabelledRow
from groundwire_server.config.settings import ServerSettings

CALL_TIMEOUT_S = 290.0
"""Just below the most that the server grants a call."""
CALLS_IN_FLIGHT = 2
PROGRESS_EVERY_S = 10.0
QUICK_ROWS = 20
CROSS = "source and claim differ"
RULES = """\
Brackets: 95 % intervals over whole contexts. Precision: of the rows that come out SUPPORTED, those
that are. Recall and false SUPP.: of the supported and of the unsupported rows, those that come out
SUPPORTED. CONTR., right: the rows that come out CONTRADICTED, and those of them that are not
supported. Overlap: the AUROC of the share of the claim's words that are in the context. A row
without a probability counts as .5 and as not SUPPORTED."""


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
    split = arguments.split
    limit = arguments.limit or (QUICK_ROWS if arguments.quick else None)
    sets = {
        name: [_grouped(row) for row in choose(read_rows(name, split), limit)]
        for name in dict.fromkeys(arguments.sets)
    }
    rows = [row for of_set in sets.values() for row in of_set]
    run = describe_run(arguments.quick)
    began_s = time.monotonic()
    with client_at(arguments.target, arguments.model, CALL_TIMEOUT_S) as client:
        said = ask(client, rows, VerifyOptions(), CALLS_IN_FLIGHT, telling(len(rows)))
    took_s = time.monotonic() - began_s
    found = evaluate(rows, [said])
    outcomes = outcomes_of(sets, said)
    by_set = [_of_set(said, name, sets[name], outcomes[name]) for name in sets]
    server = Server(
        server_in_words(said.server, arguments.target),
        versions_of(said.server, ""),
        found.evaluations[0],
        found.curves[0],
    )
    folder = results_folder(_folder_name(said.server.model, split), arguments.out, run)
    page = html_page(Report(", ".join(sets), "the default", (server,), None))
    (folder / "quality.html").write_text(page, encoding="utf-8")
    data = {
        "run": asdict(run),
        "server": server.target,
        "split": split,
        "limit": limit,
        "took_s": took_s,
        "limits": asdict(said.server.limits),
        "sets": [asdict(figures) for figures in by_set],
        **asdict(server.evaluation),
        "rows_by_set": {
            name: [_row(row, outcome) for row, outcome in zip(sets[name], each, strict=True)]
            for name, each in outcomes.items()
        },
    }
    which = "all rows" if limit is None else f"at least {limit} rows a set"
    told = f"- rows: {len(rows):,} ({split} split, {which}) in {took_s:.0f} s"
    write_results(folder, "quality", data, "\n".join(report(run, told, server, by_set)))
    if all(outcome.failure for outcome in said.outcomes):
        raise BenchError("no row was verified; the errors stand above")


def telling(rows: int) -> Callable[[int], None]:
    """Prints now and then how many of these rows were asked; each call adds its own."""
    done, told_s, lock = 0, time.monotonic(), threading.Lock()

    def advance(count: int) -> None:
        nonlocal done, told_s
        with lock:
            done += count
            now_s = time.monotonic()
            if done == rows or now_s > told_s + PROGRESS_EVERY_S:
                told_s = now_s
                say(f"{done:,} of {rows:,} rows")

    return advance


def outcomes_of(
    sets: Mapping[str, Sequence[LabelledRow]], said: Said
) -> Mapping[str, Sequence[Outcome]]:
    """What was said of the rows of each set, which were asked one set after the other."""
    every = iter(said.outcomes)
    return {name: [next(every) for _ in rows] for name, rows in sets.items()}


def _grouped(row: LabelledRow) -> LabelledRow:
    """The row under the group of its kind, and under one name for all pairs of languages."""
    kind = kind_groups().get(row.kind, OTHER_KIND) if row.kind else ""
    return replace(row, kind=kind, language=CROSS if "-" in row.language else row.language)


def _of_set(
    said: Said, name: str, rows: Sequence[LabelledRow], outcomes: Sequence[Outcome]
) -> Figures:
    (evaluation,) = evaluate(rows, [replace(said, outcomes=tuple(outcomes))]).evaluations
    return replace(evaluation.whole, name=name)


def _row(row: LabelledRow, outcome: Outcome) -> dict[str, object]:
    return {
        "id": row.name,
        "label": int(row.supported),
        "kind": row.kind,
        "language": row.language,
        "word_overlap": row.word_overlap,
        **asdict(outcome),
    }


def report(run: Run, told: str, server: Server, by_set: Sequence[Figures]) -> list[str]:
    """The lines of the whole result, as markdown."""
    evaluation: Evaluation = server.evaluation
    tables = [
        figures_table("set", [*by_set, evaluation.whole]),
        figures_table("group of kinds", evaluation.kinds),
        figures_table("language", evaluation.languages),
        verdict_table(evaluation.verdicts),
    ]
    return [
        "# Quality of VerifyClaims on labelled rows",
        "",
        *run.lines(),
        f"- server: {server.target}",
        told,
        *_mean(by_set),
        "",
        *(line for table in tables if table[1] for line in (markdown_table(*table), "")),
        RULES,
        *(f"- {line}" for line in failure_lines(server)),
    ]


def _mean(by_set: Sequence[Figures]) -> list[str]:
    meant = [figures for figures in by_set if figures.name in MEAN_SETS]
    p1 = [each.auroc.value for each in meant if each.auroc.value is not None]
    overlap = [each.overlap_auroc.value for each in meant if each.overlap_auroc.value is not None]
    if len(p1) < len(MEAN_SETS) or len(overlap) < len(MEAN_SETS):
        return []
    means = (sum(values) / len(values) for values in (p1, overlap))
    words = "mean AUROC of {}, equal weights: p1 {:.3f}, word overlap {:.3f}"
    return [f"- {words.format(', '.join(MEAN_SETS), *means)}"]


def _folder_name(model: str, split: str) -> str:
    """The default folder's name, with what is not the default, so that models stay apart."""
    other_model = "" if model == ServerSettings().model else Path(model).name.lower()
    other_split = "" if split == SPLITS[0] else split
    return "-".join(part for part in ("quality", other_split, other_model) if part)


if __name__ == "__main__":
    sys.exit(main())
