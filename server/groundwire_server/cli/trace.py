"""`groundwire trace`: has a running server audit a chain of reasoning, or a chat with
tool calls."""

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from groundwire import GroundwireError, TraceAudit
from groundwire_server.cli import flags
from groundwire_server.cli.exchange_file import read_json, text_in
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_server.reports.content import one_line

FIELDS = ("steps", "messages", "context", "question", "answer")


@dataclass(frozen=True, slots=True)
class _TraceFile:
    """What stands in the file: texts, or chat messages, and what goes with them."""

    steps: list[str]
    context: str
    question: str
    answer: str


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "trace",
        type=Path,
        metavar="FILE",
        help="JSON: a list of chat messages with tool calls, or an object with steps or messages, "
        "context, question and answer; - for stdin",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    flags.add_client_settings(parser)


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Audit a trace and print the audit.

    Raises ConfigError if the file cannot be used or the connection is misconfigured.
    """
    settings = flags.client(arguments, environment)
    given = _read(arguments.trace)
    try:
        with connect(settings) as client:
            audit = client.audit_trace(
                given.steps, given.context, answer=given.answer, question=given.question
            )
    except TypeError as error:
        raise ConfigError(str(error)) from error
    except GroundwireError as error:
        return failed(error, settings)
    if arguments.json:
        print(_as_json(audit))
    else:
        _print(audit, Console(highlight=False))
    return EXIT_OK if audit.sound else EXIT_BELOW


def _read(path: Path) -> _TraceFile:
    found = read_json(path)
    fields = {"messages": found} if isinstance(found, list) else found
    if not isinstance(fields, dict) or not fields.keys() <= set(FIELDS):
        raise ConfigError(
            f"{path} takes a list of chat messages, or an object with {', '.join(FIELDS)}"
        )
    steps = fields.get("steps", fields.get("messages"))
    if not isinstance(steps, list) or {"steps", "messages"} <= fields.keys():
        raise ConfigError(f"{path} takes a list of steps, or one of messages")
    return _TraceFile(steps, *(text_in(fields, name, str(path)) for name in FIELDS[2:]))


def _print(audit: TraceAudit, console: Console) -> None:
    for number, step in enumerate(audit, start=1):
        why = "" if step.unverifiable_reason is None else f" ({step.unverifiable_reason})"
        console.print(f"{number}. {step.status}{why}  {one_line(step.text)}", markup=False)
    answer = audit.post_hoc
    console.print(f"answer: {answer.status} ({answer.reason})", markup=False)
    console.print("sound" if audit.sound else "not sound")


def _as_json(audit: TraceAudit) -> str:
    steps = [
        {
            "text": step.text,
            "status": step.status,
            "unverifiable_reason": step.unverifiable_reason,
            "reason_text": step.reason_text,
            "content": step.content,
            "p1": step.p1,
            "p0": step.p0,
            "required_bits": step.required_bits,
            "observed_bits": step.observed_bits,
            "gap_bits": step.gap_bits,
        }
        for step in audit
    ]
    answer = asdict(audit.post_hoc)
    del answer["verdict"]
    shown = {
        "steps": steps,
        "first_unsupported_step": audit.first_unsupported_step,
        "post_hoc": answer,
        "sound": audit.sound,
        "detection_id": audit.detection_id,
    }
    return json.dumps(shown, ensure_ascii=False, indent=2)
