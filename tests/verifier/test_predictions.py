"""What past calls say of the time of the next ones."""

import pytest

from groundwire_verifier.scheduling.predictions import MIN_CALLS, REMEMBERED, Predictions


def after(*ratios: float) -> Predictions:
    predictions = Predictions()
    for ratio in ratios:
        predictions.record(2.0, 2.0 * ratio)
    return predictions


def test_without_calls_it_is_what_was_computed() -> None:
    predictions = after(*[3.0] * (MIN_CALLS - 1))
    assert predictions.likely_s(2.0) == predictions.needed_s(2.0, dear=True) == 2.0


def test_it_follows_the_middle_of_the_last_calls() -> None:
    predictions = after(*[9.0] * 10, *[1.5] * REMEMBERED)
    assert predictions.likely_s(2.0) == pytest.approx(3.0)


def test_few_calls_take_longer_than_is_cautious() -> None:
    ratios = [1.0 + i / 50 for i in range(50)]
    factor = after(*ratios).needed_s(2.0, dear=True) / 2.0
    assert sum(ratio > factor for ratio in ratios) <= 10


def test_caution_never_takes_less_than_what_was_computed() -> None:
    assert after(*[0.5] * 20).needed_s(2.0, dear=True) == 2.0


def test_a_caller_who_left_late_counts_as_long_as_it_waited() -> None:
    predictions = after(*[1.0] * MIN_CALLS)
    for _ in range(REMEMBERED):
        predictions.record_given_up(2.0, 4.0)
    assert predictions.needed_s(2.0, dear=True) == pytest.approx(4.0)


def test_a_caller_who_left_early_says_nothing() -> None:
    predictions = after(*[1.0] * MIN_CALLS)
    for _ in range(REMEMBERED):
        predictions.record_given_up(2.0, 0.1)
    assert predictions.likely_s(2.0) == pytest.approx(2.0)


def test_the_error_is_that_of_what_was_likely() -> None:
    predictions = after(*[2.0] * 30)
    before_s = predictions.absolute_error_s
    predictions.record(2.0, 4.0)
    assert predictions.absolute_error_s == pytest.approx(before_s)
    assert predictions.calls == 31


def test_long_calls_say_nothing_of_short_ones() -> None:
    predictions = after(*[3.0] * 50)
    assert predictions.needed_s(0.2, dear=True) == 0.2


def test_a_cheap_call_needs_what_is_likely_while_none_ends_late() -> None:
    predictions = after(*[1.0 + i / 50 for i in range(50)])
    assert predictions.needed_s(2.0, dear=False) == predictions.likely_s(2.0)


def test_the_more_calls_end_late_the_more_a_cheap_one_needs() -> None:
    predictions = after(*[1.0 + i / 100 for i in range(100)])
    needed_s = [predictions.needed_s(2.0, dear=False)]
    for _ in range(2):
        for _ in range(5):
            predictions.record_given_up(2.0, 4.0)
        needed_s.append(predictions.needed_s(2.0, dear=False))
    assert needed_s == sorted(set(needed_s))
