"""`groundwire assess`: has a running server say how likely a response is made up."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from groundwire import AssessmentLayer, GroundwireError, SuggestedAction
from groundwire_server.cli import flags
from groundwire_server.cli.exchange_file import read_exchange
from groundwire_server.client_connection import connect, failed
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_server.reports.as_json import assessment_json
from groundwire_server.reports.terminal import print_assessment


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add = parser.add_argument
    add(
        "exchange",
        type=Path,
        metavar="FILE",
        help="JSON with response, question and tool_calls; - for stdin",
    )
    add(
        "--layers",
        nargs="+",
        choices=("heuristic", "common-sense", "detailed"),
        default=(),
        help="the layers to run; all by default. heuristic needs no model",
    )
    add(
        "--language",
        choices=("en", "he"),
        default="",
        help="the language of the reasons; by default the response's",
    )
    flags.add_backend(parser)
    add("--json", action="store_true", help="print JSON")
    flags.add_client_settings(parser)


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Assess a response and print what is found.

    Raises ConfigError if the file cannot be used or the connection is misconfigured.
    """
    settings = flags.client(arguments, environment)
    exchange = read_exchange(arguments.exchange)
    layers = [name.upper().replace("-", "_") for name in arguments.layers]
    try:
        with connect(settings) as client:
            found = client.assess_response(
                exchange.response,
                exchange.tool_calls,
                question=exchange.question,
                layers=[AssessmentLayer(name) for name in layers],
                language=arguments.language,
                backend=arguments.backend,
            )
    except GroundwireError as error:
        return failed(error, settings)
    if arguments.json:
        print(assessment_json(found))
    else:
        print_assessment(found, Console(highlight=False))
    return EXIT_OK if found.suggested_action is SuggestedAction.NONE else EXIT_BELOW
