"""`groundwire verify`: has a running server check an answer against its sources."""

import argparse
import sys
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from groundwire import (
    AnswerEvent,
    AnswerReport,
    ClaimsFound,
    Document,
    Evidence,
    GroundwireError,
)
from groundwire_server.cli import flags
from groundwire_server.cli.source_files import read_answer, read_sources
from groundwire_server.cli.writing import check_folder, write_text
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.settings import ClientSettings
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_server.reports.content import CheckedAnswer


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add = parser.add_argument
    add("--answer", type=Path, required=True, metavar="FILE", help="the answer; - for stdin")
    evidence = parser.add_mutually_exclusive_group(required=True)
    evidence.add_argument(
        "--sources",
        type=Path,
        default=[],
        nargs="+",
        action="extend",
        metavar="PATH",
        help="text files, and folders: the text files directly in them, sorted by name",
    )
    evidence.add_argument(
        "--corpus",
        default="",
        metavar="NAME",
        help="instead of sources: a corpus of the server, by its name",
    )
    add(
        "--ids",
        choices=("numbers", "names"),
        default="numbers",
        help="how the answer cites the sources: S0, S1, ... in order, or file names without suffix",
    )
    add("--question", default="", metavar="TEXT", help="the question that was answered")
    flags.add_verify_options(parser)
    flags.add_forms(parser)
    add("--html", type=Path, metavar="FILE", help="write the report as a page, too")
    add(
        "--correct",
        action="store_true",
        help="correct the answer, too; an edit is shown only if its claim comes out supported",
    )
    add(
        "--no-explain",
        dest="explain",
        action="store_false",
        help="do not explain verdicts: which sentence decides, which words are unsupported, which "
        "sources disagree",
    )
    flags.add_client_settings(parser)


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Verify an answer and print the report.

    Raises ConfigError if a file cannot be used or the connection is misconfigured.
    """
    settings = flags.client(arguments, environment)
    check_folder("--html", arguments.html)
    answer = read_answer(arguments.answer)
    sources: tuple[Document, ...] = ()
    if not arguments.corpus:
        sources = read_sources(
            arguments.sources, ids_from_names=arguments.ids == "names", tell=_complain
        )
    try:
        report = _ask(settings, arguments, answer, sources)
    except GroundwireError as error:
        return failed(error, settings)
    if arguments.corpus:
        sources = tuple(Document(s.id, s.text, s.title or s.document) for s in report.sources)
    checked = CheckedAnswer(answer, arguments.question, sources, report)
    # The page first: a pipe that closes early must not cost it.
    if arguments.html is not None:
        from groundwire_server.reports.page import html_report

        write_text("--html", arguments.html, html_report(checked))
    _print(checked, arguments.form)
    return EXIT_OK if report.overall_grounded else EXIT_BELOW


def _ask(
    settings: ClientSettings,
    arguments: argparse.Namespace,
    answer: str,
    sources: tuple[Document, ...],
) -> AnswerReport:
    with connect(settings) as client:
        events = client.verify_answer_stream(
            answer,
            Evidence.documents(sources) if sources else "",
            question=arguments.question,
            corpus=arguments.corpus,
            correct=arguments.correct,
            options=replace(flags.verify_options(arguments), explain=arguments.explain),
        )
        with closing(events):
            return _follow(events)


def _follow(events: Iterable[AnswerEvent]) -> AnswerReport:
    """The report at the end of the stream. A terminal sees how far it is."""
    console = Console(stderr=True)
    columns = (TextColumn("claims"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=None)
        for event in events:
            if isinstance(event, AnswerReport):
                return event
            if isinstance(event, ClaimsFound):
                bar.update(task, total=len(event.claims))
            else:
                bar.advance(task)
    raise AssertionError("a stream without an error ends with its report")


def _print(checked: CheckedAnswer, form: str) -> None:
    if form == "json":
        from groundwire_server.reports.as_json import json_report

        print(json_report(checked))
    elif form == "markdown":
        from groundwire_server.reports.markdown import markdown_report

        print(markdown_report(checked), end="")
    else:
        from groundwire_server.reports.terminal import print_report

        print_report(checked, Console(highlight=False))


def _complain(text: str) -> None:
    print(f"groundwire: {text}", file=sys.stderr)
