"""The command line: `groundwire serve | estimate | verify | health | doctor | model | config`.

Knows commands, flags and exit codes. What a command does stands in its own module.
"""

import argparse
import asyncio
import logging
import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from server.config import ConfigError, load_client_settings, load_server_settings, show
from server.exit_codes import EXIT_CONFIG, EXIT_MODEL, EXIT_OK
from server.model_store import DEFAULT_MODEL, ModelStoreError, list_models, prepare
from server.settings import ClientSettings, ServerSettings
from verifier.errors import BackendFailedError, UnusableModelError

if TYPE_CHECKING:
    Subparsers: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]

VERSION = metadata.version("groundwire")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the process's exit code."""
    arguments = _parser().parse_args(argv)
    command: Callable[[argparse.Namespace], int] = arguments.command
    try:
        return command(arguments)
    except ConfigError as error:
        return _fail(f"configuration: {error}", EXIT_CONFIG)
    except (ModelStoreError, UnusableModelError, BackendFailedError) as error:
        return _fail(f"model: {error}", EXIT_MODEL)
    except KeyboardInterrupt:
        return 128 + 2


def _fail(text: str, code: int) -> int:
    print(f"groundwire: {text}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="groundwire", description="Measures how well claims are grounded in their evidence."
    )
    parser.add_argument("--version", action="version", version=f"groundwire {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    serve = _command(commands, "serve", "start the server", _serve)
    _add_settings(serve, ServerSettings)
    doctor = _command(commands, "doctor", "load the model and say what is wrong with it", _doctor)
    _add_settings(doctor, ServerSettings)
    doctor.add_argument("--json", action="store_true", help="print the report as JSON")
    estimate = _command(commands, "estimate", "ask a running server about claims", _estimate)
    estimate.add_argument("claims", nargs="+", metavar="CLAIM", help="a statement to judge")
    estimate.add_argument(
        "--context", type=Path, metavar="FILE", help="the evidence as a text file; - for stdin"
    )
    estimate.add_argument("--backend", default="", help="the backend to ask; the default if unset")
    estimate.add_argument("--json", action="store_true", help="print JSON, for programs")
    estimate.add_argument(
        "--fail-under",
        type=float,
        metavar="P",
        help="exit with 1 if a claim's probability is below P, in [0, 1]",
    )
    _add_settings(estimate, ClientSettings)
    _add_verify(commands)
    checked = _command(
        commands, "health", "say whether a server answers, by the exit code", _health
    )
    _add_settings(checked, ClientSettings)
    _add_model_commands(_group(commands, "model", "the embedded model"))
    config = _group(commands, "config", "the configuration")
    shown = _command(config, "show", "print the effective configuration, secrets hidden", _show)
    _add_settings(shown, ServerSettings)
    return parser


def _add_verify(commands: "Subparsers") -> None:
    parser = _command(commands, "verify", "check an answer against its sources", _verify)
    add = parser.add_argument
    add("--answer", type=Path, required=True, metavar="FILE", help="the answer; - for stdin")
    add(
        "--sources",
        type=Path,
        required=True,
        nargs="+",
        action="extend",
        metavar="PATH",
        help="text files, and folders: the text files directly in them, sorted by name",
    )
    add(
        "--ids",
        choices=("numbers", "names"),
        default="numbers",
        help="how the answer cites the sources: S0, S1, ... in order, or names without suffix",
    )
    add("--question", default="", metavar="TEXT", help="what was answered")
    add("--policy", choices=("budget", "grounding-score"), help="the rule for grounded")
    add("--removal", choices=("replace", "delete", "mask", "donor"), help="how evidence is removed")
    add("--envelope", action="store_true", help="try every removal, and give the range")
    add("--attribute-citations", action="store_true", help="say which citations carry a claim")
    add("--max-claims", type=int, metavar="N", help="the most claims to verify")
    add("--include-non-assertive", action="store_true", help="verify questions and the like, too")
    add("--backend", default="", help="the backend to ask; the default if unset")
    printed = parser.add_mutually_exclusive_group()
    for form, text in (("json", "JSON, for programs"), ("markdown", "a report in Markdown")):
        printed.add_argument(
            f"--{form}", dest="form", action="store_const", const=form, help=f"print {text}"
        )
    add("--html", type=Path, metavar="FILE", help="write a page that needs no network as well")
    _add_settings(parser, ClientSettings)


def _group(commands: "Subparsers", name: str, text: str) -> "Subparsers":
    return commands.add_parser(name, help=text, description=text).add_subparsers(
        required=True, metavar="COMMAND"
    )


def _command(
    commands: "Subparsers", name: str, text: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(command=run)
    return parser


def _add_settings(parser: argparse.ArgumentParser, settings: type[BaseModel]) -> None:
    if settings is ServerSettings:
        parser.add_argument("--config", type=Path, metavar="FILE", help="a YAML file of settings")
    for name, field in settings.model_fields.items():
        is_switch = field.annotation is bool  # --allow-plaintext needs no value
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            dest=f"setting_{name}",
            metavar="VALUE",
            nargs="?" if is_switch else None,
            const="true" if is_switch else None,
            help=(field.description or "").replace("%", "%%"),
        )


def _flags(arguments: argparse.Namespace) -> dict[str, object]:
    given = vars(arguments).items()
    return {
        name.removeprefix("setting_"): value
        for name, value in given
        if name.startswith("setting_") and value is not None
    }


def _server_settings(arguments: argparse.Namespace) -> ServerSettings:
    return load_server_settings(_flags(arguments), os.environ, arguments.config)


def _serve(arguments: argparse.Namespace) -> int:
    from server.app import serve
    from server.backends import create_backend
    from verifier.backends.local import is_loading

    settings = _server_settings(arguments)
    logging.basicConfig(
        level=settings.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("vllm").setLevel(logging.ERROR)
    log = logging.getLogger("groundwire.server")
    backend = create_backend(settings, lambda text: log.info("%s", text))
    code = asyncio.run(serve(settings, backend, VERSION))
    if is_loading():
        # Stopped in the middle of a load, which cannot be interrupted: end it and its processes.
        for child in multiprocessing.active_children():
            child.kill()
        logging.shutdown()
        os._exit(code)
    return code


def _doctor(arguments: argparse.Namespace) -> int:
    from server.doctor import examine

    return asyncio.run(examine(_server_settings(arguments), as_json=arguments.json))


def _estimate(arguments: argparse.Namespace) -> int:
    from server.estimate_command import estimate

    settings = load_client_settings(_flags(arguments), os.environ)
    return estimate(
        settings,
        claims=arguments.claims,
        context_file=arguments.context,
        backend=arguments.backend,
        as_json=arguments.json,
        fail_under=arguments.fail_under,
    )


def _verify(arguments: argparse.Namespace) -> int:
    from groundwire import Policy, Removal, VerifyOptions
    from server.verify_command import VerifyArguments, verify

    policy, removal = arguments.policy, arguments.removal
    options = VerifyOptions(
        policy=Policy(policy.upper().replace("-", "_")) if policy else None,
        removal=Removal(removal.upper()) if removal else None,
        envelope=arguments.envelope,
        attribute_citations=arguments.attribute_citations,
        max_claims=arguments.max_claims,
        include_non_assertive=arguments.include_non_assertive,
        backend=arguments.backend,
    )
    return verify(
        load_client_settings(_flags(arguments), os.environ),
        VerifyArguments(
            answer=arguments.answer,
            sources=tuple(arguments.sources),
            ids_from_names=arguments.ids == "names",
            question=arguments.question,
            options=options,
            form=arguments.form or "terminal",
            html=arguments.html,
        ),
    )


def _health(arguments: argparse.Namespace) -> int:
    from server.health_command import health

    return health(load_client_settings(_flags(arguments), os.environ))


def _show(arguments: argparse.Namespace) -> int:
    print(show(_server_settings(arguments)), end="")
    return EXIT_OK


def _add_model_commands(commands: "Subparsers") -> None:
    prepared = _command(commands, "prepare", "convert the model into the cache folder", _prepare)
    prepared.add_argument("name", nargs="?", default=DEFAULT_MODEL, help="the model's name")
    listed = _command(commands, "list", "list the embedded models", _list)
    for parser in (prepared, listed):
        parser.add_argument("--cache-dir", dest="setting_cache_dir", metavar="VALUE")
        parser.set_defaults(config=None)


def _cache_dir(arguments: argparse.Namespace) -> Path:
    return _server_settings(arguments).cache_dir.expanduser()


def _prepare(arguments: argparse.Namespace) -> int:
    console = Console(stderr=True)
    model = prepare(arguments.name, _cache_dir(arguments), console.print)
    print(model.path)
    return EXIT_OK


def _list(arguments: argparse.Namespace) -> int:
    table = Table("model", "state", "size", "licence", "path")
    for entry in list_models(_cache_dir(arguments)):
        size = f"{entry.size_bytes / 1e6:.0f} MB" if entry.size_bytes else ""
        table.add_row(entry.name, entry.state, size, entry.licence, str(entry.path or ""))
    Console().print(table)
    return EXIT_OK


if __name__ == "__main__":
    sys.exit(main())
