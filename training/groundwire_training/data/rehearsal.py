"""Rows of the shipped mix, by which a verifier that goes on learning keeps what it knows.

`rehearsal.jsonl.gz` beside this file has them: ours (Apache-2.0), of all kinds and languages that
were written for the embedded verifiers. `groundwire_training.embedded.rehearsal` chooses them. Two
contexts of three are learnt from, the others measured by.
"""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from groundwire_training.data.rows import Row

FILE_NAME = "rehearsal.jsonl.gz"
SOURCE = "shipped mix"
MOST_PASSES = 2.0
"""So often at most they are learnt while the rows beside them are gone through once."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Rows to learn from, and others to measure by; no context is in both."""

    train: tuple[Row, ...]
    kept: tuple[Row, ...]


def read_rehearsal() -> Rehearsal:
    """The rows that ship."""
    packed = resources.files(__package__).joinpath(FILE_NAME).read_bytes()
    found = [json.loads(line) for line in gzip.decompress(packed).decode("utf-8").splitlines()]
    rows = {
        split: tuple(
            Row(
                source=SOURCE,
                context=each["context"],
                claim=each["claim"],
                supported=each["label"] == 1,
                contradicted=each["contradicted"],
                cited_spans=(),
                language=each["language"],
                text_share=0.0,
                joins=each["joins"],
            )
            for each in found
            if each["split"] == split
        )
        for split in ("train", "dev")
    }
    return Rehearsal(rows["train"], rows["dev"])


def rehearsal_passes(share: float, rows: Sequence[Row], rehearsed: Sequence[Row]) -> float:
    """How often `rehearsed` are learnt in a pass over `rows`, to be this share of the contexts."""
    own, others = (len({row.context for row in part}) for part in (rows, rehearsed))
    return min(MOST_PASSES, share / (1.0 - share) * own / others)
