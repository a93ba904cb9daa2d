"""The flags of the commands, and how settings become flags."""

import argparse
import math
import textwrap
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args, get_origin

from pydantic import BaseModel

from groundwire_server.config.duration import duration_text
from groundwire_server.config.settings import GROUPS, ClientSettings
from groundwire_server.config.sources import CLIENT_PREFIX, CONFIG_VARIABLE, SERVER_PREFIX
from groundwire_verifier.numbers.features import TRIED, Feature

if TYPE_CHECKING:
    Subparsers: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]


class _WholeWordsFormatter(argparse.HelpFormatter):
    """Breaks no word: a variable's name that is cut in two cannot be copied."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_long_words=False)


def group(commands: "Subparsers", name: str, text: str) -> "Subparsers":
    """A command that has commands of its own."""
    return commands.add_parser(name, help=text, description=text).add_subparsers(
        required=True, metavar="COMMAND"
    )


def command(
    commands: "Subparsers", name: str, text: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    """A command, and what runs it."""
    parser = commands.add_parser(
        name, help=text, description=text, formatter_class=_WholeWordsFormatter
    )
    parser.set_defaults(command=run)
    return parser


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
        if field.default is not None:  # the text says what an unset one means
            facts.insert(0, f"default: {_as_text(field.default)}")
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
    """The settings that were given as flags."""
    given = vars(arguments).items()
    return {
        name.removeprefix("setting_"): value
        for name, value in given
        if name.startswith("setting_") and value is not None
    }


def add_estimate(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire estimate`."""
    parser.add_argument("claims", nargs="+", metavar="CLAIM", help="a statement to judge")
    parser.add_argument(
        "--context", type=Path, metavar="FILE", help="the evidence as a text file; - for stdin"
    )
    parser.add_argument("--backend", default="", help="the backend to ask; the default if unset")
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    parser.add_argument(
        "--fail-under",
        type=float,
        metavar="P",
        help="exit with 1 if a claim's probability is, or may be, below P, in [0, 1]",
    )
    add_client_settings(parser)


