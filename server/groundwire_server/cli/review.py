"""`groundwire review`: a person goes through the uncertain verdicts of a text.

Each answer is kept by the server as feedback, at once, so that a review can be left at any claim.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping

from rich.console import Console

from groundwire import (
    Client,
    CorpusAnalysis,
    FeedbackVerdict,
    GroundwireError,
    VerifyOptions,
)
from groundwire_server.cli import flags
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.settings import ClientSettings
from groundwire_server.exit_codes import EXIT_OK
from groundwire_server.reports.analysis_words import analysis_words
from groundwire_server.reports.terminal import print_card

KEYS = {
    "g": FeedbackVerdict.GROUNDED,
    "n": FeedbackVerdict.NOT_GROUNDED,
    "u": FeedbackVerdict.UNSURE,
}
QUESTION = "Does the evidence carry it? [g]rounded, [n]ot, [u]nsure, [s]kip, [q]uit: "
NOTE = "Why (may stay empty): "

Ask = Callable[[str], str]
"""Asks a person; raises EOFError where there is none."""


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("text", metavar="TEXT", help="the text")
    flags.add_corpus_choices(parser)
    parser.add_argument("--all", action="store_true", help="review certain verdicts, too")
    flags.add_client_settings(parser)


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Ask whoever sits before the terminal."""
    return review(
        flags.client(arguments, environment),
        arguments.text,
        arguments.corpus,
        VerifyOptions(max_claims=arguments.max_claims, backend=arguments.backend),
        input,
        all_claims=arguments.all,
    )


def review(
    settings: ClientSettings,
    text: str,
    corpus: str,
    options: VerifyOptions,
    ask: Ask,
    *,
    all_claims: bool,
) -> int:
    """Analyse a text and have a person go through it, through certain claims only if `all_claims`.

    Returns the exit code. Raises ConfigError.
    """
    console = Console(highlight=False)
    try:
        with connect(settings) as client:
            analysis = client.analyze_text(text, corpus, options=options)
            queue = range(len(analysis)) if all_claims else analysis.uncertain
            kept = _go_through(client, analysis, queue, console, ask)
    except GroundwireError as error:
        return failed(error, settings)
    console.print(f"{kept} answers are kept. {analysis.notice}")
    return EXIT_OK


def _go_through(
    client: Client,
    analysis: CorpusAnalysis,
    queue: Iterable[int],
    console: Console,
    ask: Ask,
) -> int:
    """How many answers were kept. Raises what `record_feedback` does."""
    words = analysis_words(analysis.language)
    kept = 0
    for index in queue:
        claim = analysis[index]
        print_card(claim, words, console, index + 1)
        if claim.budget is None:
            # Feedback is on a claim and the evidence that it was read with.
            print(
                "groundwire: nothing was read for it, so there is nothing to judge", file=sys.stderr
            )
            continue
        try:
            answer = _answer(ask)
            if answer is None:
                break
            if answer == "s":
                continue
            note = ask(NOTE).strip()
        except EOFError:
            break
        client.record_feedback(analysis.detection_id, index, KEYS[answer], note=note)
        kept += 1
    return kept


def _answer(ask: Ask) -> str | None:
    """The key of an answer, or None where the person leaves."""
    while True:
        key = ask(QUESTION).strip().lower()[:1]
        if key == "q":
            return None
        if key == "s" or key in KEYS:
            return key
