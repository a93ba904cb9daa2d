"""`python -m training.evaluate --run DIR`: score a run's adapter without a server.

For ablations, where many adapters are compared: it reads the very prompts that the server sends,
with the training's batches, and takes a quarter of `bench.quality`'s time, which is what counts
for an adapter that ships. Knows rows and scores. Does not know calibration.
"""

import argparse
import json
import random
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch

from bench.common import data_file
from training.embedded import base_model, prompts_of
from training.learner import Learner
from training.packing import LABELS, batches, pack
from training.rows import PARTS, Row, by_context, read_rows
from training.trees import Leaf, Tree
from verifier.metrics import auroc, balanced_accuracy
from verifier.types import Label

MAX_TOKENS = 4000
SEED = 5
Scores = dict[str, dict[str, float]]


def main() -> int:
    """Score and print JSON: of each set AUROC, balanced accuracy at .5, label mass and rows."""
    parser = argparse.ArgumentParser(prog="python -m training.evaluate", description=__doc__)
    parser.add_argument("--run", type=Path, required=True, metavar="DIR", help="a run's folder")
    parser.add_argument("--part", choices=PARTS, default="dev")
    parser.add_argument("--contexts", type=int, metavar="N", help="at most N contexts of each set")
    arguments = parser.parse_args()
    rows = read_rows(data_file("fm2.jsonl").parent, arguments.part)
    scores = evaluate(arguments.run / "adapter", rows, arguments.contexts)
    print(json.dumps(scores, indent=2))
    return 0


def evaluate(adapter: Path, rows: list[Row], contexts: int | None) -> Scores:
    """The figures of each set, by name."""
    base = base_model()
    encoder, forms = prompts_of(base)
    learner = Learner(base, forms, adapter)
    packed, sources = [], []
    for group in _chosen(rows, contexts):
        leaves = tuple(Leaf(row.claim, _label(row), row.source) for row in group)
        tree = pack(Tree(group[0].context, leaves, group[0].source), encoder)
        if tree is not None:
            packed.append(tree)
            sources += [row.source for row in group]
    read: list[torch.Tensor] = []
    answers: list[torch.Tensor] = []
    with torch.inference_mode():
        for batch in batches(packed, MAX_TOKENS):
            read.append(learner.label_nats(batch).cpu())
            answers.append(batch.answers)
    nats = torch.cat(read).double().numpy()
    supported = torch.cat(answers).numpy() == LABELS.index(Label.YES)
    return _figures(nats, supported, np.array(sources))


def _chosen(rows: list[Row], contexts: int | None) -> list[list[Row]]:
    by_set: dict[str, list[list[Row]]] = defaultdict(list)
    for group in by_context(rows):
        by_set[group[0].source].append(group)
    rng = random.Random(SEED)
    return [
        group
        for groups in by_set.values()
        for group in (
            groups if contexts is None else rng.sample(groups, min(contexts, len(groups)))
        )
    ]


def _label(row: Row) -> Label:
    return Label.YES if row.supported else Label.NO


def _figures(nats: np.ndarray, supported: np.ndarray, sources: np.ndarray) -> Scores:
    mass = np.exp(nats[:, :2]).sum(axis=1)
    p1 = np.exp(nats[:, 0]) / mass
    found: Scores = {}
    for source in dict.fromkeys(sources.tolist()):
        at = sources == source
        found[source] = {
            "auroc": float(auroc(p1[at], supported[at])),
            "balanced_accuracy": float(balanced_accuracy(p1[at] >= 0.5, supported[at])),
            "label_mass": float(mass[at].mean()),
            "rows": int(at.sum()),
        }
    return found


if __name__ == "__main__":
    sys.exit(main())
