"""`python -m training.evaluate --run DIR`: score a run's adapter without a server.

For ablations, where many adapters are compared: it makes the recipe's questions from rows that
were not learnt from, and reads them as the server's prompts in the training's batches. What counts
for an adapter that ships is `bench.quality`. Knows rows and scores. Does not know calibration.
"""

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from bench.tools.common import data_file
from training.data.rows import PARTS, Row, by_context, read_rows
from training.embedded import base_model, prompts_of
from training.examples.recipe import Recipe, epoch
from training.examples.trees import Tree
from training.learning.learner import Learner
from training.learning.packing import Packed, batches, pack
from training.learning.scores import Answers, scores

MAX_TOKENS = 4000
SEED = 5


def main() -> int:
    """Score and print JSON."""
    parser = argparse.ArgumentParser(prog="python -m training.evaluate", description=__doc__)
    parser.add_argument("--run", type=Path, required=True, metavar="DIR", help="a run's folder")
    parser.add_argument("--part", choices=PARTS, default="dev")
    parser.add_argument("--rows", type=int, metavar="N", help="some N rows of each set")
    arguments = parser.parse_args()
    trees = questions(arguments.part, arguments.rows)
    found = scores(answers(arguments.run / "adapter", trees))
    print(json.dumps(asdict(found), indent=2))
    return 0


def questions(part: str, rows: int | None) -> list[Tree]:
    """The recipe's trees on one of PARTS, the same for the same arguments.

    Of contexts drawn until there are so many `rows` of each set; None takes all.
    """
    by_set: dict[str, list[list[Row]]] = defaultdict(list)
    for group in by_context(read_rows(data_file("fm2.jsonl").parent, part)):
        by_set[group[0].source].append(group)
    rng = random.Random(SEED)
    chosen: list[Row] = []
    for groups in by_set.values():
        drawn = [row for group in rng.sample(groups, len(groups)) for row in group]
        chosen += drawn[:rows]
    return epoch(chosen, Recipe(), SEED)


def answers(adapter: Path, trees: Sequence[Tree]) -> Answers:
    """What the adapter in a folder of peft's says to the questions of these trees."""
    base = base_model()
    encoder, forms = prompts_of(base)
    learner = Learner(base, forms, adapter)
    kept: list[tuple[Tree, Packed]] = []
    for tree in trees:
        packed = pack(tree, encoder)
        if packed is not None:
            kept.append((tree, packed))
    numbers = {context: i for i, context in enumerate(dict.fromkeys(t.context for t, _ in kept))}
    read: list[torch.Tensor] = []
    with torch.inference_mode():
        for batch in batches([packed for _, packed in kept], MAX_TOKENS):
            read.append(learner.label_nats(batch).cpu())
    return Answers(
        nats=torch.cat(read).double().numpy(),
        right=np.array([answer for _, packed in kept for answer in packed.answers]),
        ingredients=np.array([name for _, packed in kept for name in packed.ingredients]),
        sources=np.array([tree.source for tree, packed in kept for _ in packed.answers]),
        contexts=np.array([numbers[tree.context] for tree, packed in kept for _ in packed.answers]),
    )


if __name__ == "__main__":
    sys.exit(main())
