"""`groundwire analyze`: what a corpus has on a text, and how large the risk is.

The model runs in this process, or a running server is asked.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from groundwire import (
    Client,
    EvidenceReason,
    EvidenceVerdict,
    GroundwireError,
    VerifyOptions,
)
from groundwire_server.cli.source_files import read_answer
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.settings import ClientSettings, ServerSettings
from groundwire_server.config.sources import ConfigError, expanded
from groundwire_server.corpus.corpora import index_providers
from groundwire_server.corpus.last_index import last_index
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_server.reports.analysis_content import AnalyzedText
from groundwire_verifier.corpus.passages import EvidenceProvider

LAST_INDEX = "last-index"
"""The name of the corpus that was indexed last, where the settings name none."""


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
    inside: ServerSettings | None = None
    """The settings of the model in this process; None: a running server is asked."""


def analyze(settings: ClientSettings, arguments: AnalyzeArguments) -> int:
    """Analyse a text, print the report, and return the exit code.

    Raises ConfigError if a file cannot be used or the connection is misconfigured.
    """
    if arguments.html is not None and not arguments.html.parent.is_dir():
        raise ConfigError(f"--html: there is no folder {arguments.html.parent}")
    text = arguments.text if arguments.file is None else read_answer(arguments.file)
    try:
        with _client(settings, arguments.inside) as client:
            analysis = client.analyze_text(text, arguments.corpus, options=arguments.options)
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
def _client(settings: ClientSettings, inside: ServerSettings | None) -> Iterator[Client]:
    """A client of a running server, or of one inside this process."""
    if inside is None:
        with connect(settings) as client:
            yield client
        return
    corpora = _last_corpus(inside)
    # It takes seconds to import.
    from groundwire_server.in_process import alone, in_process

    logging.getLogger("vllm").setLevel(logging.ERROR)
    with ExitStack() as stack:
        with Console(stderr=True).status("loading the model"):
            client = stack.enter_context(in_process(alone(inside), corpora))
        yield client


def _last_corpus(settings: ServerSettings) -> Mapping[str, EvidenceProvider]:
    """The index that was made last, where the settings name no corpus. Raises ConfigError."""
    if settings.retrieval_corpora is not None:
        return {}
    place = last_index(expanded(settings.cache_dir, "cache_dir"))
    if place is None:
        raise ConfigError(
            "analyze: there is no corpus: make one with `epistemic-risk index DIR`, name one in "
            "retrieval_corpora, or ask a server that has one with --target"
        )
    return {LAST_INDEX: index_providers(settings)(LAST_INDEX, str(place))}


def _write_page(path: Path, analyzed: AnalyzedText) -> None:
    from groundwire_server.reports.analysis_page import analysis_page

    try:
        path.write_text(analysis_page(analyzed), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--html: {path} cannot be written: {error.strerror}") from error


def _print(analyzed: AnalyzedText, form: str) -> None:
    if form == "json":
        from groundwire_server.reports.analysis_documents import analysis_json

        print(analysis_json(analyzed))
    elif form == "markdown":
        from groundwire_server.reports.analysis_documents import analysis_markdown

        print(analysis_markdown(analyzed), end="")
    else:
        from groundwire_server.reports.analysis_card import print_cards

        print_cards(analyzed, Console(highlight=False))
