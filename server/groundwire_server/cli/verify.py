"""`groundwire verify`: has a running server check an answer against its sources."""

import sys
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
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
    VerifyOptions,
)
from groundwire_server.cli.source_files import read_answer, read_sources
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.settings import ClientSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_server.reports.content import CheckedAnswer

FORMS = ("terminal", "json", "markdown")


@dataclass(frozen=True, slots=True)
class VerifyArguments:
    """What to verify, how, and what to print."""

    answer: Path
    """The answer's file; "-": stdin."""
    sources: tuple[Path, ...]
    """Files, and folders of them."""
    corpus: str
    """The name of a corpus in their place; empty: none."""
    ids_from_names: bool
    """Ids are the files' stems, not S0, S1, and so on."""
    question: str
    options: VerifyOptions
    correct: bool
    """Put the answer right, too."""
    form: str
    """What is printed: one of FORMS."""
    html: Path | None
    """Where a page is written as well."""


def verify(settings: ClientSettings, arguments: VerifyArguments) -> int:
    """Verify an answer, print the report, and return the exit code.

    Raises ConfigError if a file cannot be used or the connection is misconfigured.
    """
    if arguments.html is not None and not arguments.html.parent.is_dir():
        raise ConfigError(f"--html: there is no folder {arguments.html.parent}")
    answer = read_answer(arguments.answer)
    sources: tuple[Document, ...] = ()
    if not arguments.corpus:
        sources = read_sources(
            arguments.sources, ids_from_names=arguments.ids_from_names, tell=_complain
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
        _write_page(arguments.html, checked)
    _print(checked, arguments.form)
    return EXIT_OK if report.overall_grounded else EXIT_BELOW


def _ask(
    settings: ClientSettings,
    arguments: VerifyArguments,
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
            options=arguments.options,
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


def _write_page(path: Path, checked: CheckedAnswer) -> None:
    from groundwire_server.reports.page import html_report

    try:
        path.write_text(html_report(checked), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--html: {path} cannot be written: {error.strerror}") from error


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
