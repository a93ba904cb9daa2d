"""`groundwire assess`: has a running server say how likely a response is made up."""

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from groundwire import AssessmentLayer, GroundwireError, SuggestedAction
from groundwire_server.cli.exchange_file import read_exchange
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.settings import ClientSettings
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_server.reports.assessment import as_json, print_assessment


@dataclass(frozen=True, slots=True)
class AssessArguments:
    """What to assess, and how."""

    exchange: Path
    """The file of the exchange; "-": stdin."""
    layers: tuple[AssessmentLayer, ...]
    """The layers to ask; empty: all."""
    language: str
    backend: str
    as_json: bool


def assess(settings: ClientSettings, arguments: AssessArguments) -> int:
    """Assess a response, print what is found, and return the exit code.

    Raises ConfigError if the file cannot be used or the connection is misconfigured.
    """
    exchange = read_exchange(arguments.exchange)
    try:
        with connect(settings) as client:
            found = client.assess_response(
                exchange.response,
                exchange.tool_calls,
                question=exchange.question,
                layers=arguments.layers,
                language=arguments.language,
                backend=arguments.backend,
            )
    except GroundwireError as error:
        return failed(error, settings)
    if arguments.as_json:
        print(as_json(found))
    else:
        print_assessment(found, Console(highlight=False))
    return EXIT_OK if found.suggested_action is SuggestedAction.NONE else EXIT_BELOW
