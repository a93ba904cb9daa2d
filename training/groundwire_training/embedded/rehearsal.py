"""Choose the rows that `groundwire train` mixes in.

By them an embedded verifier that learns more keeps what it knows. Of the train rows that were
written for the embedded verifiers so many of each set, and of each context those of the kinds that
have been chosen least. The same data give the same file.
"""

import argparse
import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.tools.common import data_file
from bench.tools.written.twins import HEADED, OTHER_KIND, PLAIN, kind_groups
from groundwire_training.data import rehearsal
from groundwire_training.embedded.rows import is_learnt, records
from groundwire_training.embedded.sets import WRITTEN_SETS, DataSet

ROWS: Mapping[str, int] = {
    "written_en": 440, "written_he": 240, "written_eu": 160, "written_world": 160,
    "written_cross": 120, HEADED: 240, PLAIN: 80,
}  # fmt: skip
ROWS_OF_A_LABEL = 2
"""Of a context."""
MAX_CONTEXT_CHARACTERS = 3000
KEPT_ONE_IN = 3
"""One context in so many is measured by, and not learnt from."""
SEED = 37
TARGET = Path(rehearsal.__file__).with_name(rehearsal.FILE_NAME)

Record = Mapping[str, Any]


def main() -> None:
    """Choose and write."""
    parser = argparse.ArgumentParser(
        prog="python -m groundwire_training.embedded.rehearsal", description=__doc__
    )
    parser.add_argument("--out", type=Path, default=TARGET, metavar="FILE")
    arguments = parser.parse_args()
    out: Path = arguments.out
    rows = chosen(data_file("fm2.jsonl").parent)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    # Without the time, which gzip would write.
    out.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{out}: {len(rows)} rows, {out.stat().st_size} B")


def chosen(data: Path) -> list[dict[str, object]]:
    """The rows, those of a context together."""
    taken: Counter[str] = Counter()
    rows: list[dict[str, object]] = []
    for data_set in WRITTEN_SETS:
        rows += _of_set(data, data_set, taken)
    return rows


def _of_set(data: Path, data_set: DataSet, taken: Counter[str]) -> list[dict[str, object]]:
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in records(data, data_set):
        if is_learnt(record) and len(record["context"]) <= MAX_CONTEXT_CHARACTERS:
            groups[record["context"]].append(record)
    # By language in turns, so that a rare one has as many as a common one, as far as they go.
    turns: Counter[str] = Counter()
    order: list[tuple[int, list[Record]]] = []
    for group in random.Random(SEED).sample(list(groups.values()), k=len(groups)):
        language = group[0]["meta"]["lang"]
        order.append((turns[language], group))
        turns[language] += 1
    rows: list[dict[str, object]] = []
    for number, (_, group) in enumerate(sorted(order, key=lambda pair: pair[0])):
        if len(rows) >= ROWS[data_set.name]:
            break
        split = "dev" if number % KEPT_ONE_IN == 0 else "train"
        rows += [_row(data_set, record, split) for record in _least_taken(group, taken)]
    return rows


def _least_taken(group: Sequence[Record], taken: Counter[str]) -> list[Record]:
    """A few rows of a context, of each label as many, of the kinds that were taken least."""
    left, found = list(group), list[Record]()
    for label in (1, 0) * ROWS_OF_A_LABEL:
        fit = [record for record in left if record["label"] == label]
        if fit:
            best = min(fit, key=lambda record: taken[_group(record)])
            left.remove(best)
            taken[_group(best)] += 1
            found.append(best)
    return found


def _group(record: Record) -> str:
    return kind_groups().get(record["meta"]["kind"], OTHER_KIND)


def _row(data_set: DataSet, record: Record, split: str) -> dict[str, object]:
    return {
        "context": record["context"],
        "claim": record["claim"],
        "label": record["label"],
        "contradicted": record["meta"]["label3"] == "contradiction",
        "language": record["meta"]["lang"],
        "joins": data_set.joins,
        "split": split,
    }


if __name__ == "__main__":
    main()
