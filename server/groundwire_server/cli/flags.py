"""The flags of the commands, and how settings become flags."""

import argparse
import math
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args, get_origin

from pydantic import BaseModel

from groundwire_server.config.setting_types import duration_text
from groundwire_server.config.settings import GROUPS, ClientSettings, ServerSettings
from groundwire_server.config.sources import (
    CLIENT_PREFIX,
    CONFIG_VARIABLE,
    SERVER_PREFIX,
    expanded,
    load_client_settings,
    load_server_settings,
)

if TYPE_CHECKING:
    from groundwire import Strictness, VerifyOptions

BATCH_CALL_S = 300.0
"""Seconds for a call of a batch or an evaluation, unless timeout_s is set: a server's own limit."""


def add_server_settings(parser: argparse.ArgumentParser) -> None:
    """A flag for each setting of the server, by subject, what is rarely changed last."""
    parser.usage = "%(prog)s [--SETTING VALUE ...]"
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help=f"a YAML file of settings (variable: {CONFIG_VARIABLE})",
    )
    for settings in GROUPS:
        title = settings.__doc__ or ""
        shown = parser.add_argument_group(f"{title} (rarely changed)" if settings.rare else title)
        _add_flags(shown, settings, SERVER_PREFIX)


def add_client_settings(parser: argparse.ArgumentParser) -> None:
    """A flag for each setting of a command that calls a server."""
    _add_flags(parser.add_argument_group("Server to call"), ClientSettings, CLIENT_PREFIX)


def _add_flags(
    shown: argparse._ArgumentGroup, settings: type[BaseModel], variable_prefix: str
) -> None:
    for name, field in settings.model_fields.items():
        is_switch = field.annotation is bool  # --allow-plaintext needs no value
        text = " ".join((field.description or "").split())
        facts = [f"variable: {variable_prefix}{name.upper()}"]
        if field.default not in (None, ()):
            facts.insert(0, f"default: {_as_text(field.default)}")
        elif "Unset: " not in text:
            facts.insert(0, "default: unset")
        shown.add_argument(
            f"--{name.replace('_', '-')}",
            dest=f"setting_{name}",
            metavar=_metavar(name, field.annotation),
            nargs="?" if is_switch else None,
            const="true" if is_switch else None,
            help=f"{text} ({'; '.join(facts)})".replace("%", "%%"),
        )


def _as_text(default: object) -> str:
    """A default as a file or a variable would have it."""
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, float):
        return f"{default:g}"
    if isinstance(default, timedelta):
        return duration_text(default)
    return str(default) or "empty"


def _metavar(name: str, annotation: object) -> str:
    """What stands for the value: its choices, or its kind and unit."""
    if get_origin(annotation) is Literal:
        return "{" + ",".join(get_args(annotation)) + "}"
    kinds = {annotation, *get_args(annotation)}
    if bool in kinds:
        return "{true,false}"
    if Path in kinds:
        return "DIR" if name.endswith("_dir") else "FILE"
    if timedelta in kinds:
        return "DURATION"
    for kind, text in ((int, "N"), (float, "SECONDS" if name.endswith("_s") else "NUMBER")):
        if kind in kinds or any(kind in get_args(each) for each in kinds):
            return text
    return "ADDRESS" if name.endswith("listen") else "TEXT"


def settings_given(arguments: argparse.Namespace) -> dict[str, object]:
    given = vars(arguments).items()
    return {
        name.removeprefix("setting_"): value
        for name, value in given
        if name.startswith("setting_") and value is not None
    }


def server(arguments: argparse.Namespace, environment: Mapping[str, str]) -> ServerSettings:
    """The settings of a server: flags, environment, file. Raises ConfigError."""
    return load_server_settings(settings_given(arguments), environment, arguments.config)


def client(arguments: argparse.Namespace, environment: Mapping[str, str]) -> ClientSettings:
    """The settings of a command that calls a server. Raises ConfigError."""
    return load_client_settings(settings_given(arguments), environment)


