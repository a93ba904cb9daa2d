"""Labelled pairs from the shared data.

The train split has a part that is held out of training, which the shipped calibration is fitted on;
the dev split is for measuring alone.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.tools.written.twins import HEADED, PLAIN, twin_records
from groundwire_training.data.rows import Row, is_held_out
from groundwire_training.embedded.sets import DATA_SETS, HEBNLI_ENGLISH, DataSet

PARTS = ("train", "held-out", "dev")


def read_rows(folder: Path, part: str) -> list[Row]:
    """All rows of one of PARTS, in the order of the files. Raises OSError where one is missing."""
    return [
        row
        for data_set in DATA_SETS
        for record in records(folder, data_set)
        if _part(record, record["meta"]) == part
        for row in _rows(data_set, record, record["meta"])
    ]


def records(folder: Path, data_set: DataSet) -> Iterator[dict[str, Any]]:
    """The rows of a set as they are written, or made of whole answers. Raises OSError."""
    if data_set.name in (HEADED, PLAIN):
        yield from twin_records(folder, data_set.name)
        return
    with (folder / data_set.folder / f"{data_set.name}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def is_learnt(record: Mapping[str, Any]) -> bool:
    """Whether a row as it is written is one of the train rows."""
    return _part(record, record["meta"]) == "train"


def _part(record: Mapping[str, object], meta: Mapping[str, Any]) -> str:
    """By context, so that no two parts share one; both languages of a pair in the same part.

    An answer has several contexts and is in one part.
    """
    if record["split"] == "dev":
        return "dev"
    context = str(meta.get("answer", meta.get("context_en", record["context"])))
    return "held-out" if is_held_out(context) else "train"


def _rows(data_set: DataSet, record: Mapping[str, object], meta: Mapping[str, Any]) -> list[Row]:
    supported = record["label"] == 1
    row = Row(
        source=data_set.name,
        context=str(record["context"]),
        claim=str(record["claim"]),
        supported=supported,
        contradicted=_contradicted(data_set.name, supported, meta),
        cited_spans=tuple((int(a), int(b)) for a, b in meta.get("cited_spans", ())),
        language=str(meta.get("lang", data_set.language)),
        text_share=data_set.text_share,
        joins=data_set.joins or data_set.text_share > 0.0,
    )
    if data_set.name != "hebnli":
        return [row]
    english = Row(
        source=HEBNLI_ENGLISH.name,
        context=str(meta["context_en"]),
        claim=str(meta["claim_en"]),
        supported=supported,
        contradicted=row.contradicted,
        cited_spans=(),
        language=HEBNLI_ENGLISH.language,
        text_share=HEBNLI_ENGLISH.text_share,
    )
    return [row, english]


def _contradicted(name: str, supported: bool, meta: Mapping[str, Any]) -> bool | None:
    """Whether the context speaks against the claim; None where the set does not say."""
    if supported:
        return False
    if "label3" in meta:
        return bool(meta["label3"] == "contradiction")
    # Refuted by its evidence, by the set's own definition; the others only lack support.
    return True if name == "fm2" else None
