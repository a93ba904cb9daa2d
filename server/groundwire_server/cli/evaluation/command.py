"""`groundwire evaluate`: asks servers or models about labelled rows and reports how they did."""

import argparse
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from groundwire import Client, ConfigurationError, GroundwireError, VerifyOptions
from groundwire_server.batch.verifying import versions_of
from groundwire_server.cli import flags
from groundwire_server.cli.clients import client_of
from groundwire_server.cli.ending import end_loading
from groundwire_server.cli.evaluation.asking import Said, ask
from groundwire_server.cli.evaluation.figures import evaluate as evaluation_of
from groundwire_server.cli.evaluation.page import html_page
from groundwire_server.cli.evaluation.report import Report, Server
from groundwire_server.cli.evaluation.rows import LabelledRow, read_rows
from groundwire_server.cli.evaluation.terminal import print_report
from groundwire_server.cli.flags import whole
from groundwire_server.cli.writing import check_folder, write_text
from groundwire_server.client_connection import failed
from groundwire_server.config.settings import ClientSettings, ServerSettings
from groundwire_server.config.sources import ConfigError, load_server_settings
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK

PIPE_WIDTH = 120
"""Columns of what is no terminal, so that no cell is cut."""


def add(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "input",
        type=Path,
        metavar="FILE",
        help="labelled rows, each with claim or answer, context or sources, and label: 1 "
        "(supported) or 0; JSON lines, .csv or .parquet",
    )
    add("--json", type=Path, metavar="FILE", help="write all figures and rows as JSON")
    add("--page", type=Path, metavar="FILE", help="write a page with plots that needs no network")
    add(
        "--model",
        metavar="MODEL",
        help="load this model instead of asking a server: a folder, or a name as for `serve "
        "--model`",
    )
    add(
        "--against",
        metavar="OTHER",
        help="compare row by row with the model in this folder, or with the server at this address "
        "(with the token and TLS of --target); beside --model it may be a model's name",
    )
    flags.add_strictness(parser)
    flags.add_backend(parser)
    add(
        "--parallel",
        type=whole(1),
        default=2,
        metavar="N",
        help="calls at one time; default: 2",
    )
    flags.add_client_settings(parser)


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Ask about the rows, write and print.

    Raises ConfigError if a file cannot be used or the connection is misconfigured, and what
    `in_process` does where a model is loaded.
    """
    settings = flags.with_batch_time(flags.client(arguments, environment))
    asked = _asked(arguments, settings, environment)
    options = VerifyOptions(strictness=flags.strictness(arguments), backend=arguments.backend)
    check_folder("--json", arguments.json)
    check_folder("--page", arguments.page)
    rows = read_rows(arguments.input)
    servers: list[Said] = []
    for target, one in asked:
        try:
            with client_of(one, {}, f"loading {target}") as client:
                servers.append(_ask(client, target, rows, options, arguments.parallel))
        except ConfigurationError as error:
            raise ConfigError(str(error)) from error
        except GroundwireError as error:
            return failed(error, settings.model_copy(update={"target": target}))
    found = evaluation_of(rows, servers)
    report = Report(
        file=arguments.input.name,
        strictness=arguments.strictness or "the default",
        servers=tuple(
            Server(target, versions_of(said.server, arguments.backend), evaluation, drawn)
            for (target, _), said, evaluation, drawn in zip(
                asked, servers, found.evaluations, found.curves, strict=True
            )
        ),
        comparison=found.comparison,
    )
    if arguments.json is not None:
        write_text(
            "--json", arguments.json, json.dumps(_data(report, rows, servers), indent=1) + "\n"
        )
    if arguments.page is not None:
        write_text("--page", arguments.page, html_page(report))
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, PIPE_WIDTH)
    print_report(report, console)
    has_failed = any(server.evaluation.failures for server in report.servers)
    return end_loading(EXIT_BELOW if has_failed else EXIT_OK)


def _asked(
    arguments: argparse.Namespace, settings: ClientSettings, environment: Mapping[str, str]
) -> list[tuple[str, ClientSettings | ServerSettings]]:
    """The one or two that are asked, by name: servers, or models that this process loads."""
    if arguments.model is not None and "target" in flags.settings_given(arguments):
        raise ConfigError("--model: loads a model here, so --target has no use; leave out one")

    def model(name: str) -> tuple[str, ServerSettings]:
        return name, load_server_settings({"model": name}, environment, None)

    def server(target: str) -> tuple[str, ClientSettings]:
        return target, settings.model_copy(update={"target": target})

    first = server(settings.target) if arguments.model is None else model(arguments.model)
    if (other := arguments.against) is None:
        return [first]
    is_model = arguments.model is not None or Path(other).is_dir()
    return [first, model(other) if is_model else server(other)]


def _ask(
    client: Client, target: str, rows: list[LabelledRow], options: VerifyOptions, parallel: int
) -> Said:
    with _bar(f"asking {target}", len(rows)) as bar:
        task = bar.task_ids[0]
        return ask(client, rows, options, parallel, lambda count: bar.advance(task, count))


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
