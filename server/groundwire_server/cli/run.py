"""`groundwire run`: checks a file of many answers; `batch/` does it."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from groundwire_server.batch.command import RunArguments, run_batch
from groundwire_server.cli import flags
from groundwire_server.config.sources import ConfigError, load_server_settings


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add = parser.add_argument
    add(
        "input",
        type=Path,
        metavar="FILE",
        help="rows with answer, sources and perhaps id and question: JSON lines, .csv or .parquet",
    )
    add(
        "--out",
        type=Path,
        required=True,
        metavar="OUT",
        help="the results, a line of JSON each; start the same command again to go on",
    )
    add(
        "--config",
        type=Path,
        metavar="FILE",
        help="settings of the model that is loaded here, unless --target names a running server",
    )
    add(
        "--ray",
        metavar="ADDRESS",
        help="use the machines of this Ray cluster, each with its own model; auto: the cluster of "
        "this machine",
    )
    add("--parallel", type=int, default=64, metavar="N", help="rows at one time (default: 64)")
    add("--json", action="store_true", help="print the summary as JSON")
    flags.add_verify_options(parser)
    flags.add_client_settings(parser)


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Do the rows that are left."""
    client = flags.client(arguments, environment)
    has_server = "target" in flags.settings_given(arguments)
    if has_server and arguments.ray is not None:
        raise ConfigError("--ray: its machines have models of their own, so --target has no use")
    return run_batch(
        RunArguments(
            input=arguments.input,
            out=arguments.out,
            options=flags.verify_options(arguments),
            parallel=arguments.parallel,
            timeout_s=flags.with_batch_time(client).timeout_s,
            as_json=arguments.json,
            server=client if has_server else None,
            inside=load_server_settings({}, environment, arguments.config),
            ray=arguments.ray,
        )
    )
