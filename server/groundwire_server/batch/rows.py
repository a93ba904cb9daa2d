"""A row of a batch job: an answer, its sources, and what of it is wrong.

Limits of length are the server's to check: what it refuses is the result of a row, and no row that
is kept apart.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from groundwire import Document
from groundwire_server.config.sources import ConfigError

FIELDS = ("id", "answer", "sources", "question")
SOURCE_FIELDS = ("id", "text", "title")

RowId = str | int | None


@dataclass(frozen=True, slots=True)
class Row:
    """An answer to verify.

    `number` is its line in the file, or its place in a Parquet file, from 1. An empty question is
    none.
    """

    number: int
    id: RowId
    answer: str
    sources: tuple[Document, ...]
    question: str

    def sources_key(self) -> int:
        """64 bits that rows with the same sources have in common."""
        texts = [[source.id, source.title, source.text] for source in self.sources]
        return _hashed(json.dumps(texts))

    def id_key(self) -> int:
        """The same for rows with one id. Of a row without an id it says nothing."""
        return _hashed(json.dumps(self.id))


class RowError(Exception):
    """A row cannot be read as one. `field` is empty where it is the whole row."""

    def __init__(self, field: str, reason: str, id: RowId = None) -> None:
        super().__init__(field, reason, id)
        self.field = field
        self.reason = reason
        self.id = id


def parse_row(number: int, line: bytes) -> Row:
    """The row in a line of JSON. Raises RowError."""
    found = read_object(line)
    id = id_of(found)
    try:
        _check_names(found, FIELDS, "")
        return Row(
            number=number,
            id=id,
            answer=text_of(found, "answer"),
            sources=sources_of(found),
            question=text_of(found, "question", default=""),
        )
    except RowError as error:
        raise RowError(error.field, error.reason, id) from error


def read_object(line: bytes) -> dict[str, object]:
    """The object in a line of JSON. Raises RowError."""
    try:
        found = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise RowError("", f"is not UTF-8: {error.reason} at byte {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise RowError("", f"is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise RowError("", "must be a JSON object")
    return found


def id_of(row: Mapping[str, object]) -> RowId:
    """The id of a row; None where it has none. Raises RowError."""
    id = row.get("id")
    if id is None:
        return None
    if isinstance(id, bool) or not isinstance(id, str | int):
        raise RowError("id", "must be a text or a whole number")
    _checked_text(str(id), "id", id)
    return id


def sources_of(row: Mapping[str, object]) -> tuple[Document, ...]:
    """The sources of a row, at least one. Raises RowError."""
    found = row.get("sources")
    if found is None:
        raise RowError("sources", "is missing")
    if isinstance(found, str):
        found = [found]
    if not isinstance(found, list):
        raise RowError("sources", "must be a text, or a list of texts or objects")
    if not found:
        raise RowError("sources", "must hold at least one source")
    return tuple(_source(each, index) for index, each in enumerate(found))


def check_columns(names: Collection[str], known: Collection[str] | None, path: Path) -> None:
    """Raises ConfigError for a column that is not known; None: all are."""
    unknown = [] if known is None else [name for name in names if name not in known]
    if unknown:
        raise ConfigError(
            f"{path}: the column {unknown[0]} is unknown; use: {', '.join(known or ())}"
        )


def _source(found: object, index: int) -> Document:
    at, own_id = f"sources[{index}]", f"S{index}"
    if isinstance(found, str):
        return Document(own_id, _checked_text(found, at))
    if not isinstance(found, dict):
        raise RowError(at, f"must be a text, or an object with {', '.join(SOURCE_FIELDS)}")
    _check_names(found, SOURCE_FIELDS, f"{at}.")
    return Document(
        id=text_of(found, "id", f"{at}.", default=own_id),
        text=text_of(found, "text", f"{at}."),
        title=text_of(found, "title", f"{at}.", default=""),
    )


def _check_names(found: Mapping[str, object], names: tuple[str, ...], prefix: str) -> None:
    unknown = next((name for name in found if name not in names), None)
    if unknown is not None:
        raise RowError(f"{prefix}{unknown}", f"is unknown; use: {', '.join(names)}")


def text_of(
    found: Mapping[str, object], name: str, prefix: str = "", default: str | None = None
) -> str:
    """A text of an object; null means that it is not given. Raises RowError.

    `prefix` stands before the name where an error names the field; without a default the text must
    be there.
    """
    value = found.get(name)
    if value is None:
        if default is None:
            raise RowError(f"{prefix}{name}", "is missing")
        return default
    if not isinstance(value, str):
        raise RowError(f"{prefix}{name}", "must be a text")
    return _checked_text(value, f"{prefix}{name}")


def _checked_text(text: str, field: str, id: RowId = None) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        # JSON can write half of a pair of surrogates, which is no character. Bytes of a Parquet
        # file that are no UTF-8 come as such halves, too.
        raise RowError(
            field,
            f"holds no character at {error.start}: half a surrogate, or bytes that are not UTF-8",
            id,
        ) from error
    return text


def _hashed(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
