"""Score a run's adapter without a server.

It makes the recipe's questions from rows that were not learnt from, and reads them as the server's
prompts in the training's batches, to compare many adapters. With `--assessment` it asks the
questions of common sense about the labelled exchanges of the bench instead. What counts for an
adapter that ships is `bench.quality`, and `bench.cases assessment`.
"""

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch

from bench.tools.assessment import HELD_OUT
from bench.tools.assessment.figures import concern_figures, concern_table
from bench.tools.common import data_file
from groundwire_training.base import prompts_of
from groundwire_training.data.rows import Row, by_context
from groundwire_training.embedded.choice import Choice, add_choice
from groundwire_training.embedded.rows import PARTS, read_rows
from groundwire_training.embedded.scores import Answers, scores
from groundwire_training.examples.assessment import tree_of
from groundwire_training.examples.cases import AssessmentCase, read_cases
from groundwire_training.examples.recipe import Recipe, epoch
from groundwire_training.examples.trees import Tree
from groundwire_training.learning.learner import Learner
from groundwire_training.learning.packing import LABELS, Packed, batches, pack
from groundwire_verifier.checks.assessment.common_sense import CONCERNS, CommonSense
from groundwire_verifier.domain.types import Label
from groundwire_verifier.numbers.metrics import Floats

MAX_TOKENS = 4000
SEED = 5
FLAGGED_FROM = 0.5


def main() -> int:
    """Score and print JSON."""
    parser = argparse.ArgumentParser(
        prog="python -m groundwire_training.embedded.evaluate", description=__doc__
    )
    add_choice(parser)
    parser.add_argument("--run", type=Path, required=True, metavar="DIR", help="a run's folder")
    parser.add_argument("--part", choices=PARTS, default="dev")
    parser.add_argument("--rows", type=int, metavar="N", help="some N rows of each set")
    parser.add_argument(
        "--assessment", action="store_true", help="ask about the labelled exchanges"
    )
    parser.add_argument(
        "--threshold", type=float, default=FLAGGED_FROM, help="of a concern that is flagged"
    )
    arguments = parser.parse_args()
    adapter, base = arguments.run / "adapter", Choice(arguments.model, arguments.base).base()
    if arguments.assessment:
        cases = read_cases(HELD_OUT)
        found_concerns = concerns(base, adapter, cases)
        print(concern_table(concern_figures(cases, found_concerns, arguments.threshold)))
        return 0
    trees = questions(arguments.part, arguments.rows)
    found = scores(answers(base, adapter, trees))
    print(json.dumps(asdict(found), indent=2))
    return 0


def concerns(base: str, adapter: Path, cases: Sequence[AssessmentCase]) -> Floats:
    """The concern of each of these exchanges by each question, in [0, 1]: (cases, questions).

    The share of the answer that is a concern among the three labels, and half that of UNSURE.
    """
    every = (Label.UNSURE,) * len(CommonSense)
    nats = answers(base, adapter, [tree_of(replace(case, answers=every)) for case in cases]).nats
    shares = np.exp(nats).reshape(len(cases), len(CommonSense), len(LABELS))
    shares /= shares.sum(axis=2, keepdims=True)
    worrying = [LABELS.index(CONCERNS[question]) for question in CommonSense]
    own = np.stack([shares[:, i, label] for i, label in enumerate(worrying)], axis=1)
    return np.asarray(own + shares[:, :, LABELS.index(Label.UNSURE)] / 2)


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


def answers(base: str, adapter: Path, trees: Sequence[Tree]) -> Answers:
    """What the adapter in a folder of peft's says to the questions of these trees."""
    encoder, forms = prompts_of(base)
    learner = Learner(base, forms, adapter)
    kept: list[tuple[Tree, Packed]] = []
    for tree in trees:
        packed = pack(tree, encoder)
        if packed is not None:
            kept.append((tree, packed))
    read: list[torch.Tensor] = []
    with torch.inference_mode():
        for batch in batches([packed for _, packed in kept], MAX_TOKENS):
            read.append(learner.label_nats(batch).cpu())
    return Answers(
        nats=torch.cat(read).double().numpy(),
        right=np.array([answer for _, packed in kept for answer in packed.answers]),
        ingredients=np.array([name for _, packed in kept for name in packed.ingredients]),
        sources=np.array([tree.source for tree, packed in kept for _ in packed.answers]),
    )


if __name__ == "__main__":
    sys.exit(main())
