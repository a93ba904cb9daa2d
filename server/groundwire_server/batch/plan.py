"""The first pass over a file: which rows there are, which are no rows, and the order of work.

Rows with the same sources come together, each group where its first row stands, so that the engine
computes their prefix once and a file that is in order already is read in order. A row takes some
60 bytes of memory here, whatever its length.
"""

import hashlib
import json
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import IO

import numpy as np
import numpy.typing as npt

from groundwire_server.batch.row_files import MAX_ROW_BYTES, RowFile, without_mark
from groundwire_server.batch.rows import Row, RowError, parse_row

Numbers = npt.NDArray[np.uint64]

TOLD_EVERY = 1000
"""Rows between two words about how far the pass is."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Rows in the order of work: their numbers, where they lie, and what their sources are.

    `digest` is SHA-256 of the file's rows, `rejected` how many lines are no rows.
    """

    digest: str
    rejected: int
    numbers: Numbers
    offsets: Numbers
    keys: Numbers

    def without(self, done: Numbers) -> "Plan":
        """The same without the rows of these numbers."""
        return self._where(~np.isin(self.numbers, done))

    def only(self, wanted: Numbers) -> "Plan":
        """The same with nothing but the rows of these numbers."""
        return self._where(np.isin(self.numbers, wanted))

    def rows(self, file: RowFile) -> Iterator[Row]:
        """The rows, read one by one."""
        for number, offset in zip(self.numbers, self.offsets, strict=True):
            yield file.row(int(number), int(offset))

    def shards(self, rows: int) -> Iterator[tuple[int, int]]:
        """Ranges of so many rows or a little more, each of whole groups unless one is larger.

        None is longer than twice the rows.
        """
        changes = np.flatnonzero(self.keys[1:] != self.keys[:-1]) + 1
        ends = np.append(changes, len(self.keys))
        begin = 0
        while begin < len(self.keys):
            end = int(ends[np.searchsorted(ends, min(begin + rows, len(self.keys)))])
            end = min(end, begin + 2 * rows)
            yield begin, end
            begin = end

    def _where(self, chosen: npt.NDArray[np.bool_]) -> "Plan":
        return replace(
            self,
            numbers=self.numbers[chosen],
            offsets=self.offsets[chosen],
            keys=self.keys[chosen],
        )


@dataclass(slots=True)
class _Columns:
    numbers: "array[int]" = field(default_factory=lambda: array("Q"))
    offsets: "array[int]" = field(default_factory=lambda: array("Q"))
    keys: "array[int]" = field(default_factory=lambda: array("Q"))
    ids: "array[int]" = field(default_factory=lambda: array("Q"))

    def add(self, row: Row, offset: int) -> None:
        self.numbers.append(row.number)
        self.offsets.append(offset)
        self.keys.append(row.sources_key())
        # A row without an id has that of its place, which no other has but by chance; a chance is
        # looked at again.
        self.ids.append(row.number if row.id is None else row.id_key())


class _Rejected:
    """The lines that are no rows, as they are written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.count = 0

    def add(self, number: int, error: RowError) -> None:
        said = {"row": number, "id": error.id, "field": error.field, "reason": error.reason}
        line = json.dumps(said, ensure_ascii=False)
        # Half a surrogate, such as in an id, stands there as JSON can write it.
        self._file.write(line.encode("utf-8", "backslashreplace") + b"\n")
        self.count += 1


def make_plan(file: RowFile, rejected_to: IO[bytes], tell: Callable[[int], None]) -> Plan:
    """Read all rows once; `tell` hears now and then how many they were so far.

    What is no row, and a row with the id of an earlier one, is written to `rejected_to` as JSON
    lines with row, id, field and reason.
    """
    rejected, columns, digest = _Rejected(rejected_to), _Columns(), hashlib.sha256()
    for count, line in enumerate(file.lines()):
        if count % TOLD_EVERY == 0:
            tell(count)
        try:
            if line.content is None:
                raise RowError("", f"has more than {MAX_ROW_BYTES:,} bytes")
            digest.update(line.content)
            columns.add(
                parse_row(line.number, without_mark(line.content, line.number)), line.offset
            )
        except RowError as error:
            # Its place counts: rows behind it have other numbers without it.
            digest.update(b"\0%d" % line.number)
            rejected.add(line.number, error)
    twice = _reject_repeated(file, columns, rejected)
    numbers, offsets, keys = (
        np.delete(np.frombuffer(column, dtype=np.uint64), twice)
        for column in (columns.numbers, columns.offsets, columns.keys)
    )
    order = _grouped(keys)
    return Plan(digest.hexdigest(), rejected.count, numbers[order], offsets[order], keys[order])


def _reject_repeated(file: RowFile, columns: _Columns, rejected: _Rejected) -> list[int]:
    """Reject each row with the id of an earlier one; gives their places in the columns."""
    ids = np.frombuffer(columns.ids, dtype=np.uint64)
    _, first, group, counts = np.unique(
        ids, return_index=True, return_inverse=True, return_counts=True
    )
    suspects = np.flatnonzero((counts[group] > 1) & (first[group] != np.arange(len(ids))))
    found = []
    for place in map(int, suspects):
        earlier = int(first[group[place]])
        row = file.row(columns.numbers[place], columns.offsets[place])
        other = file.row(columns.numbers[earlier], columns.offsets[earlier])
        if row.id is not None and row.id == other.id:
            reason = f"is that of row {other.number} already"
            rejected.add(row.number, RowError("id", reason, row.id))
            found.append(place)
    return found


def _grouped(keys: Numbers) -> npt.NDArray[np.intp]:
    """The order in which equal keys stand together, each group at the place of its first."""
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    return np.argsort(first[group], kind="stable")
