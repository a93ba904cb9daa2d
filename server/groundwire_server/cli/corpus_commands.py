"""The commands of a corpus, their flags, and what runs them.

What a command does stands in its own module.
"""

import argparse
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from groundwire_server.cli import flags
from groundwire_server.config.settings import SWITCHES
from groundwire_server.config.sources import (
    ConfigError,
    load_client_settings,
    load_server_settings,
)

Environment = Mapping[str, str]

_INSIDE: Mapping[str, object] = {
    **{name: name == "epistemic_risk_enabled" for name in SWITCHES},
    "audit_record_file": None,
    "audit_record_otlp": False,
}
"""What an analysis in this process runs of a server's features, and keeps of it, whatever the
settings say: another server may have the same files."""


def add_analyze(commands: "flags.Subparsers", environment: Environment) -> None:
    """`analyze TEXT`: what a corpus has on it."""
    parser = flags.command(
        commands,
        "analyze",
        "check a text against an indexed corpus",
        partial(_analyze, environment),
    )
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("text", nargs="?", metavar="TEXT", help="the text")
    given.add_argument("--file", type=Path, metavar="FILE", help="a text in a file; - for stdin")
    _add_choices(parser)
    printed = parser.add_mutually_exclusive_group()
    for form, text in (("json", "JSON, for programs"), ("markdown", "a report in Markdown")):
        printed.add_argument(
            f"--{form}", dest="form", action="store_const", const=form, help=f"print {text}"
        )
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="write a page that needs no network as well"
    )
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="the settings of the model in this process; a server of --target has its own",
    )
    flags.add_client_settings(parser)
    parser.epilog = (
        "Without --target the model runs in this process, with the settings of --config and the "
        "environment, and on the index that was made last if retrieval_corpora names none."
    )


def add_review(commands: "flags.Subparsers", environment: Environment) -> None:
    """`review TEXT`: a person goes through what is uncertain."""
    parser = flags.command(
        commands,
        "review",
        "go through the uncertain verdicts of a text, and keep answers",
        partial(_review, environment),
    )
    parser.add_argument("text", metavar="TEXT", help="the text")
    _add_choices(parser)
    parser.add_argument("--all", action="store_true", help="go through certain verdicts, too")
    flags.add_client_settings(parser)


def _add_choices(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--corpus", default="", metavar="NAME", help="the operator's name of it; the only one")
    add("--max-claims", type=int, metavar="N", help="the most claims to verify")
    add("--backend", default="", help="the backend to ask; the default if unset")


def _analyze(environment: Environment, arguments: argparse.Namespace) -> int:
    from groundwire import VerifyOptions
    from groundwire_server.cli.detectors.analyze import AnalyzeArguments, analyze

    client = load_client_settings(flags.settings_given(arguments), environment)
    inside = None
    if "target" not in client.model_fields_set:
        inside = load_server_settings(_INSIDE, environment, arguments.config)
    elif arguments.config is not None:
        raise ConfigError(
            f"--config: the server at {client.target} has settings of its own: leave out --config, "
            "or --target to analyse in this process"
        )
    return analyze(
        client,
        AnalyzeArguments(
            text=arguments.text or "",
            file=arguments.file,
            corpus=arguments.corpus,
            options=VerifyOptions(max_claims=arguments.max_claims, backend=arguments.backend),
            form=arguments.form or "terminal",
            html=arguments.html,
            inside=inside,
        ),
    )


def _review(environment: Environment, arguments: argparse.Namespace) -> int:
    from groundwire import VerifyOptions
    from groundwire_server.cli.detectors.review import ReviewArguments, review

    return review(
        load_client_settings(flags.settings_given(arguments), environment),
        ReviewArguments(
            text=arguments.text,
            corpus=arguments.corpus,
            options=VerifyOptions(max_claims=arguments.max_claims, backend=arguments.backend),
            all_claims=arguments.all,
        ),
    )
