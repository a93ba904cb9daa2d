"""`groundwire feedback export`: the feedback that a server keeps, as rows for `calibrate`.

Reads the server's file itself, which may go on serving meanwhile, and changes nothing in it.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from groundwire_server.cli import flags
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_server.records.feedback_store import OWNER_ONLY_FILE, read_corrected
from groundwire_verifier.checks.feedback import Corrected, FeedbackStoreError


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
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


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Write a row for each claim that a person has called grounded or not.

    Raises ConfigError if a file cannot be used.
    """
    path = flags.server(arguments, environment).feedback_file.expanduser()
    if not path.is_file():
        raise ConfigError(f"feedback_file: there is no {path}: no server has kept anything there")
    try:
        found = read_corrected(path)
    except FeedbackStoreError as error:
        raise ConfigError(f"feedback_file cannot be read: {error}") from error
    rows = [_row(each) for each in found if each.label is not None]
    _write(rows, arguments.out)
    said = Counter(each.label for each in found)
    print(
        f"{len(rows)} rows: {said[1]} grounded, {said[0]} not; {said[None]} unsure are left out",
        file=sys.stderr,
    )
    return EXIT_OK if rows else EXIT_BELOW


def _row(corrected: Corrected) -> dict[str, object]:
    kept, feedback = corrected.kept, corrected.feedback
    return {
        "context": kept.context,
        "claim": kept.claim,
        "label": corrected.label,
        "p1": kept.p1,
        "p0": kept.p0,
        "verdict": kept.verdict,
        "model": corrected.model,
        "note": feedback.note,
        "detection_id": feedback.detection_id,
        "index": feedback.index,
    }


def _write(rows: list[dict[str, object]], out: Path) -> None:
    """The rows have texts of callers, so only who exports them may read them."""
    try:
        file = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, OWNER_ONLY_FILE)
        with os.fdopen(file, "w", encoding="utf-8") as lines:
            lines.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    except OSError as error:
        raise ConfigError(f"--out: {out} cannot be written: {error.strerror}") from error
