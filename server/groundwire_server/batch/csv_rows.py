"""Rows of a CSV file, as lines of JSON: the first row names the columns, an empty cell is left out.

A cell of `sources` or `cites` may hold a list as JSON, since every cell of CSV is a text. Each line
of JSON has the number of the line that its row begins in, so that an error leads there.
"""

import csv
import io
import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO

from groundwire_server.batch.rows import check_columns
from groundwire_server.config.sources import ConfigError

_LISTS = ("sources", "cites")
# A source may begin with the mark of a citation, such as [S0] or [1], an open box of a list of
# things to do, or a link without words; an empty list stands alone.
_LIST = re.compile(r"""\s*\[\s*(?:["'{]|\]\s*\Z)""")


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
                try:
                    row = {
                        name: _value(name, cell)
                        for name, cell in zip(names, cells, strict=True)
                        if cell
                    }
                except ValueError as error:
                    raise ConfigError(f"{path}, line {begins}: {error}") from error
                yield b"\n" * (begins - 1 - told) + json.dumps(row).encode() + b"\n"
                told = begins
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path} is not UTF-8 text: save it as UTF-8") from error
        except csv.Error as error:
            raise ConfigError(f"{path}, line {rows.line_num}: is no CSV: {error}") from error


def _value(name: str, cell: str) -> object:
    """What a cell says. Raises ValueError for a list that is not JSON."""
    if name not in _LISTS or not _LIST.match(cell):
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{name} begins like a list and is not JSON ({error}); write it as json.dumps does"
        ) from error
