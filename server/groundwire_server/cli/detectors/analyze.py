"""`groundwire analyze`: what a corpus of a server has on a text, and how large the risk is.

Knows the Python client, files and exit codes. Does not know the server's side, nor how a report
looks.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from groundwire import (
    Client,
    ConfigurationError,
    EvidenceReason,
    EvidenceVerdict,
    GroundwireError,
    VerifyOptions,
)
from groundwire_server.cli.detectors.analysis_content import AnalyzedText
from groundwire_server.cli.reports.source_files import read_answer
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.settings import ClientSettings, ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK


@dataclass(frozen=True, slots=True)
class AnalyzeArguments:
    """What to analyse, how, and what to print."""

    text: str
    """The text itself; empty where it stands in a file."""
    file: Path | None
    """The text's file; "-": stdin."""
    corpus: str
    """The operator's name of the corpus; empty: the only one."""
    options: VerifyOptions
    form: str
    """What is printed: terminal, json or markdown."""
    html: Path | None
    """Where a page is written as well."""
    local: ServerSettings | None = None
    """The settings of a server to run inside this process; None: a running one is asked."""


def analyze(settings: ClientSettings, arguments: AnalyzeArguments) -> int:
    """Analyse a text, print the report, and return the exit code.

    Raises ConfigError if a file cannot be used or the connection is misconfigured.
    """
    if arguments.html is not None and not arguments.html.parent.is_dir():
        raise ConfigError(f"--html: there is no folder {arguments.html.parent}")
    text = arguments.text if arguments.file is None else read_answer(arguments.file)
    try:
        with _client(settings, arguments.local) as client:
            analysis = client.analyze_text(text, arguments.corpus, options=arguments.options)
    except ConfigurationError as error:
        raise ConfigError(str(error)) from error
    except GroundwireError as error:
        return failed(error, settings)
    analyzed = AnalyzedText(text, analysis)
    # The page first: a pipe that closes early must not cost it.
    if arguments.html is not None:
        _write_page(arguments.html, analyzed)
    _print(analyzed, arguments.form)
    asserting = [each for each in analysis if each.reason is not EvidenceReason.NON_ASSERTIVE]
    grounded = all(each.verdict is EvidenceVerdict.GROUNDED for each in asserting)
    return EXIT_OK if grounded and asserting else EXIT_BELOW


@contextmanager
def _client(settings: ClientSettings, local: ServerSettings | None) -> Iterator[Client]:
    """A client of a running server, or of one inside this process."""
    if local is None:
        with connect(settings) as client:
            yield client
        return
    from groundwire_server.in_process import in_process

    with in_process(local) as client:
        yield client


def _write_page(path: Path, analyzed: AnalyzedText) -> None:
    from groundwire_server.cli.detectors.analysis_page import analysis_page

    try:
        path.write_text(analysis_page(analyzed), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--html: {path} cannot be written: {error.strerror}") from error


def _print(analyzed: AnalyzedText, form: str) -> None:
    if form == "json":
        from groundwire_server.cli.detectors.analysis_documents import analysis_json

        print(analysis_json(analyzed))
    elif form == "markdown":
        from groundwire_server.cli.detectors.analysis_documents import analysis_markdown

        print(analysis_markdown(analyzed), end="")
    else:
        from groundwire_server.cli.detectors.analysis_card import print_cards

        print_cards(analyzed, Console(highlight=False))
