"""`groundwire mcp`: tools for agents; `serving` serves them, which needs the extra."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from groundwire_server.cli import flags
from groundwire_server.cli.ending import end_loading
from groundwire_server.config.extras import how_to_install
from groundwire_server.config.sources import SERVER_PREFIX, ConfigError, load_server_settings


def add(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--in-process",
        action="store_true",
        help="run a server inside, with a model of its own, in place of calling one; its settings "
        f"come from --config and from variables that begin with {SERVER_PREFIX}",
    )
    add("--config", type=Path, metavar="FILE", help="with --in-process: a YAML file of settings")
    flags.add_client_settings(parser)


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Serve until the client leaves."""
    try:
        from groundwire_server.cli.mcp.serving import run_mcp
    except ImportError as error:
        raise ConfigError(f"mcp needs the extra mcp ({error}): {how_to_install('mcp')}") from error
    client = flags.client(arguments, environment)
    inside = None
    if arguments.in_process:
        inside = load_server_settings({}, environment, arguments.config)
    return end_loading(run_mcp(client, inside))
