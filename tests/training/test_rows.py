"""The parts of the shared data: no context in two of them, and no row lost."""

import json
from pathlib import Path

import pytest

from training.rows import HELD_OUT_ONE_IN, PARTS, read_rows
from training.sets import DATA_SETS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Each set with 240 rows on 120 contexts, a third of them dev; hebnli in two languages."""
    for name, below in ((data_set.name, data_set.folder) for data_set in DATA_SETS):
        lines = []
        for i in range(240):
            context = f"{name} context {i // 2}"
            hebrew = {"context_en": f"en {context}", "claim_en": f"en claim {i}"}
            meta = {**hebrew, "label3": "neutral"} if name == "hebnli" else {}
            row = {"context": context, "claim": f"claim {i}", "label": i % 2, "meta": meta}
            lines.append(json.dumps(row | {"split": "dev" if i // 2 % 3 == 0 else "train"}))
        (tmp_path / below).mkdir(exist_ok=True)
        (tmp_path / below / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def test_no_two_parts_share_a_context_and_no_row_is_lost(folder: Path) -> None:
    parts = {part: read_rows(folder, part) for part in PARTS}
    assert sum(map(len, parts.values())) == 240 * (len(DATA_SETS) + 1)
    contexts = [{(row.source, row.context) for row in rows} for rows in parts.values()]
    assert sum(map(len, contexts)) == len(set.union(*contexts))


def test_a_small_part_of_the_train_split_is_held_out(folder: Path) -> None:
    train, held_out = (len(read_rows(folder, part)) for part in ("train", "held-out"))
    assert held_out / (train + held_out) == pytest.approx(1 / HELD_OUT_ONE_IN, abs=0.04)


def test_both_languages_of_a_pair_are_in_the_same_part(folder: Path) -> None:
    for part in PARTS:
        rows = read_rows(folder, part)
        hebrew = {row.context for row in rows if row.source == "hebnli"}
        english = {row.context for row in rows if row.source == "hebnli_en"}
        assert {f"en {context}" for context in hebrew} == english
