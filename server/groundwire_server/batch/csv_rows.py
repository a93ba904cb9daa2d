"""Rows of a CSV file, as lines of JSON: the first row names the columns, an empty cell is left out.

Each line of JSON has the number of the line that its row begins in, so that an error leads there.
"""

import csv
import io
import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO

from groundwire_server.batch.rows import check_columns
from groundwire_server.config.sources import ConfigError


def json_lines(
    file: IO[bytes], path: Path, columns: Collection[str] | None, max_row_bytes: int
) -> Iterator[bytes]:
    """The rows as lines, with blank ones for what is no row. Raises ConfigError.

    `columns` are those that there may be; None: any. No cell may have more characters than
    `max_row_bytes`.
    """
    csv.field_size_limit(max_row_bytes)
    with io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        rows = csv.reader(text, strict=True)
        try:
            names = next(rows, [])
            check_columns(names, columns, path)
            if len(set(names)) < len(names):
                raise ConfigError(f"{path}: two columns have one name; give each its own")
            told = 0
            while True:
                begins = rows.line_num + 1
                cells = next(rows, None)
                if cells is None:
                    return
                if not cells:
                    continue
                if len(cells) != len(names):
                    raise ConfigError(
                        f"{path}, line {begins}: has {len(cells)} cells for {len(names)} columns; "
                        'put a text with commas or line breaks in quotation marks (")'
                    )
                row = {name: cell for name, cell in zip(names, cells, strict=True) if cell}
                yield b"\n" * (begins - 1 - told) + json.dumps(row).encode() + b"\n"
                told = begins
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path} is not UTF-8 text: save it as UTF-8") from error
        except csv.Error as error:
            raise ConfigError(f"{path}, line {rows.line_num}: is no CSV: {error}") from error
