"""Scores of answers that are made for this."""

from dataclasses import replace

import numpy as np
import pytest

from bench.tools.labelled import MEAN_SETS
from groundwire_training.embedded.scores import Answers, scores
from groundwire_training.learning.packing import LABELS
from groundwire_verifier.domain.types import Label

YES, NO = LABELS.index(Label.YES), LABELS.index(Label.NO)
EACH = 20


def answers(wrong: int = 0) -> Answers:
    """Of each set 20 gold rows and 20 edits, the first few wrong."""
    names = np.repeat(np.array(["gold", "edit"]), EACH * len(MEAN_SETS))
    sources = np.tile(np.repeat(np.array(MEAN_SETS), EACH), 2)
    right = np.where(np.arange(len(names)) % 2 == 0, YES, NO)
    said = right.copy()
    at = (np.arange(len(names)) % EACH) < wrong
    said[at] = np.where(right[at] == YES, NO, YES)
    nats = np.full((len(names), len(LABELS)), -3.0)
    nats[np.arange(len(names)), said] = -0.5
    return Answers(nats, right, names, sources)


def test_answers_that_are_all_right_have_the_best_scores() -> None:
    found = scores(answers())
    assert found.mean_auroc == 1.0
    assert found.right == {"edit": 1.0, "gold": 1.0}
    assert found.loss_nats == pytest.approx(0.5)
    assert found.rows == dict.fromkeys(MEAN_SETS, EACH)
    assert found.label_mass == pytest.approx(np.exp(-0.5) + np.exp(-3.0))


def test_wrong_answers_cost_what_they_are_among_all() -> None:
    found = scores(answers(wrong=4))
    assert found.right["edit"] == pytest.approx(0.8)
    assert found.mean_auroc == pytest.approx(0.8)


def test_what_follows_from_an_ingredient_counts_as_of_it() -> None:
    made = answers(wrong=4)
    renamed = np.where(made.ingredients == "edit", "sentence-edit", made.ingredients)
    assert scores(replace(made, ingredients=renamed)).asked["sentence"] == EACH * len(MEAN_SETS)
