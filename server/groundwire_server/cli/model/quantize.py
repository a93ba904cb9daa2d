"""`groundwire model quantize`: an int8 copy of a model."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from groundwire_server.cli import flags
from groundwire_server.exit_codes import EXIT_OK
from groundwire_server.models.sources import ModelStoreError
from groundwire_server.models.store import resolve


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("source", help="an embedded model's name, or a local folder")
    parser.add_argument("target", type=Path, help="the folder to write")
    flags.add_cache_dir(parser)


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Write the copy, and print its folder."""
    try:
        from groundwire_server.models.quantize import quantize
    except ImportError as error:
        raise ModelStoreError(
            f"needs the extra cpu or gpu of groundwire-server: {error}"
        ) from error

    console = Console(stderr=True)
    folder = flags.cache_dir(arguments, environment)
    layers = quantize(Path(resolve(arguments.source, folder, console.print)), arguments.target)
    console.print(f"{layers} layers are int8. Calibrate the copy: it is a model of its own.")
    print(arguments.target)
    return EXIT_OK
