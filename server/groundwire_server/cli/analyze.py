"""`groundwire analyze`: what a corpus has on a text, and how large the risk is."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from groundwire import (
    EvidenceReason,
    EvidenceVerdict,
    GroundwireError,
    VerifyOptions,
)
from groundwire_server.cli import flags
from groundwire_server.cli.clients import client_of
from groundwire_server.cli.source_files import read_answer
from groundwire_server.cli.writing import check_folder, write_text
from groundwire_server.client_connection import failed
from groundwire_server.config.settings import SWITCHES, ServerSettings
from groundwire_server.config.sources import ConfigError, expanded, load_server_settings
from groundwire_server.corpus.corpora import index_providers
from groundwire_server.corpus.index_folder import last_index
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_server.reports.analysis_content import AnalyzedText
from groundwire_verifier.checks.corpus.passages import EvidenceProvider

LAST_INDEX = "last-index"
"""The name of the corpus that was indexed last, where the settings name none."""


_INSIDE: Mapping[str, object] = {
    **{name: name == "epistemic_risk_enabled" for name in SWITCHES},
    "audit_record_file": None,
    "audit_record_otlp": False,
}
"""What an analysis in this process runs of a server's features, and keeps of it, whatever the
settings say: another server may have the same files."""


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("text", nargs="?", metavar="TEXT", help="the text")
    given.add_argument("--file", type=Path, metavar="FILE", help="a text in a file; - for stdin")
    flags.add_corpus_choices(parser)
    flags.add_forms(parser)
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the report as a page, too")
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="the settings of the model in this process; a server of --target has its own",
    )
    flags.add_client_settings(parser)
    parser.epilog = (
        "Without --target the model runs in this process, with the settings of --config and the "
        "environment, and on the index that was made last if retrieval_corpora names none."
    )


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Analyse a text and print the report.

    Raises ConfigError if a file cannot be used or the connection is misconfigured.
    """
    settings, inside = flags.client(arguments, environment), None
    if "target" not in settings.model_fields_set:
        inside = load_server_settings(_INSIDE, environment, arguments.config)
    elif arguments.config is not None:
        raise ConfigError(
            f"--config: the server at {settings.target} has settings of its own: leave out "
            "--config, or --target to analyse in this process"
        )
    options = VerifyOptions(max_claims=arguments.max_claims, backend=arguments.backend)
    check_folder("--html", arguments.html)
    text = arguments.text if arguments.file is None else read_answer(arguments.file)
    try:
        corpora = {} if inside is None else _last_corpus(inside)
        with client_of(inside or settings, corpora) as client:
            analysis = client.analyze_text(text, arguments.corpus, options=options)
    except GroundwireError as error:
        return failed(error, settings)
    analyzed = AnalyzedText(text, analysis)
    # The page first: a pipe that closes early must not cost it.
    if arguments.html is not None:
        from groundwire_server.reports.page import analysis_page

        write_text("--html", arguments.html, analysis_page(analyzed))
    _print(analyzed, arguments.form)
    asserting = [each for each in analysis if each.reason is not EvidenceReason.NON_ASSERTIVE]
    grounded = all(each.verdict is EvidenceVerdict.GROUNDED for each in asserting)
    return EXIT_OK if grounded and asserting else EXIT_BELOW


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


def _print(analyzed: AnalyzedText, form: str) -> None:
    if form == "json":
        from groundwire_server.reports.as_json import analysis_json

        print(analysis_json(analyzed))
    elif form == "markdown":
        from groundwire_server.reports.markdown import analysis_markdown

        print(analysis_markdown(analyzed), end="")
    else:
        from groundwire_server.reports.terminal import print_cards

        print_cards(analyzed, Console(highlight=False))
