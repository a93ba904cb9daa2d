"""Labelled claims: lines of JSON with `context`, `claim`, `label`, perhaps `source` and more."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundwire_server.config.sources import ConfigError

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim, its evidence, and whether people found it supported by that.

    `source` names the set that it is from, or is empty. `contradicted` is whether the evidence
    speaks against it, and None where nobody says.
    """

    context: str
    claim: str
    supported: bool
    source: str = ""
    contradicted: bool | None = None


def read_labelled(path: Path) -> list[LabelledClaim]:
    """The rows of a file, in its order. Raises ConfigError that names the line."""
    return [
        LabelledClaim(
            row["context"],
            row["claim"],
            bool(row["label"]),
            row.get("source", ""),
            row.get("contradicted"),
        )
        for _, row in labelled_objects(path)
    ]


def labelled_objects(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The rows of a file as they are written, each with its place in words.

    `context`, `claim`, `label`, `source` and `contradicted` are checked, and nothing else. Raises
    ConfigError that names the line and the field.
    """
    rows = json_objects(path, "--data", "a row is one object with context, claim and label")
    return [(place, _checked(found, place)) for place, found in rows]


def json_objects(path: Path, flag: str, meant: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a file of JSON lines, at least one, each with its place in words.

    `flag` is what named the file, and `meant` what a row is. Raises ConfigError.
    """
    is_empty = True
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    is_empty, place = False, f"{path}, line {number}"
                    yield place, _object(line, place, meant)
    except OSError as error:
        raise ConfigError(f"{flag}: {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{flag}: {path} is not UTF-8 text: {error.reason}") from error
    if is_empty:
        raise ConfigError(f"{flag}: {path} holds no rows")


def in_words(rows: Sequence[LabelledClaim], name: str) -> str:
    """What the rows are, for the calibration's own record."""
    labels = Counter(row.supported for row in rows)
    contexts = len({row.context for row in rows})
    return f"{name}: {labels[True]} supported, {labels[False]} not, on {contexts} contexts"


def _object(line: str, place: str, meant: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise ConfigError(f"{place} is not JSON: {error}") from error
    except RecursionError:
        raise ConfigError(f"{place} is nested too deeply; {meant}") from None
    if not isinstance(found, dict):
        raise ConfigError(f"{place} is not a JSON object")
    return found


def _checked(found: dict[str, Any], place: str) -> dict[str, Any]:
    for key in ("context", "claim"):
        text = found.get(key)
        if not isinstance(text, str):
            raise ConfigError(f"{place}: {key} must be a text")
        if _SURROGATE.search(text):
            raise ConfigError(f"{place}: {key} holds half of a surrogate pair, which is no text")
    if found.get("label") not in (0, 1):  # True and False are 1 and 0
        raise ConfigError(f"{place}: label must be 1 (supported by the context) or 0")
    if not isinstance(found.get("source", ""), str):
        raise ConfigError(f"{place}: source must be a text, the name of the set that it is from")
    contradicted = found.get("contradicted")
    if not (contradicted is None or isinstance(contradicted, bool)):
        raise ConfigError(f"{place}: contradicted must be true or false")
    if contradicted and found["label"]:
        raise ConfigError(f"{place}: contradicted must be false where label is 1")
    return found
