"""Sampled answers, counted."""

import math

import pytest

from groundwire_verifier.domain.types import Label
from groundwire_verifier.engine.endpoints.backend import count_labels, label_of
from groundwire_verifier.numbers.intervals import wilson


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("YES", Label.YES),
        ("  yes.", Label.YES),
        ("**Yes**, since", Label.YES),
        ("No", Label.NO),
        ('"NO"', Label.NO),
        ("Unsure", Label.UNSURE),
        ("Nope", None),
        ("Not at all", None),
        ("I think yes", None),
        ("", None),
        ("42", None),
        ("כן", None),
    ],
)
def test_an_answer_counts_for_the_label_that_it_begins_with(
    answer: str, label: Label | None
) -> None:
    assert label_of(answer) is label


def test_the_probability_is_the_center_of_the_interval_of_wilson() -> None:
    nats, bounds = count_labels(["YES"] * 6 + ["NO"] * 2)
    assert bounds.probability == wilson(6, 8)
    yes, no = math.exp(nats.yes), math.exp(nats.no)
    assert yes / (yes + no) == pytest.approx(wilson(6, 8).center)
    assert bounds.samples == 8


def test_an_answer_without_a_label_takes_label_mass_and_is_not_no() -> None:
    nats, bounds = count_labels(["YES"] * 6 + ["perhaps"] * 2)
    assert bounds.probability == wilson(6, 6)
    assert math.exp(nats.yes) + math.exp(nats.no) == pytest.approx(6 / 8)
    assert bounds.label_mass == wilson(6, 8)


def test_answers_without_any_label_have_no_mass_on_either() -> None:
    nats, bounds = count_labels(["perhaps"] * 8)
    assert (nats.yes, nats.no) == (-math.inf, -math.inf)
    assert bounds.label_mass.low == 0.0


def test_unsure_has_its_share() -> None:
    nats, _ = count_labels(["UNSURE"] * 3 + ["NO"])
    assert math.exp(nats.unsure) == pytest.approx(0.75)
