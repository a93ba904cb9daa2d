"""Labelled pairs of one's own, from JSON lines, in three parts.

Each row has `context`, `claim` and `label`, and may have `source`, `split`, `cited_spans`,
`language` and `contradicted`; other keys are left alone, such as those that `groundwire feedback
export` writes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundwire_server.config.sources import ConfigError
from groundwire_server.models.labelled_file import labelled_objects
from groundwire_training.data.rows import Row, is_held_out
from groundwire_verifier.text.claims.wording.sentence import language_of

TRAIN, DEV = "train", "dev"
MAX_FILES, MAX_ROWS = 1000, 2_000_000
MAX_NAME_CHARACTERS = 100
_SUFFIX = ".jsonl"
_DEFAULTS: Mapping[str, object] = {
    "split": TRAIN, "cited_spans": [], "contradicted": None,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class UserRows:
    """Rows in three parts that share no context.

    `train` is learnt from; `held_out`, one context in twelve of the rest, is what a calibration is
    fitted on; `dev` are the contexts that the data sets apart for measuring.
    """

    train: tuple[Row, ...]
    held_out: tuple[Row, ...]
    dev: tuple[Row, ...]


def read_user_rows(path: Path) -> UserRows:
    """The rows of a file, or of all files of a folder that end in .jsonl.

    Raises ConfigError that names the file, the line and the field.
    """
    rows: list[Row] = []
    dev_contexts: set[str] = set()
    for file in _files(path):
        for place, found in labelled_objects(file):
            row, split = _row(found, place, file.stem)
            rows.append(row)
            if split == DEV:
                dev_contexts.add(row.context)
        if len(rows) > MAX_ROWS:
            raise ConfigError(f"--data: {path} holds more than {MAX_ROWS} rows")
    parts: dict[str, list[Row]] = {"train": [], "held-out": [], "dev": []}
    for row in rows:
        part = "held-out" if is_held_out(row.context) else "train"
        parts["dev" if row.context in dev_contexts else part].append(row)
    return UserRows(tuple(parts["train"]), tuple(parts["held-out"]), tuple(parts["dev"]))


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(path.rglob(f"*{_SUFFIX}"))
    if not files:
        raise ConfigError(f"--data: {path} holds no file that ends in {_SUFFIX}")
    if len(files) > MAX_FILES:
        raise ConfigError(f"--data: {path} holds more than {MAX_FILES} files")
    return files


def _row(found: Mapping[str, Any], place: str, name: str) -> tuple[Row, str]:
    """A row and its split."""

    def require(is_met: bool, field: str, meant: str) -> None:
        if not is_met:
            raise ConfigError(f"{place}: {field} must be {meant}")

    said = {key: value for key, value in found.items() if value is not None}
    found_out = {"source": name, "language": language_of(found["claim"])}
    given: dict[str, Any] = {**_DEFAULTS, **found_out, **said}
    context, supported = given["context"], bool(given["label"])
    spans = given["cited_spans"]
    require(bool(given["claim"].strip()), "claim", "more than blanks")
    for field in ("source", "language"):
        require(_is_name(given[field]), field, f"a text of 1 to {MAX_NAME_CHARACTERS} characters")
    require(given["split"] in (TRAIN, DEV), "split", f'"{TRAIN}" or "{DEV}"')
    require(
        isinstance(spans, list) and all(_is_span(span, len(context)) for span in spans),
        "cited_spans",
        f"a list of [start, end) in characters, 0 <= start < end <= {len(context)}",
    )
    row = Row(
        source=given["source"],
        context=context,
        claim=given["claim"],
        supported=supported,
        contradicted=False if supported else given["contradicted"],
        cited_spans=tuple((start, end) for start, end in spans),
        language=given["language"],
    )
    return row, given["split"]


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_NAME_CHARACTERS


def _is_span(value: object, length: int) -> bool:
    if not isinstance(value, list) or len(value) != len(("start", "end")):
        return False
    start, end = value
    return type(start) is int and type(end) is int and 0 <= start < end <= length
