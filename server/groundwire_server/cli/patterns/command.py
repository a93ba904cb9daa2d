"""`groundwire patterns`: which errors come up most over many detections, and what drifts."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

from rich.console import Console

from groundwire_server.cli.evaluation.terminal import print_table
from groundwire_server.cli.patterns.page import html_page
from groundwire_server.cli.patterns.reading import (
    Wanted,
    is_feedback_file,
    read_feedback,
    read_record,
)
from groundwire_server.cli.patterns.report import (
    Report,
    as_data,
    heading,
    period_table,
    report_of,
    sort_notes,
    sort_table,
)
from groundwire_server.cli.patterns.tally import SeenDetection, Tally
from groundwire_server.cli.writing import check_folder, write_text
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_CONFIG, EXIT_OK
from groundwire_server.records.audit_record import key_beside

PIPE_WIDTH = 200
"""Columns of what is no terminal, so that no id is cut."""


def add(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="files of the audit record, or the server's feedback_file",
    )
    add("--by", choices=("week", "day"), default="week", help="periods to compare; default: week")
    add("--since", type=_day, metavar="DAY", help="from this day in UTC, such as 2026-11-02")
    add("--until", type=_day, metavar="DAY", help="up to this day, which is included")
    add("--tenant", metavar="NAME", help="detections of this tenant only")
    add(
        "--key",
        type=Path,
        metavar="FILE",
        help="for --tenant: the key of the hashes; by default the first file with .key behind "
        "its name",
    )
    add("--json", action="store_true", help="print all of it as JSON")
    add("--html", type=Path, metavar="FILE", help="write a page, too")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no day such as 2026-11-02") from None


def run(arguments: argparse.Namespace, _: Mapping[str, str]) -> int:
    """Read, count, print and write. Raises ConfigError."""
    html, key = arguments.html, arguments.key or key_beside(arguments.files[0])
    wanted = Wanted(arguments.since, arguments.until, arguments.tenant, key)
    if wanted.since is not None and wanted.until is not None and wanted.since > wanted.until:
        raise ConfigError(f"--since {wanted.since} is after --until {wanted.until}")
    check_folder("--html", html)
    torn: list[str] = []
    tally = Tally(by_day=arguments.by == "day")
    for seen in _read(arguments.files, wanted, torn):
        tally.add(seen)
    report = report_of([file.name for file in arguments.files], arguments.by, tally)
    if html is not None:
        write_text("--html", html, html_page(report))
    if arguments.json:
        print(json.dumps(as_data(report), indent=1))
    else:
        _print(report)
    for place in torn:
        print(f"{place} is not JSON, and was left out", file=sys.stderr)
    if report.drifts:
        return EXIT_BELOW
    return EXIT_CONFIG if torn or not report.periods else EXIT_OK


def _read(files: Sequence[Path], wanted: Wanted, torn: list[str]) -> Iterator[SeenDetection]:
    """The detections of audit records, or of a feedback file."""
    kept = [file for file in files if is_feedback_file(file)]
    if kept and len(files) > 1:
        raise ConfigError(
            f"{kept[0]} holds feedback, which is counted by itself: the same detections may stand "
            "in an audit record, too"
        )
    for file in files:
        yield from read_feedback(file, wanted) if kept else read_record(file, wanted, torn)


def _print(report: Report) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, PIPE_WIDTH)
    console.print(heading(report), markup=False, soft_wrap=True)
    print_table(period_table(report), console)
    for name, things in report.shown:
        print_table(sort_table(report, name, things), console)
        for note in sort_notes(name, things):
            console.print(note, markup=False, soft_wrap=True)
