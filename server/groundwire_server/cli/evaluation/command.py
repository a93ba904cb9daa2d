"""`groundwire evaluate`: asks servers or models about labelled rows and reports how they did."""

import json
import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from groundwire import Client, ConfigurationError, GroundwireError, VerifyOptions
from groundwire_server.cli.batch.verifying import versions_of
from groundwire_server.cli.evaluation.asking import Said, ask
from groundwire_server.cli.evaluation.figures import evaluate as evaluation_of
from groundwire_server.cli.evaluation.page import html_page
from groundwire_server.cli.evaluation.report import Report, Server
from groundwire_server.cli.evaluation.rows import LabelledRow, read_rows
from groundwire_server.cli.evaluation.terminal import print_report
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.settings import ClientSettings, ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK

PIPE_WIDTH = 120
"""Columns of what is no terminal, so that no cell is cut."""


@dataclass(frozen=True, slots=True)
class EvaluateArguments:
    """What `groundwire evaluate` is called with."""

    input: Path
    options: VerifyOptions
    parallel: int
    """Calls under way at one time."""
    models: tuple[ServerSettings, ...]
    """One model or two, each of which is loaded in this process; empty: servers are asked."""
    against: str | None
    """The address of another server to compare with."""
    json: Path | None
    """Where all figures and rows are written."""
    page: Path | None
    """Where a page with plots is written."""


def evaluate(settings: ClientSettings, arguments: EvaluateArguments) -> int:
    """Ask about the rows, write, print, and return the exit code.

    Raises ConfigError if a file cannot be used or the connection is misconfigured, and what
    `in_process` does where a model is loaded.
    """
    for flag, path in (("--json", arguments.json), ("--page", arguments.page)):
        if path is not None and not path.parent.is_dir():
            raise ConfigError(f"{flag}: there is no folder {path.parent}")
    rows = read_rows(arguments.input)
    targets = [settings.target, *([arguments.against] if arguments.against else [])]
    asked: list[tuple[str, ClientSettings | ServerSettings]] = [
        (model.model, model) for model in arguments.models
    ] or [(target, settings.model_copy(update={"target": target})) for target in targets]
    servers: list[Said] = []
    for target, one in asked:
        try:
            with _client(one) as client:
                servers.append(_ask(client, target, arguments, rows))
        except ConfigurationError as error:
            raise ConfigError(str(error)) from error
        except GroundwireError as error:
            return failed(error, settings.model_copy(update={"target": target}))
    found = evaluation_of(rows, servers)
    report = Report(
        file=arguments.input.name,
        strictness=(arguments.options.strictness or "the server's").lower(),
        servers=tuple(
            Server(target, versions_of(said.server, arguments.options.backend), evaluation, drawn)
            for (target, _), said, evaluation, drawn in zip(
                asked, servers, found.evaluations, found.curves, strict=True
            )
        ),
        comparison=found.comparison,
    )
    if arguments.json is not None:
        _write("--json", arguments.json, json.dumps(_data(report, rows, servers), indent=1) + "\n")
    if arguments.page is not None:
        _write("--page", arguments.page, html_page(report))
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, PIPE_WIDTH)
    print_report(report, console)
    has_failed = any(server.evaluation.failures for server in report.servers)
    return EXIT_BELOW if has_failed else EXIT_OK


@contextmanager
def _client(settings: ClientSettings | ServerSettings) -> Iterator[Client]:
    """A client of a running server, or of a model in this process."""
    if isinstance(settings, ClientSettings):
        with connect(settings) as client:
            yield client
        return
    # It takes seconds to import.
    from groundwire_server.in_process import alone, in_process

    logging.getLogger("vllm").setLevel(logging.ERROR)
    with ExitStack() as stack:
        with Console(stderr=True).status(f"loading {settings.model}"):
            client = stack.enter_context(in_process(alone(settings)))
        yield client


def _ask(
    client: Client, target: str, arguments: EvaluateArguments, rows: list[LabelledRow]
) -> Said:
    with _bar(f"asking {target}", len(rows)) as bar:
        task = bar.task_ids[0]
        return ask(
            client,
            rows,
            arguments.options,
            arguments.parallel,
            lambda count: bar.advance(task, count),
        )


@contextmanager
def _bar(text: str, total: int) -> Iterator[Progress]:
    """How far it is, where there is a terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        bar.add_task(text, total=total)
        yield bar


def _data(report: Report, rows: list[LabelledRow], servers: list[Said]) -> dict[str, object]:
    """All figures, and each row without its texts. A comparison's flips are told by the rows."""
    comparison = report.comparison
    return {
        "file": report.file,
        "strictness": report.strictness,
        "servers": [
            {"target": each.target, "versions": each.versions, **asdict(each.evaluation)}
            for each in report.servers
        ],
        "comparison": None
        if comparison is None
        else {
            name: asdict(getattr(comparison, name))
            for name in ("auroc", "recall", "false_supported")
        }
        | {"flips": [flip.name for flip in comparison.flips]},
        "rows": [
            {
                "number": row.number,
                "id": row.id,
                "label": int(row.supported),
                "contradicted": row.contradicted,
                "kind": row.kind,
                "language": row.language,
                "word_overlap": row.word_overlap,
                "outcomes": [asdict(said.outcomes[i]) for said in servers],
            }
            for i, row in enumerate(rows)
        ],
    }


def _write(flag: str, path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{flag}: {path} cannot be written: {error.strerror}") from error
