"""`groundwire config show`: what the server would run with, and where each value comes from."""

import argparse
from collections.abc import Mapping

from groundwire_server.cli import flags
from groundwire_server.config.sources import show
from groundwire_server.exit_codes import EXIT_OK

add = flags.add_server_settings


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Print the settings as YAML, secrets hidden."""
    print(show(flags.server(arguments, environment)), end="")
    return EXIT_OK
