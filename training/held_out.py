"""`python -m training.held_out --out FILE`: the labelled rows that training left out.

In the form that `groundwire calibrate --data` takes. The calibration that ships is fitted on them.
"""

import argparse
import json
from pathlib import Path

from bench.tools.common import data_file
from training.data.rows import read_rows


def main() -> None:
    """Write the rows as JSON lines."""
    parser = argparse.ArgumentParser(prog="python -m training.held_out", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    out: Path = parser.parse_args().out
    rows = [
        {
            "source": row.source,
            "context": row.context,
            "claim": row.claim,
            "label": int(row.supported),
        }
        for row in read_rows(data_file("fm2.jsonl").parent, "held-out")
        # The English side of a pair whose Hebrew side is there is no row of the shared data.
        if row.source != "hebnli_en"
    ]
    with out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    print(f"{out}: {len(rows)} rows")


if __name__ == "__main__":
    main()
