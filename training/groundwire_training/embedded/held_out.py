"""The labelled rows that training left out.

In the form that `groundwire calibrate --data` takes. The calibration that ships is fitted on them.
"""

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from bench.tools.common import data_file
from bench.tools.labelled import SETS
from groundwire_training.data.rows import Row, by_context
from groundwire_training.embedded.rows import read_rows

SEED = 3


def some_of(rows: Sequence[Row], most: int | None, most_of_main: int | None = None) -> list[Row]:
    """Of each source contexts that a fixed seed chooses, until it has `most` rows; None: all.

    `most_of_main` is for the sets in SETS, where it is another number.
    """
    chosen: dict[str, list[Row]] = defaultdict(list)
    groups = by_context(rows)
    random.Random(SEED).shuffle(groups)
    for group in groups:
        kept = chosen[group[0].source]
        is_main = group[0].source in SETS
        limit = most_of_main if is_main and most_of_main is not None else most
        if limit is None or len(kept) < limit:
            kept += group
    return [row for kept in chosen.values() for row in kept]


def main() -> None:
    """Write the rows as JSON lines."""
    parser = argparse.ArgumentParser(
        prog="python -m groundwire_training.embedded.held_out", description=__doc__
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument(
        "--most", type=int, metavar="N", help="rows of each set, some with their contexts whole"
    )
    parser.add_argument(
        "--most-of-main", type=int, metavar="N", help=f"the same for {', '.join(SETS)}"
    )
    arguments = parser.parse_args()
    out: Path = arguments.out
    held_out = read_rows(data_file("fm2.jsonl").parent, "held-out")
    rows = [
        {
            "source": row.source,
            "context": row.context,
            "claim": row.claim,
            "label": int(row.supported),
            "contradicted": row.contradicted,
            "language": row.language,
        }
        for row in some_of(held_out, arguments.most, arguments.most_of_main)
        # The English side of a pair whose Hebrew side is there is no row of the shared data.
        if row.source != "hebnli_en"
    ]
    with out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    print(f"{out}: {len(rows)} rows")


if __name__ == "__main__":
    main()