def with_batch_time(settings: ClientSettings) -> ClientSettings:
    """The settings of a command with many calls, which wait for each other."""
    if "timeout_s" in settings.model_fields_set:
        return settings
    return settings.model_copy(update={"timeout_s": BATCH_CALL_S})


def add_cache_dir(parser: argparse.ArgumentParser) -> None:
    """Where models lie, for a command that takes no other setting."""
    parser.add_argument("--cache-dir", dest="setting_cache_dir", metavar="VALUE")
    parser.set_defaults(config=None)


def cache_dir(arguments: argparse.Namespace, environment: Mapping[str, str]) -> Path:
    """The folder of models, with the user's home in place of "~". Raises ConfigError."""
    return expanded(server(arguments, environment).cache_dir, "cache_dir")


def add_forms(parser: argparse.ArgumentParser) -> None:
    """What a report is printed as: `form` is json, markdown, or unset."""
    printed = parser.add_mutually_exclusive_group()
    for form, text in (("json", "JSON, for programs"), ("markdown", "a report in Markdown")):
        printed.add_argument(
            f"--{form}", dest="form", action="store_const", const=form, help=f"print {text}"
        )


def add_backend(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--backend", default="", help="the backend to ask; the server's default if unset"
    )


def add_corpus_choices(parser: argparse.ArgumentParser) -> None:
    """Which corpus a text is checked against, and how."""
    add = parser.add_argument
    add(
        "--corpus",
        default="",
        metavar="NAME",
        help="the name of the corpus on the server; needed if there are several",
    )
    add("--max-claims", type=int, metavar="N", help="verify at most N claims")
    add_backend(parser)


def add_strictness(parser: argparse.ArgumentParser) -> None:
    """How sure the model must be of a claim that states no confidence."""
    parser.add_argument(
        "--strictness",
        choices=("balanced", "strict", "lenient"),
        help="how sure the model must be; the server's setting if unset",
    )


def strictness(arguments: argparse.Namespace) -> "Strictness | None":
    """What `add_strictness` has read."""
    from groundwire import Strictness

    return Strictness(arguments.strictness.upper()) if arguments.strictness else None


def add_verify_options(parser: argparse.ArgumentParser) -> None:
    """How claims are verified, in one answer or in many."""
    add = parser.add_argument
    add(
        "--policy",
        choices=("budget", "grounding-score"),
        help="the rule by which a claim is grounded",
    )
    add_strictness(parser)
    add("--attribute-citations", action="store_true", help="say which citations carry a claim")
    add("--max-claims", type=int, metavar="N", help="verify at most N claims")
    add(
        "--max-contradicted",
        type=int,
        metavar="N",
        help="an answer with more than N contradicted claims is not grounded",
    )
    add(
        "--include-non-assertive",
        action="store_true",
        help="verify questions, instructions and headings, too",
    )
    add_backend(parser)


def verify_options(arguments: argparse.Namespace) -> "VerifyOptions":
    """What `add_verify_options` has read."""
    from groundwire import Policy, VerifyOptions

    policy = arguments.policy
    return VerifyOptions(
        policy=Policy(policy.upper().replace("-", "_")) if policy else None,
        strictness=strictness(arguments),
        attribute_citations=arguments.attribute_citations,
        max_claims=arguments.max_claims,
        max_contradicted=arguments.max_contradicted,
        include_non_assertive=arguments.include_non_assertive,
        backend=arguments.backend,
    )


def above(limit: float, *, or_equal: bool = False) -> Callable[[str], float]:
    """A finite number above a limit."""

    def number(text: str) -> float:
        value = float(text)
        if not (limit < value < math.inf or (or_equal and value == limit)):
            raise argparse.ArgumentTypeError(f"{text} is not above {limit:g}")
        return value

    return number


def whole(lowest: int) -> Callable[[str], int]:
    """A whole number from `lowest`."""

    def number(text: str) -> int:
        value = int(text)
        if value < lowest:
            raise argparse.ArgumentTypeError(f"{text} is less than {lowest}")
        return value

    return number
