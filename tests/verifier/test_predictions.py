"""What past calls say of the time of the next ones."""

import pytest

from groundwire_verifier.scheduling.predictions import DOUBTED, MIN_CALLS, Predictions

MANY = 300


def after(*seconds_a_token: float, tokens: int = 100) -> Predictions:
    predictions = Predictions()
    for seconds in seconds_a_token:
        predictions.record(tokens, None, tokens * seconds)
    return predictions


def test_nothing_is_foreseen_of_few_calls() -> None:
    assert after(*[1.0] * (MIN_CALLS - 1)).seconds(100) is None
    assert after(*[1.0] * MIN_CALLS).seconds(100) == pytest.approx(100.0)


def test_it_follows_the_last_calls() -> None:
    assert after(*[9.0] * MANY, *[1.5] * MANY).seconds(2) == pytest.approx(3.0, rel=0.01)


def test_a_long_call_counts_for_more_than_a_short_one() -> None:
    predictions = Predictions()
    for _ in range(MANY):
        predictions.record(1000, None, 1000.0)
        predictions.record(10, None, 100.0)
    assert predictions.seconds(1) == pytest.approx(1100 / 1010, rel=0.02)


def test_a_caller_who_left_late_counts_as_long_as_it_waited() -> None:
    predictions = after(*[1.0] * MIN_CALLS)
    for _ in range(MANY):
        predictions.record_given_up(100, 100.0, 400.0)
    assert predictions.seconds(1) == pytest.approx(4.0, rel=0.01)


def test_a_caller_who_left_early_says_nothing() -> None:
    predictions = after(*[1.0] * MIN_CALLS)
    for _ in range(MANY):
        predictions.record_given_up(100, 100.0, 10.0)
    assert predictions.seconds(1) == pytest.approx(1.0)


def test_only_calls_whose_time_was_foreseen_are_counted() -> None:
    predictions = after(*[2.0] * MIN_CALLS)
    assert predictions.calls == 0
    predictions.record(100, 200.0, 150.0)
    predictions.record(100, 200.0, 300.0)
    counted = predictions.calls, predictions.actual_s, predictions.absolute_error_s
    assert counted == (2, 450.0, 150.0)


def test_what_is_doubted_is_foreseen_to_take_less() -> None:
    predictions = after(*[1.0] * MIN_CALLS)
    predictions.doubt()
    assert predictions.seconds(1) == pytest.approx(DOUBTED)


def test_what_is_forgotten_foresees_nothing() -> None:
    predictions = after(*[1.0] * MIN_CALLS)
    predictions.forget()
    assert predictions.seconds(1) is None
