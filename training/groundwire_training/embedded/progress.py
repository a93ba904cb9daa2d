"""How adapters do on dev rows of all sets while they are trained: one line a checkpoint.

A fixed, balanced choice of rows, each on its whole context, read in the training's own process.
"""

import json
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from groundwire_training.data.rows import Row, by_context
from groundwire_training.embedded.scores import GOLD, Answers, scores
from groundwire_training.embedded.sets import DATA_SETS
from groundwire_training.examples.trees import Tree, ask
from groundwire_training.learning.learner import Learner
from groundwire_training.learning.packing import Packed, batches, pack
from groundwire_verifier.domain.prompts import PromptEncoder

TABLE = "dev.jsonl"
ROWS_OF_A_SET, ROWS_OF_A_CONTEXT = 40, 6
MAX_TOKENS = 4000
SEED = 9


def dev_rows(rows: Sequence[Row]) -> list[Row]:
    """Some rows of each set, half of them supported where the set has so many.

    A few of each context, so that few contexts do not stand for a set; the same for the same rows.
    """
    by_set: dict[str, list[list[Row]]] = defaultdict(list)
    for group in by_context(rows):
        by_set[group[0].source].append(group)
    chosen: list[Row] = []
    for data_set in DATA_SETS:
        groups, rng = by_set[data_set.name], random.Random(SEED)
        rng.shuffle(groups)
        drawn = [
            row
            for group in groups
            for row in rng.sample(group, k=min(len(group), ROWS_OF_A_CONTEXT))
        ]
        for supported in (True, False):
            alike = [row for row in drawn if row.supported is supported]
            chosen += alike[: ROWS_OF_A_SET // 2]
    return chosen


class Dev:
    """The dev rows as tokens, and the table that their scores are written to."""

    def __init__(self, rows: Sequence[Row], encoder: PromptEncoder, folder: Path) -> None:
        """The table lies in the run's folder."""
        self._table = folder / TABLE
        self._packed: list[tuple[str, Packed]] = []
        for group in by_context(dev_rows(rows)):
            leaves = tuple(ask(row.claim, row.supported, GOLD) for row in group)
            packed = pack(Tree(group[0].context, leaves, group[0].source), encoder)
            if packed is not None:
                self._packed.append((group[0].source, packed))

    def tokens_scored(self) -> int | None:
        """The tokens that the last scored adapter had learnt from; None before the first."""
        if not self._table.exists():
            return None
        lines = self._table.read_text(encoding="utf-8").splitlines()
        return int(json.loads(lines[-1])["tokens"]) if lines else None

    def score(
        self, learner: Learner, tokens: int, trained_s: float, ended: Callable[[], bool]
    ) -> dict[str, object] | None:
        """Score and write a line of the table, which it returns; None if `ended` while reading."""
        read: list[torch.Tensor] = []
        with torch.inference_mode():
            for batch in batches([packed for _, packed in self._packed], MAX_TOKENS):
                if ended():
                    return None
                read.append(learner.label_nats(batch).cpu())
        found = scores(self._answers(torch.cat(read)))
        entry: dict[str, object] = {
            "tokens": tokens,
            "trained_s": round(trained_s),
            "mean_auroc": round(found.mean_auroc, 4),
            "mean_auroc_all": round(float(np.mean(list(found.auroc.values()))), 4),
            "loss_nats": round(found.loss_nats, 4),
            "right": round(found.right[GOLD], 4),
            "auroc": {name: round(value, 3) for name, value in found.auroc.items()},
        }
        with self._table.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        return entry

    def _answers(self, nats: torch.Tensor) -> Answers:
        each = [
            (source, packed, answer) for source, packed in self._packed for answer in packed.answers
        ]
        return Answers(
            nats=nats.double().numpy(),
            right=np.array([answer for *_, answer in each]),
            ingredients=np.array([GOLD] * len(each)),
            sources=np.array([source for source, *_ in each]),
        )
