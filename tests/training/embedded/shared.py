"""Small files in the form of the shared data, made for a test."""

import json
from pathlib import Path

from bench.tools.written.twins import HEADED, PLAIN, TWINS_FILE
from groundwire_training.embedded.sets import DATA_SETS


def write_data(folder: Path, rows: int, rows_of_a_context: int = 2) -> None:
    """Each set with so many rows, a third of its contexts dev; hebnli in two languages."""
    for data_set in DATA_SETS:
        name = data_set.name
        if name in (HEADED, PLAIN):
            continue
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
    write_answers(folder, rows // rows_of_a_context, rows_of_a_context)


def write_answers(folder: Path, answers: int, rows_of_an_answer: int = 2) -> None:
    """So many answers with two sources each; of one row, a sentence that is its own twin."""
    lines = []
    for number in range(answers):
        said = [f"The tower of town {number} is {i + 3} m tall [S0]." for i in range(20)]
        right, wrong = said[0:rows_of_an_answer:2], said[1:rows_of_an_answer:2] or said[:1]
        sources = [
            {"id": "S0", "title": f"Town {number}", "text": f"The tower of town {number}."},
            {"id": "S1", "title": "", "text": f"The harbour of town {number}."},
        ]
        answer = {
            "id": f"twins-{number}", "split": "dev" if number % 3 == 0 else "train", "lang": "en",
            "domain": "towns", "question": "How tall is it?" if number % 2 else "",
            "sources": sources,
            "pairs": [[a, b, "C", "NUMBER"] for a, b in zip(right, wrong, strict=True)],
        }  # fmt: skip
        lines.append(json.dumps(answer))
    path = folder / TWINS_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")
