"""Labelled rows of a file: claims or answers, their evidence, and what people say of them."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from groundwire import ClaimInput, Document, Evidence
from groundwire_server.batch.row_files import MAX_ROW_BYTES, open_rows, without_mark
from groundwire_server.batch.rows import (
    RowError,
    RowId,
    id_of,
    read_object,
    sources_of,
    text_of,
)
from groundwire_server.config.sources import ConfigError
from groundwire_verifier.numbers.metrics import word_overlap

MAX_ROWS = 20_000
"""Rows of one file: the intervals take 8 kB of memory for each of them, several times."""

MAX_BYTES = 1 << 30
"""What all rows of a file may take as JSON: all are kept in memory, and a small Parquet file says a
text once and points to it."""

_FLAGS: Mapping[object, bool] = {
    1: True, 0: False, "1": True, "0": False, "true": True, "false": False,
}  # fmt: skip
"""A cell of a CSV file is a text; True and False are 1 and 0."""


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A claim or an answer, its evidence, and whether people found it supported by that.

    `number` is its line in the file, or its place in a Parquet file, from 1. One of `claim` and
    `answer` is empty, and so are `context` or `sources`. `contradicted` is whether the evidence
    speaks against it, and None where nobody says. `kind` and `language` are any names, or empty.
    """

    number: int
    id: RowId
    claim: str
    answer: str
    context: str
    sources: tuple[Document, ...]
    cites: tuple[str, ...]
    question: str
    supported: bool
    contradicted: bool | None
    kind: str
    language: str

    @property
    def name(self) -> str:
        """What a report calls it: no text of it."""
        return f"line {self.number}" if self.id is None else str(self.id)

    @property
    def evidence(self) -> Evidence | str:
        return Evidence.documents(self.sources) if self.sources else self.context

    @property
    def evidence_key(self) -> tuple[str, tuple[Document, ...]]:
        """What rows on the same evidence have in common."""
        return self.context, self.sources

    @property
    def claim_input(self) -> ClaimInput:
        """The claim with the sources that it cites."""
        return ClaimInput(self.claim, self.cites)

    @property
    def word_overlap(self) -> float:
        """The share of its words that are in its evidence, in [0, 1]."""
        evidence = " ".join((self.context, *(source.text for source in self.sources)))
        return word_overlap(self.claim or self.answer, evidence)


def read_rows(path: Path) -> list[LabelledRow]:
    """The rows of a file of JSON lines, CSV or Parquet, in its order.

    Raises ConfigError, which names the line and the field of a row that is none.
    """
    if not path.is_file():
        raise ConfigError(f"there is no file {path}")
    found: list[LabelledRow] = []
    with (
        tempfile.TemporaryDirectory(prefix="groundwire-") as folder,
        open_rows(path, Path(folder) / "rows.jsonl", columns=None, max_bytes=MAX_BYTES) as file,
    ):
        for line in file.lines():
            if line.offset > MAX_BYTES:
                raise ConfigError(
                    f"{path}: its rows take more than {MAX_BYTES:,} bytes: evaluate a sample of "
                    "them, or parts"
                )
            try:
                if line.content is None:
                    raise RowError("", f"is longer than {MAX_ROW_BYTES >> 20} MiB; shorten it")
                found.append(row_of(line.number, without_mark(line.content, line.number)))
            except RowError as error:
                what = " ".join(filter(None, (error.field, error.reason)))
                raise ConfigError(f"{path}, line {line.number}: {what}") from error
            if len(found) > MAX_ROWS:
                raise ConfigError(
                    f"{path} holds more than {MAX_ROWS:,} rows; evaluate a sample of them, or parts"
                )
    if {row.supported for row in found} != {True, False}:
        raise ConfigError(
            f"{path}: holds {len(found)} rows, and not both labels; it takes at least one row with "
            "label 1 (supported by its evidence) and one with label 0 (not)"
        )
    return found


def row_of(number: int, line: bytes) -> LabelledRow:
    """The row in a line of JSON. Raises RowError."""
    found = read_object(line)
    claim, answer = text_of(found, "claim", default=""), text_of(found, "answer", default="")
    context = text_of(found, "context", default="")
    if bool(claim) == bool(answer):
        raise RowError("claim", "or answer must be there, as a text, and not both")
    sources = found.get("sources")
    if bool(context) == (sources is not None):
        raise RowError("context", "or sources must be there, and not both")
    meta = found.get("meta")
    more = meta if isinstance(meta, dict) else {}
    supported = _flag(found.get("label"))
    if supported is None:
        raise RowError("label", "must be 1 (supported by its evidence) or 0 (not)")
    return LabelledRow(
        number=number,
        id=id_of(found),
        claim=claim,
        answer=answer,
        context=context,
        sources=() if sources is None else sources_of(found),
        cites=_cites(found),
        question=text_of(found, "question", default=""),
        supported=supported,
        contradicted=_contradicted(found, more, supported),
        kind=text_of(found, "kind", default=text_of(more, "kind", "meta.", "")),
        language=text_of(found, "language", default=text_of(more, "lang", "meta.", "")),
    )


def _cites(row: Mapping[str, object]) -> tuple[str, ...]:
    cited = row.get("cites")
    if cited is None:
        return ()
    if not isinstance(cited, list) or not all(isinstance(each, str) for each in cited):
        raise RowError("cites", 'must be a list of ids of sources, such as ["S0"]')
    if not row.get("claim") or row.get("sources") is None:
        raise RowError("cites", "needs claim and sources; an answer cites in its own text")
    return tuple(cited)


def _contradicted(
    row: Mapping[str, object], meta: Mapping[str, object], supported: bool
) -> bool | None:
    told = row.get("contradicted")
    if told is None:
        label3 = meta.get("label3")
        return False if supported else None if label3 is None else label3 == "contradiction"
    contradicted = _flag(told)
    if contradicted is None:
        raise RowError("contradicted", "must be true or false, or left out")
    if contradicted and supported:
        raise RowError("contradicted", "must be false where label is 1")
    return contradicted


def _flag(value: object) -> bool | None:
    if isinstance(value, str):
        value = value.lower()
    return _FLAGS.get(value) if isinstance(value, str | int | float) else None
