"""`groundwire index`: makes the index of a folder of documents, or brings it up to date."""

import argparse
import json
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from groundwire_server.cli import flags
from groundwire_server.config.extras import how_to_install
from groundwire_server.config.sources import ConfigError, expanded
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_server.reports.content import visible
from groundwire_verifier.domain.errors import BackendUnavailableError

if TYPE_CHECKING:
    from groundwire_server.corpus.indexing import IndexReport

SHOWN_SKIPPED = 20
"""How many files that were left out are named; --json names all."""


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add = parser.add_argument
    add("documents", type=Path, metavar="DIR", help="a folder of text, Markdown, HTML and PDF")
    add(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="where the index lies; by default .groundwire-index in DIR",
    )
    add(
        "--rebuild",
        action="store_true",
        help="make the index anew, for example for another embedding model",
    )
    add("--json", action="store_true", help="print what was done as JSON")
    flags.add_server_settings(parser)
    parser.usage = "%(prog)s DIR [--out FOLDER] [--rebuild] [--json] [--SETTING VALUE ...]"


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Index a folder. Raises ConfigError; what may pass is said, with EXIT_BELOW."""
    try:
        from groundwire_server.corpus.chunk_places import chunk_place
        from groundwire_server.corpus.chunks import ChunkSize
        from groundwire_server.corpus.documents import INDEX_FOLDER
        from groundwire_server.corpus.index_folder import (
            IndexBusyError,
            IndexFolder,
            remember_index,
        )
        from groundwire_server.corpus.indexing import Indexer, IndexProgress
        from groundwire_server.embedding.choice import make_embedder
    except ImportError as error:
        raise ConfigError(
            f"index needs the extra corpus ({error}): {how_to_install('corpus')}"
        ) from error
    settings = flags.server(arguments, environment)
    console = Console(stderr=True)
    folder = IndexFolder((arguments.out or arguments.documents / INDEX_FOLDER).expanduser())
    size = ChunkSize(settings.retrieval_chunk_size, settings.retrieval_chunk_overlap)
    indexer = Indexer(make_embedder(settings), chunk_place(settings), size)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
    )
    with bar if console.is_terminal else nullcontext():
        task = bar.add_task("files", total=None)

        def show(now: IndexProgress) -> None:
            bar.update(
                task,
                completed=now.files,
                total=now.of_files,
                description=f"files ({now.chunks:,} new chunks)",
            )

        try:
            report = indexer.run(
                arguments.documents.expanduser(), folder, rebuild=arguments.rebuild, progress=show
            )
        except (IndexBusyError, BackendUnavailableError, OSError) as error:
            console.print(f"groundwire index: {escape(visible(str(error)))}", soft_wrap=True)
            return EXIT_BELOW
    try:
        remember_index(expanded(settings.cache_dir, "cache_dir"), folder.path)
    except OSError as error:
        reason = f"`analyze` will not find this index by itself: {error}"
        console.print(f"groundwire index: {escape(visible(reason))}", soft_wrap=True)
    if arguments.json:
        print(json.dumps({"index": str(folder.path), **asdict(report)}, ensure_ascii=False))
    else:
        _print(console, folder.path, report)
    return EXIT_OK


def _print(console: Console, folder: Path, report: "IndexReport") -> None:
    for skipped in report.skipped[:SHOWN_SKIPPED]:
        line = visible(f"{skipped.name}: {skipped.reason}")
        console.print(f"left out: {escape(line)}", soft_wrap=True)
    if len(report.skipped) > SHOWN_SKIPPED:
        console.print(f"and {len(report.skipped) - SHOWN_SKIPPED:,} more; --json names them")
    console.print(
        f"{report.added:,} added, {report.changed:,} changed, {report.removed:,} removed, "
        f"{report.unchanged:,} as they were; {report.chunks:,} chunks"
    )
    print(folder)
