"""What an engine's last steps say of the time of the next calls."""

import pytest

from groundwire_verifier.engine.queue.predictions import BELIEVED_S, MIN_STEPS, Predictions, Speed

MANY = 300
STEP_TOKENS = 2048


class Clock:
    """Steps, one after the other, of so many tokens at so many seconds each."""

    def __init__(self) -> None:
        self.predictions = Predictions()
        self.now_s = 50.0
        self.predictions.begin(self.now_s)

    def steps(self, count: int, token_s: float, tokens: int = 100) -> Predictions:
        for _ in range(count):
            self.now_s += tokens * token_s
            self.predictions.done(tokens, self.now_s)
        return self.predictions


def test_nothing_is_foreseen_after_few_steps() -> None:
    clock = Clock()
    assert clock.steps(MIN_STEPS - 1, 1.0).seconds(100, STEP_TOKENS) is None
    assert clock.steps(1, 1.0).seconds(100, STEP_TOKENS) == pytest.approx(100.0)


def test_nothing_is_foreseen_by_steps_that_computed_only_what_callers_left() -> None:
    clock = Clock()
    for _ in range(MANY):
        clock.now_s += 0.5
        clock.predictions.done(0, clock.now_s)
    assert clock.predictions.seconds(100, STEP_TOKENS) is None


def test_steps_without_tokens_take_a_time_each() -> None:
    speed = Speed()
    speed.took(0, 0.5)
    assert speed.step_and_token_s() == (0.5, 0.0)


def test_it_follows_the_last_steps() -> None:
    clock = Clock()
    clock.steps(MANY, 9.0)
    assert clock.steps(MANY, 1.5).seconds(2, STEP_TOKENS) == pytest.approx(3.0, rel=0.01)


def test_a_queue_is_foreseen_in_the_largest_steps_however_small_the_last_ones_were() -> None:
    clock = Clock()
    for tokens in [STEP_TOKENS] * 10 + [20, 30, 40, 50, 60] * (MANY // 5):
        clock.steps(1, (0.05 + 0.0001 * tokens) / tokens, tokens)
    assert clock.predictions.seconds(20, STEP_TOKENS) == pytest.approx(0.05 + 0.002)
    assert clock.predictions.seconds(20_000, STEP_TOKENS) == pytest.approx(10 * 0.05 + 2.0)


def test_what_several_readings_tell_of_one_step_is_one_step() -> None:
    clock = Clock()
    for step in range(MANY):
        clock.now_s += 0.05 + 0.01 * (1 + step % 5)
        for _ in range(1 + step % 5):
            clock.predictions.done(10, clock.now_s)
    assert clock.predictions.seconds(30, STEP_TOKENS) == pytest.approx(0.05 + 0.03)


def test_time_without_work_says_nothing() -> None:
    clock = Clock()
    clock.steps(MANY, 1.0)
    clock.now_s += 10_000.0
    clock.predictions.begin(clock.now_s)
    assert clock.steps(1, 1.0).seconds(1, STEP_TOKENS) == pytest.approx(1.0)


def test_what_an_engine_has_shown_gets_old_while_it_does_nothing() -> None:
    clock = Clock()
    predictions = clock.steps(MIN_STEPS, 1.0)
    assert not predictions.are_old(clock.now_s + BELIEVED_S)
    assert predictions.are_old(clock.now_s + BELIEVED_S + 0.1)


def test_it_counts_how_far_calls_were_from_what_was_foreseen() -> None:
    predictions = Predictions()
    predictions.record(200.0, 150.0)
    predictions.record(200.0, 300.0)
    counted = predictions.calls, predictions.actual_s, predictions.absolute_error_s
    assert counted == (2, 450.0, 150.0)
