"""The values of features, on texts whose words can be counted by hand."""

import numpy as np
import pytest

from groundwire_verifier.numbers.calibration import Calibration, Platt
from groundwire_verifier.numbers.features import Feature
from groundwire_verifier.text_features import features_of, shifts_nats

EVIDENCE = "The tower stands in Paris. It was built by Gustave Eiffel in 1889."


def value(feature: Feature, claim: str, evidence: str = EVIDENCE) -> float:
    return float(features_of([feature], [(claim, evidence)])[0, 0])


def test_every_feature_has_a_finite_value_even_of_empty_texts() -> None:
    assert np.isfinite(features_of(list(Feature), [("", ""), ("A claim.", "")])).all()


def test_words_count_by_their_stems_and_stop_words_do_not() -> None:
    assert value(Feature.COVERAGE, "A tower is standing in the Paris of 1889") == 1.0
    assert value(Feature.COVERAGE, "Towers burn") == 0.5


def test_the_words_of_one_sentence_count_and_not_those_of_two() -> None:
    assert value(Feature.SENTENCE_COVERAGE, "The tower was built by Eiffel") == pytest.approx(2 / 3)
    assert value(Feature.COVERAGE, "The tower was built by Eiffel") == 1.0


def test_hebrew_words_count_without_their_prefixes() -> None:
    assert value(Feature.SENTENCE_COVERAGE, "המגדל עומד בפריז", "מגדל גבוה עומד. פריז.") == (
        pytest.approx(2 / 3)
    )
    assert value(Feature.HEBREW, "המגדל עומד בפריז") == 1.0
    assert value(Feature.HEBREW, "The tower stands in Paris") == 0.0


def test_a_name_is_a_word_with_a_capital_letter_that_is_not_the_first() -> None:
    assert value(Feature.NAME_COVERAGE, "Towers by Gustave Brunel") == 0.5
    assert value(Feature.NAME_COVERAGE, "Brunel built it") == 1.0


def test_values_that_the_evidence_does_not_state_are_counted_up_to_two() -> None:
    assert value(Feature.UNSTATED_VALUES, "Built in 1889") == 0.0
    assert value(Feature.UNSTATED_VALUES, "Built in 1850") == 1.0
    assert value(Feature.UNSTATED_VALUES, "Built in 1850, 1851 and 1852") == 2.0


def test_of_a_question_the_answer_counts_unless_it_is_a_bare_yes() -> None:
    assert value(Feature.COVERAGE, "Question: Who burnt Rome? Answer: Gustave Eiffel") == 1.0
    assert value(Feature.COVERAGE, "Question: Who burnt Paris? Answer: yes") == pytest.approx(1 / 3)
    assert value(Feature.QUESTION_FORM, "Question: Who burnt Paris? Answer: yes") == 1.0
    assert value(Feature.QUESTION_FORM, "Nero burnt Rome.") == 0.0


def test_lengths_are_logarithms() -> None:
    assert value(Feature.EVIDENCE_LENGTH, "x", "y" * 99) == pytest.approx(np.log(100))
    assert value(Feature.CLAIM_LENGTH, "Rome burnt, and Rome burnt") == pytest.approx(np.log(3))


def test_a_shift_is_the_sum_of_weights_times_values() -> None:
    weights = {Feature.COVERAGE: 2.0, Feature.UNSTATED_VALUES: -0.5}
    calibration = Calibration(Platt(1.0, 0.0), 20, "some", weights=weights)
    shifts = shifts_nats(calibration, [("Towers burn in 1850", EVIDENCE), ("Tower", EVIDENCE)])
    assert shifts == pytest.approx([2 / 3 - 0.5, 2.0])
