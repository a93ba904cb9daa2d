"""`groundwire config schema`: the form of a file of settings, for editors."""

import argparse
import json
from collections.abc import Mapping

from groundwire_server.config.schema import config_schema
from groundwire_server.exit_codes import EXIT_OK


def add(_: argparse.ArgumentParser) -> None:
    """It takes nothing."""


def run(_: argparse.Namespace, __: Mapping[str, str]) -> int:
    """Print it as JSON Schema."""
    print(json.dumps(config_schema(), indent=2))
    return EXIT_OK
