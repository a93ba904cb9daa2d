"""The command line: which commands there are. What each takes and does stands in its own module."""

import argparse
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any

from groundwire_server.cli.ending import ended
from groundwire_server.cli.flags import WholeWordsFormatter
from groundwire_server.exit_codes import EXIT_CONFIG

VERSION = metadata.version("groundwire-server")


@dataclass(frozen=True, slots=True)
class Command:
    """A command. Its module has `add(parser)`, and `run(arguments, environment)`, which returns the
    exit code; it is imported only where the command is asked for."""

    name: str
    """One word, or that of its group and its own."""
    text: str
    module: str
    """Below groundwire_server.cli."""


GROUPS = {
    "feedback": "what people said of verdicts",
    "audit": "the audit record",
    "token": "bearer tokens of callers",
    "model": "the embedded model",
    "config": "the configuration",
}
CORPUS_COMMANDS = (
    Command("index", "make a folder of documents a corpus of evidence", "index"),
    Command("analyze", "check a text against an indexed corpus", "analyze"),
    Command("review", "go through the uncertain verdicts of a text, and keep answers", "review"),
)
COMMANDS = (
    Command("serve", "start the server", "serve"),
    Command("doctor", "load the model and say what is wrong with it", "doctor"),
    Command("estimate", "ask a running server about claims", "estimate"),
    Command("verify", "check an answer against its sources", "verify"),
    Command("run", "check a file of many answers, and go on after a kill", "run"),
    Command("evaluate", "say how often labelled rows are judged right", "evaluation.command"),
    Command("assess", "score how likely an agent's reply is made up", "assess"),
    *CORPUS_COMMANDS,
    Command("trace", "audit a chain of reasoning, or a chat", "trace"),
    Command("calibrate", "fit a calibration for a running server's model", "calibration.command"),
    Command("train", "make a verifier of a model of your own", "train"),
    Command("similarity", "compare an answer with its context by embeddings", "similarity"),
    Command("mcp", "offer tools to agents by the Model Context Protocol", "mcp.command"),
    Command("proxy", "stand before a chat endpoint and check what it says", "proxy"),
    Command("feedback export", "write it as rows for calibrate", "feedback_export"),
    Command("erase", "delete what a running server keeps of a caller", "erase"),
    Command("audit replay", "check that the same requests get the same verdicts", "audit_replay"),
    Command(
        "patterns", "say which errors come up most over time, and what drifts", "patterns.command"
    ),
    Command("health", "say whether a server answers, by the exit code", "health"),
    Command("token new", "make a bearer token, which is shown once", "token_new"),
    Command("model prepare", "convert the model into the cache folder", "model.prepare"),
    Command("model list", "list the embedded models", "model.list"),
    Command("model quantize", "write an int8 copy of a model, for --model", "model.quantize"),
    Command("config show", "print the effective configuration, secrets hidden", "config.show"),
    Command(
        "config schema", "print JSON Schema of a configuration file, for editors", "config.schema"
    ),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the process's exit code."""
    parser = groundwire()
    if not (sys.argv[1:] if argv is None else argv):
        parser.print_help(sys.stderr)
        return EXIT_CONFIG
    return _run(parser.parse_args(argv))


def epistemic_risk(argv: Sequence[str] | None = None) -> int:
    """The same for `epistemic-risk`, which has the commands of a corpus alone."""
    text = "Says what a corpus has on the claims of a text."
    return _run(_parser("epistemic-risk", text, CORPUS_COMMANDS).parse_args(argv))


def groundwire() -> argparse.ArgumentParser:
    """The parser of `groundwire`, with all its commands."""
    text = "Measures how well claims are grounded in their evidence."
    return _parser("groundwire", text, COMMANDS)


def _run(arguments: argparse.Namespace) -> int:
    run: Callable[[argparse.Namespace, Mapping[str, str]], int] = arguments.run
    for stream in (sys.stdout, sys.stderr):
        # A quotation mark is no reason to fail, whatever the machine's locale has no letter for.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    return ended(lambda: run(arguments, os.environ))


def _parser(name: str, text: str, commands: Sequence[Command]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=name, description=text)
    parser.add_argument("--version", action="version", version=f"{name} {VERSION}")
    top = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_CommandParser)
    groups: dict[str, Any] = {"": top}
    for command in commands:
        group, _, own = command.name.rpartition(" ")
        if group not in groups:
            parent = top.add_parser(group, help=GROUPS[group], description=GROUPS[group])
            groups[group] = parent.add_subparsers(required=True, metavar="COMMAND")
        groups[group].add_parser(
            own, help=command.text, description=command.text, module=command.module
        )
    return parser


class _CommandParser(argparse.ArgumentParser):
    """The parser of a command, or of a group, which has no module."""

    def __init__(self, *, module: str = "", **given: Any) -> None:  # noqa: ANN401 - argparse's own
        super().__init__(formatter_class=WholeWordsFormatter, **given)
        self._module = module

    def _fill(self) -> None:
        if not self._module:
            return
        command = import_module(f"groundwire_server.cli.{self._module}")
        self._module = ""
        command.add(self)
        self.set_defaults(run=command.run)

    def parse_known_args(self, *given: Any, **named: Any) -> Any:  # noqa: ANN401
        """As argparse does; the command's flags are there from now on."""
        self._fill()
        return super().parse_known_args(*given, **named)

    def format_help(self) -> str:
        """As argparse does; the command's flags are there from now on."""
        self._fill()
        return super().format_help()


if __name__ == "__main__":
    sys.exit(main())
