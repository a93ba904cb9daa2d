"""Scores of answers, and what is lost between two, on answers made for this."""

from dataclasses import replace

import numpy as np
import pytest

from bench.tools.labelled import MEAN_SETS
from groundwire_training.embedded.ablate import WHOLE, compare, runs, table
from groundwire_training.embedded.scores import Answers, lost, scores
from groundwire_training.learning.packing import LABELS
from groundwire_verifier.domain.types import Label

YES, NO = LABELS.index(Label.YES), LABELS.index(Label.NO)
EACH = 20


def answers(wrong: int = 0) -> Answers:
    """Of each set 20 gold rows, each in a context of its own, and 20 edits, the first few wrong."""
    names = np.repeat(np.array(["gold", "edit"]), EACH * len(MEAN_SETS))
    sources = np.tile(np.repeat(np.array(MEAN_SETS), EACH), 2)
    right = np.where(np.arange(len(names)) % 2 == 0, YES, NO)
    said = right.copy()
    at = (np.arange(len(names)) % EACH) < wrong
    said[at] = np.where(right[at] == YES, NO, YES)
    nats = np.full((len(names), len(LABELS)), -3.0)
    nats[np.arange(len(names)), said] = -0.5
    contexts = np.tile(np.arange(EACH * len(MEAN_SETS)), 2)
    return Answers(nats, right, names, sources, contexts)


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


def test_answers_have_lost_nothing_against_themselves() -> None:
    found = lost(answers(wrong=4), answers(wrong=4), ["edit"])
    for each in (found.mean_auroc, found.right["edit"], found.loss_nats):
        assert (each.value, each.low, each.high) == (0.0, 0.0, 0.0)


def test_what_is_lost_is_positive_with_an_interval_around_it() -> None:
    found = lost(answers(wrong=4), answers(), ["edit"])
    for each in (found.mean_auroc, found.right["edit"]):
        assert each.low is not None
        assert each.high is not None
        assert 0.0 < each.low < 0.2 < each.high
        assert each.value == pytest.approx(0.2)


def test_answers_that_are_less_often_right_cost_more() -> None:
    found = lost(answers(wrong=4), answers(), ["edit"])
    assert found.loss_nats.value == pytest.approx(0.2 * (3.0 - 0.5))


def test_an_ingredient_that_is_not_asked_about_has_lost_nothing_known() -> None:
    assert lost(answers(wrong=4), answers(), ["sentence"]).right == {}


def test_what_follows_from_an_ingredient_counts_as_of_it() -> None:
    made = answers(wrong=4)
    renamed = np.where(made.ingredients == "edit", "sentence-edit", made.ingredients)
    assert scores(replace(made, ingredients=renamed)).asked["sentence"] == EACH * len(MEAN_SETS)


def test_the_table_has_a_line_for_each_run() -> None:
    found = {WHOLE: answers(), "edit": answers(wrong=4)}
    text = table(compare(found, runs(["edit"], [])))
    assert "| whole recipe | 1.000 | +0.000 (+0.000 to +0.000) |" in text
    assert "| edit | 0.800 | +0.200 (" in text
    assert "| 100 | 0.80 | 1.00 | +0.200 (" in text


def test_the_table_has_a_line_for_each_ingredient_that_was_left_out_with_others() -> None:
    made = answers(wrong=4)
    half = np.where(np.arange(len(made.ingredients)) % 2 == 0, made.ingredients, "stance")
    without, whole = (replace(answers(wrong=n), ingredients=half) for n in (4, 0))
    found = {WHOLE: whole, "edit and stance": without}
    text = table(compare(found, runs([], ["edit", "stance"])))
    assert "| of these edit |  |  |  |  | 50 | 0.80 | 1.00 | +0.200 (" in text
    assert "| of these stance |  |  |  |  | 100 | 0.80 | 1.00 | +0.200 (" in text
