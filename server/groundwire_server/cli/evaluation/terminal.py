"""An evaluation on a terminal."""

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from groundwire_server.cli.evaluation.report import (
    SHOWN_NAMES,
    Report,
    Server,
    Table,
    comparison_lines,
    failure_lines,
    figures_table,
    flip_table,
    latency_line,
    verdict_table,
    whole_table,
)


def print_report(report: Report, console: Console) -> None:
    """Print the figures of each server, and what tells two apart."""
    console.print(
        f"{report.file}; strictness: {report.strictness}; in brackets 95 % intervals over contexts",
        markup=False,
        soft_wrap=True,
    )
    for server in report.servers:
        _print_server(server, console)
    if report.comparison is not None:
        flips = report.comparison.flips
        _print_lines(comparison_lines(report), console)
        if flips:
            print_table(flip_table(report, flips[:SHOWN_NAMES]), console)
        if len(flips) > SHOWN_NAMES:
            _print_lines([f"and {len(flips) - SHOWN_NAMES:,} more: see --page or --json"], console)


def _print_server(server: Server, console: Console) -> None:
    evaluation = server.evaluation
    _print_lines(["", server.in_words], console)
    print_table(whole_table(evaluation.whole), console)
    print_table(verdict_table(evaluation.verdicts), console)
    for name, groups in (("kind", evaluation.kinds), ("language", evaluation.languages)):
        if groups:
            print_table(figures_table(name, groups), console)
    _print_lines([latency_line(server), *failure_lines(server)], console)


def _print_lines(lines: list[str], console: Console) -> None:
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def print_table(table: Table, console: Console) -> None:
    """Print a table whose cells are texts and no markup."""
    header, rows = table
    shown = RichTable(*header)
    for row in rows:
        shown.add_row(*(Text(cell) for cell in row))
    console.print(shown)
