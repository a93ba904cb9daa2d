"""Rows of a Parquet file, as lines of JSON.

A text that is not UTF-8 comes out as a text that no row may hold, so its row is rejected where
all others are.
"""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from groundwire_server.cli.batch.rows import check_columns
from groundwire_server.config.extras import how_to_install
from groundwire_server.config.sources import ConfigError

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_AT_ONCE = 256
"""Rows of a file that are in memory at one time."""


def json_lines(file: IO[bytes], path: Path, columns: Collection[str] | None) -> Iterator[bytes]:
    """A line for each row, in their order. Raises ConfigError, also for a file that is damaged.

    `columns` are those that there may be; None: any.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise ConfigError(
            f"{path}: Parquet needs the extra parquet ({error}): {how_to_install('parquet')}"
        ) from error
    try:
        table = parquet.ParquetFile(file)
    except (pa.ArrowException, OSError) as error:
        raise ConfigError(f"{path} is no Parquet file: {error}") from error
    check_columns(table.schema_arrow.names, columns, path)
    batches = table.iter_batches(ROWS_AT_ONCE)
    while True:
        # What the caller does with the lines has errors of its own.
        try:
            batch = next(batches, None)
            rows = None if batch is None else _rows(batch)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise ConfigError(f"{path} cannot be read, it may be damaged: {error}") from error
        if rows is None:
            return
        for row in rows:
            yield json.dumps(row, default=_as_text).encode() + b"\n"


def _rows(batch: "pa.RecordBatch") -> list[object]:
    try:
        found: list[object] = batch.to_pylist()
    except UnicodeDecodeError:
        # Slower, and able to tell which row and which text it is.
        return [_value(row) for row in batch.to_struct_array()]
    return found


def _value(scalar: "pa.Scalar") -> object:
    """The value of a scalar as `to_pylist` gives it, but for bytes that are no UTF-8."""
    import pyarrow as pa

    if not scalar.is_valid:
        return None
    if isinstance(scalar, pa.StructScalar):
        return {name: _value(field) for name, field in scalar.items()}
    if isinstance(scalar, pa.ListScalar):
        return [_value(each) for each in scalar.values]
    if isinstance(scalar, pa.DictionaryScalar):
        return _value(scalar.value)
    if isinstance(scalar, pa.BinaryScalar):
        return _as_text(scalar.as_buffer().to_pybytes())
    plain: object = scalar.as_py()
    return plain


def _as_text(value: object) -> str:
    """What JSON has no form for. Each byte that is no UTF-8 becomes half a surrogate."""
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
