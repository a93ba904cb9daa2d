"""Files of rows: JSON lines as they are, CSV and Parquet as JSON lines in a file of their own.

The places of the rows are kept, so that rows can be read in any order.
"""

import contextlib
from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from groundwire_server.batch import csv_rows, parquet_rows
from groundwire_server.batch.rows import FIELDS, Row, RowError, parse_row
from groundwire_server.config.sources import ConfigError

MAX_ROW_BYTES = 32 << 20
"""A longer line is rejected without being read whole; a server takes 16 MiB by default."""

MAX_SPOOL_BYTES = 64 << 30
"""What the rows of a CSV or Parquet file may take as JSON, on the disk of the results."""

_CONVERTED = {".csv": csv_rows.json_lines, ".parquet": parquet_rows.json_lines}
_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not blank. `number` is from 1, `offset` in bytes; None for one too long."""

    number: int
    offset: int
    content: bytes | None


class RowFile:
    """Lines of a file that stays as it is."""

    def __init__(self, file: IO[bytes], path: Path, too_long: Container[int] = frozenset()) -> None:
        """`path` is where the file lies, for other processes of this machine.

        `too_long` are numbers of lines that stand for rows which are too long.
        """
        self._file = file
        self._too_long = too_long
        self.path = path

    def lines(self) -> Iterator[Line]:
        """All lines but blank ones, from the start."""
        self._file.seek(0)
        offset = number = 0
        while line := self._file.readline(MAX_ROW_BYTES + 1):
            number += 1
            size = len(line)
            content: bytes | None = line
            if size > MAX_ROW_BYTES:
                content = None
                while not line.endswith(b"\n"):
                    line = self._file.readline(MAX_ROW_BYTES)
                    if not line:
                        break
                    size += len(line)
            if number in self._too_long:
                content = None
            if content is None or content.strip():
                yield Line(number, offset, content)
            offset += size

    def row(self, number: int, offset: int) -> Row:
        """A row that was read before. Raises ConfigError if the file has changed since."""
        try:
            return parse_row(number, self.line(number, offset))
        except RowError as error:
            raise ConfigError(f"{self.path} has changed while it was read") from error

    def line(self, number: int, offset: int) -> bytes:
        """A line of at most MAX_ROW_BYTES that was read before."""
        self._file.seek(offset)
        return without_mark(self._file.readline(MAX_ROW_BYTES), number)


def without_mark(line: bytes, number: int) -> bytes:
    """The line without the mark that some programs put before the first one."""
    return line.removeprefix(_MARK) if number == 1 else line


@contextlib.contextmanager
def open_rows(
    path: Path,
    spool: Path,
    columns: Collection[str] | None = FIELDS,
    max_bytes: int | None = None,
) -> Iterator[RowFile]:
    """The rows of a file; `spool` is where those of a CSV or Parquet file lie meanwhile.

    `columns` are those that such a file may have; None: any. `max_bytes` is what the spool may
    take; None: MAX_SPOOL_BYTES. Raises ConfigError.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    with file:
        converted = _CONVERTED.get(path.suffix.lower())
        if converted is None:
            if not file.seekable():
                raise ConfigError(f"{path} is no file that can be read twice: save it first")
            yield RowFile(file, path)
            return
        # Out of such a file single rows cannot be read.
        try:
            with spool.open("w+b") as lines:
                rows = converted(file, path, columns, MAX_ROW_BYTES)
                too_long = _copied(rows, path, lines, max_bytes or MAX_SPOOL_BYTES)
                yield RowFile(lines, spool, too_long)
        finally:
            spool.unlink(missing_ok=True)


def _copied(
    rows: Iterable[bytes | None], path: Path, lines: IO[bytes], max_bytes: int
) -> frozenset[int]:
    """Write the rows of the file `path` as lines; gives the numbers of those that are too long."""
    too_long = set()
    size = 0
    for number, line in enumerate(rows, 1):
        if line is None:
            too_long.add(number)
        size += lines.write(line or b"null\n")
        if size > max_bytes:
            raise ConfigError(
                f"{path}: its first {number:,} rows take more than {max_bytes:,} bytes: "
                "split it into files of fewer rows"
            )
    lines.flush()
    return frozenset(too_long)
