"""Small files in the form of the shared data, made for a test."""

import json
from pathlib import Path

from training.data.sets import DATA_SETS


def write_data(folder: Path, rows: int, rows_of_a_context: int = 2) -> None:
    """Each set with so many rows, a third of its contexts dev; hebnli in two languages."""
    for data_set in DATA_SETS:
        name = data_set.name
        lines = []
        for i in range(rows):
            number = i // rows_of_a_context
            context = f"{name} context {number}"
            hebrew = {"context_en": f"en {context}", "claim_en": f"en claim {i}"}
            meta = {**hebrew, "label3": "neutral"} if name == "hebnli" else {}
            row = {"context": context, "claim": f"claim {i}", "label": i % 2, "meta": meta}
            lines.append(json.dumps(row | {"split": "dev" if number % 3 == 0 else "train"}))
        (folder / data_set.folder).mkdir(parents=True, exist_ok=True)
        path = folder / data_set.folder / f"{name}.jsonl"
        path.write_text("\n".join(lines), encoding="utf-8")