def add_verify(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire verify`."""
    add = parser.add_argument
    add("--answer", type=Path, required=True, metavar="FILE", help="the answer; - for stdin")
    evidence = parser.add_mutually_exclusive_group(required=True)
    evidence.add_argument(
        "--sources",
        type=Path,
        default=[],
        nargs="+",
        action="extend",
        metavar="PATH",
        help="text files, and folders: the text files directly in them, sorted by name",
    )
    evidence.add_argument(
        "--corpus",
        default="",
        metavar="NAME",
        help="a corpus that the server's operator names, in place of sources",
    )
    add(
        "--ids",
        choices=("numbers", "names"),
        default="numbers",
        help="how the answer cites the sources: S0, S1, ... in order, or names without suffix",
    )
    add("--question", default="", metavar="TEXT", help="what was answered")
    _add_verify_options(parser)
    printed = parser.add_mutually_exclusive_group()
    for form, text in (("json", "JSON, for programs"), ("markdown", "a report in Markdown")):
        printed.add_argument(
            f"--{form}", dest="form", action="store_const", const=form, help=f"print {text}"
        )
    add("--html", type=Path, metavar="FILE", help="write a page that needs no network as well")
    add(
        "--correct",
        action="store_true",
        help="put the answer right, too: each edit is shown only if its claim comes out supported",
    )
    add(
        "--no-explain",
        dest="explain",
        action="store_false",
        help="leave out why claims have their verdicts: which sentence decides, which words are "
        "not borne out, which sources disagree",
    )
    add_client_settings(parser)


def _add_verify_options(parser: argparse.ArgumentParser) -> None:
    """How claims are verified, in one answer or in many."""
    add = parser.add_argument
    add("--policy", choices=("budget", "grounding-score"), help="the rule for grounded")
    add("--removal", choices=("replace", "delete", "mask", "donor"), help="how evidence is removed")
    add("--envelope", action="store_true", help="try every removal, and give the range")
    add("--attribute-citations", action="store_true", help="say which citations carry a claim")
    add("--max-claims", type=int, metavar="N", help="the most claims to verify")
    add(
        "--max-contradicted",
        type=int,
        metavar="N",
        help="the most contradicted claims with which an answer is still grounded",
    )
    add("--include-non-assertive", action="store_true", help="verify questions and the like, too")
    add("--backend", default="", help="the backend to ask; the default if unset")


def add_run(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire run`."""
    add = parser.add_argument
    add(
        "input",
        type=Path,
        metavar="FILE",
        help="rows with answer, sources and perhaps id and question: JSON lines, or .parquet",
    )
    add(
        "--out",
        type=Path,
        required=True,
        metavar="OUT",
        help="where the results go, a line of JSON each; the same command goes on with it",
    )
    add(
        "--address",
        dest="setting_target",
        metavar="ADDRESS",
        help="ask a running server, in place of a model in this process; as --target",
    )
    add("--config", type=Path, metavar="FILE", help="settings of the model in this process")
    add(
        "--ray",
        metavar="ADDRESS",
        help="have the machines of a Ray cluster do it, each with a model of its own; auto: the "
        "cluster of this machine",
    )
    add("--parallel", type=int, default=64, metavar="N", help="rows at one time (default: 64)")
    add("--json", action="store_true", help="print the summary as JSON")
    _add_verify_options(parser)
    add_client_settings(parser)


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire evaluate`."""
    add = parser.add_argument
    add(
        "input",
        type=Path,
        metavar="FILE",
        help="labelled rows: claim or answer, context or sources, and label 1 (supported) or 0; "
        "JSON lines, .csv or .parquet",
    )
    add("--json", type=Path, metavar="FILE", help="write all figures and rows as JSON")
    add("--page", type=Path, metavar="FILE", help="write a page with plots that needs no network")
    add(
        "--against",
        metavar="ADDRESS",
        help="compare with another server, row by row; the token and TLS are those of --target",
    )
    add(
        "--strictness",
        choices=("balanced", "strict", "lenient"),
        help="the operating point that claims are asked for; the server's if unset",
    )
    add("--backend", default="", help="the backend to ask; the default if unset")
    add("--parallel", type=_whole(1), default=2, metavar="N", help="calls at one time; default: 2")
    add_client_settings(parser)


def add_mcp(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire mcp`."""
    add = parser.add_argument
    add(
        "--in-process",
        action="store_true",
        help="run a server inside, with a model of its own, in place of calling one; its settings "
        f"come from --config and from variables that begin with {SERVER_PREFIX}",
    )
    add("--config", type=Path, metavar="FILE", help="with --in-process: a YAML file of settings")
    add_client_settings(parser)


def add_proxy(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire proxy`."""
    add = parser.add_argument
    add(
        "--upstream",
        required=True,
        metavar="URL",
        help="the chat endpoint that is asked, up to /v1, such as http://127.0.0.1:8000/v1",
    )
    add(
        "--upstream-key-file",
        type=Path,
        metavar="FILE",
        help="the key for it, in place of the one that each client sends",
    )
    add(
        "--upstream-silence",
        type=_above(0.0),
        default=300.0,
        metavar="SECONDS",
        help="how long it may send nothing (default: 300)",
    )
    add(
        "--listen",
        default="127.0.0.1:8090",
        metavar="ADDRESS",
        help="where the proxy listens (default: 127.0.0.1:8090); elsewhere than on loopback it "
        "needs --allow-plaintext",
    )
    add(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="let in only who sends a token of this file, which does not go upstream: one a line, "
        "as `groundwire token new` prints them; read again when it changes",
    )
    add(
        "--evidence",
        nargs="+",
        choices=("tools", "blocks", "fields", "system"),
        default=("tools", "blocks", "fields"),
        help="what of a request is evidence: results of tools; <document> and <source> blocks; the "
        "fields documents and sources; all that the system says (default: tools blocks fields)",
    )
    add(
        "--keep-fields",
        action="store_true",
        help="send the fields documents and sources upstream, too",
    )
    add(
        "--block",
        action="store_true",
        help="hold replies back until they are verified, and replace what is not grounded",
    )
    add(
        "--notice",
        default="[withheld: not grounded in the sources]",
        metavar="TEXT",
        help="with --block: what stands in its place (default: %(default)s)",
    )
    add(
        "--fail-closed",
        action="store_true",
        help="fail a reply that could not be verified, in place of marking it",
    )
    add(
        "--parallel",
        type=_whole(1),
        default=64,
        metavar="N",
        help="requests at one time; one more is refused (default: 64)",
    )
    add_client_settings(parser)


def add_similarity(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire similarity`."""
    add = parser.add_argument
    add(
        "--conversation",
        type=Path,
        required=True,
        metavar="FILE",
        help="conversation.json: the last turn of the role AI/Chatbot is the answer",
    )
    add(
        "--context",
        type=Path,
        required=True,
        metavar="FILE",
        help="context.json: the texts of data.vector_data[].text",
    )
    add(
        "--threshold",
        "--similarity-threshold",
        dest="setting_similarity_threshold",
        metavar="COSINE",
        help="from which a sentence counts as supported, in [0, 1], sensibly .55 to .70; "
        "default: the setting similarity_threshold, .60",
    )
    add("--json", action="store_true", help="print JSON, for programs")
    add("--config", type=Path, metavar="FILE", help="a YAML file of settings")


def add_assess(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire assess`."""
    add = parser.add_argument
    add(
        "exchange",
        type=Path,
        metavar="FILE",
        help="JSON with response, question and tool_calls; - for stdin",
    )
    add(
        "--layers",
        nargs="+",
        choices=("heuristic", "common-sense", "detailed"),
        default=(),
        help="the layers to ask; all by default. heuristic alone needs no model",
    )
    add("--language", choices=("en", "he"), default="", help="of the reasons; the response's")
    add("--backend", default="", help="the backend to ask; as the server is set if unset")
    add("--json", action="store_true", help="print JSON, for programs")
    add_client_settings(parser)


def add_trace(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire trace`."""
    parser.add_argument(
        "trace",
        type=Path,
        metavar="FILE",
        help="JSON: a list of chat messages with tool calls, or an object with steps or messages, "
        "context, question and answer; - for stdin",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    add_client_settings(parser)


def add_calibrate(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire calibrate`."""
    add = parser.add_argument
    either = parser.add_mutually_exclusive_group(required=True)
    either.add_argument(
        "--data",
        type=Path,
        metavar="FILE",
        help="labelled claims: JSON lines with context, claim, and label 1 (supported) or 0",
    )
    either.add_argument(
        "--exchanges",
        type=Path,
        metavar="FILE",
        help="labelled exchanges, which add curves for the questions of common sense to the "
        "calibration that is there: JSON lines with question, response, tool_calls, and labels, a "
        "letter (Y, N, U, or - for unknown) for each question",
    )
    add(
        "--features",
        nargs="*",
        choices=[feature.value for feature in Feature],
        metavar="NAME",
        help="let what the texts tell count, too, where it helps on sources that it was not "
        f"fitted on. {', '.join(f.value for f in Feature)}; "
        f"without a name: {', '.join(f.value for f in TRIED)}",
    )
    add(
        "--guard",
        nargs="+",
        metavar="SOURCE",
        help="no features that cost one of these sources .01 AUROC, however few rows it has",
    )
    add(
        "--readings",
        type=Path,
        metavar="FILE",
        help="keep what the model says in this file, and ask about nothing that stands in it",
    )
    add("--score", action="store_true", help="choose thresholds of the grounding score, too")
    add(
        "--max-false-positive-rate",
        type=float,
        metavar="R",
        help="strict: at most this share of unsupported claims is SUPPORTED; default: .05",
    )
    add(
        "--max-risk",
        type=float,
        metavar="R",
        help="strict: at most this share of the claims that are SUPPORTED is unsupported",
    )
    add(
        "--out",
        type=Path,
        metavar="FILE",
        help="where to write it; by default where a server on this machine finds it",
    )
    add("--cache-dir", type=Path, metavar="DIR", help="the server's cache_dir, if it has its own")
    add("--model", type=Path, metavar="FOLDER", help="the server's model, if it lies in a folder")
    add("--backend", default="", help="the backend to ask; the default if unset")
    add_client_settings(parser)


def add_train(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire train`."""
    add = parser.add_argument
    add(
        "--base",
        metavar="MODEL",
        help="an embedded verifier, which goes on learning, or the folder of a causal model; "
        "default: the server's model",
    )
    add(
        "--data",
        type=Path,
        required=True,
        metavar="FILE_OR_FOLDER",
        help="labelled claims: JSON lines with context, claim, and label 1 (supported) or 0",
    )
    add("--out", type=Path, required=True, metavar="FOLDER", help="the verifier's folder")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--passes", type=_above(0.0), default=2.0, help="over the rows; default: 2")
    length.add_argument("--tokens", type=_whole(1), help="to learn from, instead")
    length.add_argument("--minutes", type=_above(0.0), help="of training, instead")
    add("--rank", type=_whole(1), help="of the adapter; default: 16")
    add("--learning-rate", type=_above(0.0), default=2e-4, help="at its highest; default: 2e-4")
    add("--seed", type=int, default=1)
    add("--max-tokens", type=_whole(100), default=2500, help="of a batch; default: 2500")
    add(
        "--max-context-tokens",
        type=_whole(16),
        default=3072,
        help="longer contexts are left out; default: 3072",
    )
    add("--frozen-layers", type=_whole(0), default=0, metavar="N", help="first ones, as they are")
    add(
        "--exchanges",
        type=_above(0.0, or_equal=True),
        default=0.1,
        metavar="SHARE",
        help="with the questions of an assessment, for each context; default: 0.1",
    )
    add(
        "--rehearsal",
        type=_share,
        metavar="SHARE",
        help="of the contexts, from the shipped mix, so that an embedded verifier keeps what it "
        "knows; default: 0.3 for one, and 0 for another base",
    )
    add("--without", nargs="+", default=(), metavar="NAME", help="ingredients to leave out")
    add(
        "--checkpointing",
        choices=("auto", "on", "off"),
        default="auto",
        help="compute layers twice to save memory; auto: if a GPU's is tight",
    )
    add("--compile", action="store_true", help="for a run of more than minutes")
    add("--cache-dir", dest="setting_cache_dir", metavar="DIR", help="the server's cache_dir")
    parser.set_defaults(config=None)


def _above(limit: float, *, or_equal: bool = False) -> Callable[[str], float]:
    """A finite number above a limit."""

    def number(text: str) -> float:
        value = float(text)
        if not (limit < value < math.inf or (or_equal and value == limit)):
            raise argparse.ArgumentTypeError(f"{text} is not above {limit:g}")
        return value

    return number


def _share(text: str) -> float:
    """A number from 0 to below 1."""
    value = float(text)
    if not 0.0 <= value < 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not from 0 to below 1")
    return value


def _whole(lowest: int) -> Callable[[str], int]:
    """A whole number from `lowest`."""

    def number(text: str) -> int:
        value = int(text)
        if value < lowest:
            raise argparse.ArgumentTypeError(f"{text} is less than {lowest}")
        return value

    return number


def add_export(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire feedback export`."""
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="where to write the rows"
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="the server's settings")
    parser.add_argument(
        "--feedback-file",
        dest="setting_feedback_file",
        metavar="FILE",
        help="the server's feedback_file, if it has its own",
    )


def add_erase(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire erase`."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "detection_id",
        nargs="?",
        metavar="ID",
        help="the detection_id of a result, or the id of an output",
    )
    which.add_argument(
        "--all", action="store_true", help="everything of the tenant, or of the token that has none"
    )
    add_client_settings(parser)


def add_index(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire index`."""
    add = parser.add_argument
    add("documents", type=Path, metavar="DIR", help="a folder of text, Markdown, HTML and PDF")
    add(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="where the index lies; by default .groundwire-index in DIR",
    )
    add("--rebuild", action="store_true", help="make it anew, such as for another embedding model")
    add("--json", action="store_true", help="print what was done as JSON")
    add_server_settings(parser)
    parser.usage = "%(prog)s DIR [--out FOLDER] [--rebuild] [--json] [--SETTING VALUE ...]"


def add_replay(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire audit replay`."""
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="files of the audit record")
    add(
        "--inputs",
        type=Path,
        metavar="FILE",
        help="the requests, where the record has hashes only: JSON lines with method and request",
    )
    add(
        "--key",
        type=Path,
        metavar="FILE",
        help="the key of the hashes; by default the first file with .key behind its name",
    )
    add_client_settings(parser)


def add_patterns(parser: argparse.ArgumentParser) -> None:
    """The flags of `groundwire patterns`."""
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="files of the audit record, or the server's feedback_file",
    )
    add("--by", choices=("week", "day"), default="week", help="periods to compare; default: week")
    add("--since", type=_day, metavar="DAY", help="from this day in UTC, such as 2026-11-02")
    add("--until", type=_day, metavar="DAY", help="up to this day, which is included")
    add("--tenant", metavar="NAME", help="detections of this tenant only")
    add(
        "--key",
        type=Path,
        metavar="FILE",
        help="for --tenant: the key of the hashes; by default the first file with .key behind "
        "its name",
    )
    add("--json", action="store_true", help="print all of it as JSON")
    add("--html", type=Path, metavar="FILE", help="write a page, too")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no day such as 2026-11-02") from None
