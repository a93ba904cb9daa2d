"""The command line: which commands there are. What each takes and does stands in its own module."""

import argparse
import difflib
import io
import os
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any

from groundwire_server.cli.ending import ended
from groundwire_server.exit_codes import EXIT_CONFIG

VERSION = metadata.version("groundwire-server")
MOST_CHARACTERS = 60
"""Of an unknown argument, in the line that names it."""


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
    "feedback": "export users' feedback on verdicts",
    "audit": "replay the audit record",
    "token": "make bearer tokens for callers",
    "model": "list, prepare or quantize models",
    "config": "show the configuration, or its schema",
}
CORPUS_COMMANDS = (
    Command("index", "index a folder of documents as a corpus of evidence", "index"),
    Command("analyze", "check a text against an indexed corpus", "analyze"),
    Command("review", "review the uncertain verdicts of a text, and keep your replies", "review"),
)
COMMANDS = (
    Command("serve", "start the server", "serve"),
    Command("doctor", "load the model and report what is wrong with it", "doctor"),
    Command("estimate", "ask a running server about claims", "estimate"),
    Command("verify", "check an answer against its sources", "verify"),
    Command("run", "check a file of many answers; can be resumed", "run"),
    Command(
        "evaluate", "measure how often verdicts on labelled rows are right", "evaluation.command"
    ),
    Command("assess", "score how likely an agent's reply is made up", "assess"),
    *CORPUS_COMMANDS,
    Command("trace", "audit a chain of reasoning, or a chat", "trace"),
    Command("calibrate", "fit a calibration for a running server's model", "calibration.command"),
    Command("train", "train a verifier on your own data", "train"),
    Command("similarity", "compare an answer with its context by embeddings", "similarity"),
    Command("mcp", "offer tools to agents by the Model Context Protocol", "mcp.command"),
    Command("proxy", "check the replies of a chat endpoint on their way", "proxy"),
    Command("feedback export", "write feedback as labelled rows for calibrate", "feedback_export"),
    Command("erase", "delete the data that a running server keeps of a caller", "erase"),
    Command("audit replay", "check that the same requests get the same verdicts", "audit_replay"),
    Command(
        "patterns",
        "show which errors are most common over time, and what drifts",
        "patterns.command",
    ),
    Command("health", "check whether a server serves; see the exit code", "health"),
    Command("token new", "make a bearer token, and show it once", "token_new"),
    Command("model prepare", "build the model in the cache folder", "model.prepare"),
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
    text = "Checks the claims of a text against a corpus."
    return _run(_parser("epistemic-risk", text, CORPUS_COMMANDS).parse_args(argv))


def groundwire() -> argparse.ArgumentParser:
    """The parser of `groundwire`, with all its commands."""
    text = "Checks whether the claims of an answer are grounded in its sources."
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


class _WholeWordsFormatter(argparse.HelpFormatter):
    """Breaks no word: a variable's name that is cut in two cannot be copied."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_long_words=False)


class _CommandParser(argparse.ArgumentParser):
    """The parser of a command, or of a group, which has no module."""

    def __init__(self, *, module: str = "", **given: Any) -> None:  # noqa: ANN401 - argparse's own
        super().__init__(formatter_class=_WholeWordsFormatter, **given)
        self._module = module

    def _fill(self) -> None:
        if not self._module:
            return
        command = import_module(f"groundwire_server.cli.{self._module}")
        self._module = ""
        command.add(self)
        self.set_defaults(run=command.run)

    def parse_known_args(self, *given: Any, **named: Any) -> Any:  # noqa: ANN401
        """As argparse does, but what is unknown ends here, with the usage of this command.

        The command's flags are there from now on.
        """
        self._fill()
        found, unknown = super().parse_known_args(*given, **named)
        if unknown:
            self.error(self._unknown(unknown))
        return found, unknown

    def _unknown(self, words: Sequence[str]) -> str:
        word = next((word for word in words if word.startswith("-")), words[0])
        near = difflib.get_close_matches(word.partition("=")[0], self._option_string_actions, n=1)
        hint = f"did you mean {near[0]}?" if near else f"see `{self.prog} --help`"
        shown = word if len(word) <= MOST_CHARACTERS else f"{word[: MOST_CHARACTERS - 1]}…"
        return f"unknown argument {shown}: {hint}"

    def format_help(self) -> str:
        """As argparse does; the command's flags are there from now on."""
        self._fill()
        return super().format_help()


if __name__ == "__main__":
    sys.exit(main())
