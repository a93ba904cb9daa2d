"""The labelled rows of the shared data."""

import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from bench.tools.common import BenchError, data_file
from bench.tools.written.twins import HEADED, PLAIN, TWINS_FILE, twin_records
from groundwire_server.batch.rows import RowError
from groundwire_server.cli.evaluation.rows import LabelledRow, row_of

SETS = ("fm2", "halueval_qa", "attributionbench", "factscore", "summedits", "hebnli")
MORE_SETS = (
    "more/bbq",
    "more/boolq",
    "more/bump",
    "more/cad_nli",
    "more/condaqa",
    "more/conjnli",
    "more/covid_qa",
    "more/fib_xsum",
    "more/folio",
    "more/heq",
    "more/med",
    "more/mnli",
    "more/pubmedqa",
    "more/scone",
    "more/sharc",
    "more/snli",
    "more/swap_wiki",
    "more/tabfact",
    "more/tatqa",
    "more/timeqa",
    "more/xquad_en",
)
"""Sets of the shared data that no figure in the docs is a mean of."""
WRITTEN_SETS = (
    "written/written_en",
    "written/written_he",
    "written/written_eu",
    "written/written_world",
    "written/written_cross",
    HEADED,
    PLAIN,
)
"""Those that were written against word overlap, and the twins of whole answers in both forms."""
MEAN_SETS = ("fm2", "halueval_qa", "attributionbench", "factscore", "summedits")
"""The sets that a mean is taken over: the English ones of SETS."""
ALL_SETS = SETS + MORE_SETS + WRITTEN_SETS
_HEBREW = ("hebnli", "more/heq")
SPLITS = ("dev", "train")
SEED = 20


def read_rows(name: str, split: str) -> list[LabelledRow]:
    """The rows of a set's split. Raises MissingDataError and BenchError."""
    if name in (HEADED, PLAIN):
        path = data_file(TWINS_FILE)
        records = twin_records(path.parents[1], name)
        return _rows(path, (json.dumps(each).encode() for each in records), split, "en")
    return parse_rows(data_file(f"{name}.jsonl"), split, "he" if name in _HEBREW else "en")


def parse_rows(path: Path, split: str, language: str = "en") -> list[LabelledRow]:
    """The rows of a file's split, in its order. Raises BenchError for a row that is no row.

    `language` is that of rows that do not name theirs.
    """
    with path.open("rb") as lines:
        return _rows(path, lines, split, language)


def _rows(path: Path, lines: Iterable[bytes], split: str, language: str) -> list[LabelledRow]:
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            if json.loads(line)["split"] == split:
                row = row_of(number, line)
                rows.append(replace(row, language=row.language or language))
        except (RowError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise BenchError(f"{path}, line {number} is no labelled row: {error!r}") from error
    if len({row.name for row in rows}) < len(rows):
        raise BenchError(f"{path} has rows of one id")
    return rows


def choose(rows: Sequence[LabelledRow], limit: int | None) -> list[LabelledRow]:
    """At least `limit` rows with all rows on their contexts, which a fixed seed chooses."""
    if limit is None:
        return list(rows)
    contexts = list(dict.fromkeys(row.context for row in rows))
    random.Random(SEED).shuffle(contexts)  # noqa: S311 - a fixed choice, not a secret
    rows_on = Counter(row.context for row in rows)
    chosen: set[str] = set()
    count = 0
    for context in contexts:
        if count >= limit:
            break
        chosen.add(context)
        count += rows_on[context]
    return [row for row in rows if row.context in chosen]
