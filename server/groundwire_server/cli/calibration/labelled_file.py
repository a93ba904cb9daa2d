"""Labelled claims from a file: JSON lines with `context`, `claim`, `label` and perhaps `source`.

Knows the form, and names the line of what is wrong. Other keys are left alone.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from groundwire_server.config.sources import ConfigError

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim, its evidence, and whether people found it supported by that.

    `source` names the set that it is from, or is empty.
    """

    context: str
    claim: str
    supported: bool
    source: str = ""


def read_labelled(path: Path) -> list[LabelledClaim]:
    """The rows of a file, in its order. Raises ConfigError that names the line."""
    rows = []
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    rows.append(_row(line, f"{path}, line {number}"))
    except OSError as error:
        raise ConfigError(f"--data: {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"--data: {path} is not UTF-8 text: {error.reason}") from error
    if not rows:
        raise ConfigError(f"--data: {path} holds no rows")
    return rows


def in_words(rows: Sequence[LabelledClaim], name: str) -> str:
    """What the rows are, for the calibration's own record."""
    labels = Counter(row.supported for row in rows)
    contexts = len({row.context for row in rows})
    return f"{name}: {labels[True]} supported, {labels[False]} not, on {contexts} contexts"


def _row(line: str, place: str) -> LabelledClaim:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise ConfigError(f"{place} is no JSON: {error}") from error
    except RecursionError:
        raise ConfigError(
            f"{place} is nested too deeply; a row is one object with context, claim and label"
        ) from None
    if not isinstance(found, dict):
        raise ConfigError(f"{place} is no JSON object")
    for key in ("context", "claim"):
        text = found.get(key)
        if not isinstance(text, str):
            raise ConfigError(f"{place}: {key} must be a text")
        if _SURROGATE.search(text):
            raise ConfigError(f"{place}: {key} holds half of a surrogate pair, which is no text")
    if found.get("label") not in (0, 1):  # True and False are 1 and 0
        raise ConfigError(f"{place}: label must be 1 (supported by the context) or 0")
    source = found.get("source", "")
    if not isinstance(source, str):
        raise ConfigError(f"{place}: source must be a text, the name of the set that it is from")
    return LabelledClaim(found["context"], found["claim"], bool(found["label"]), source)
