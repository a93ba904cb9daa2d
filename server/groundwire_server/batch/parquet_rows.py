"""Rows of a Parquet file, as lines of JSON.

A text that is not UTF-8 comes out as a text that no row may hold, so its row is rejected where
all others are. A small file may stand for rows that fill any memory, since it says a text once and
points to it: so texts stay where they are until the row is known to be small enough.
"""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from groundwire_server.batch.rows import check_columns
from groundwire_server.config.extras import how_to_install
from groundwire_server.config.sources import ConfigError

if TYPE_CHECKING:
    import pyarrow as pa

VALUE_BYTES = 4
"""Bytes of a value beside its text: null has as many letters, and an empty list takes more."""


class _TooLargeError(Exception):
    """A row is beyond its bound."""


def json_lines(
    file: IO[bytes], path: Path, columns: Collection[str] | None, max_row_bytes: int
) -> Iterator[bytes | None]:
    """A line for each row, in their order; None for one with more than `max_row_bytes` of texts.

    `columns` are those that there may be; None: any. Raises ConfigError, also for a file that is
    damaged.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise ConfigError(
            f"{path}: Parquet needs the extra parquet ({error}): {how_to_install('parquet')}"
        ) from error
    try:
        schema = parquet.ParquetFile(file).schema
        each = [schema.column(i) for i in range(len(schema))]
        texts = [column.path for column in each if column.physical_type == "BYTE_ARRAY"]
        table = parquet.ParquetFile(file, read_dictionary=texts)
    except (pa.ArrowException, OSError) as error:
        raise ConfigError(f"{path} is no Parquet file: {error}") from error
    check_columns(table.schema_arrow.names, columns, path)
    # One at a time: rows whose texts stand in the file are no smaller than they look.
    batches = table.iter_batches(1)
    while True:
        # What the caller does with the lines has errors of its own.
        try:
            batch = next(batches, None)
            line = None if batch is None else _line(batch, max_row_bytes)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise ConfigError(f"{path} cannot be read, it may be damaged: {error}") from error
        if batch is None:
            return
        yield line


def _line(batch: "pa.RecordBatch", max_row_bytes: int) -> bytes | None:
    (row,) = batch.to_struct_array()
    try:
        return json.dumps(_ParquetReader(max_row_bytes).value(row), default=str).encode() + b"\n"
    except _TooLargeError:
        return None


class _ParquetReader:
    """Reads the values of one row as long as they take no more than a bound together."""

    def __init__(self, max_bytes: int) -> None:
        self._left_bytes = max_bytes

    def value(self, scalar: "pa.Scalar") -> object:
        """What a scalar holds. Each byte of a text that is no UTF-8 becomes half a surrogate."""
        import pyarrow as pa

        self._take(VALUE_BYTES)
        if not scalar.is_valid:
            return None
        if isinstance(scalar, pa.StructScalar):
            return {name: self.value(field) for name, field in scalar.items()}
        if isinstance(scalar, pa.ListScalar):
            return [self.value(each) for each in scalar.values]
        if isinstance(scalar, pa.DictionaryScalar):
            return self.value(scalar.value)
        if isinstance(scalar, pa.BinaryScalar):
            found = scalar.as_buffer()
            self._take(found.size)
            return bytes(found).decode("utf-8", "surrogateescape")
        plain: object = scalar.as_py()
        return plain

    def _take(self, size: int) -> None:
        self._left_bytes -= size
        if self._left_bytes < 0:
            raise _TooLargeError
