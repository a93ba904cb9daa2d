"""How large a step may be for the calls that came."""

import pytest

from groundwire_verifier.engine.queue.pace import (
    LEAST_TOKENS,
    LONGEST_STEP_S,
    MIN_STEPS,
    REMEMBERED_S,
    STEP_SHARE,
    STRETCH,
    Pace,
)

MOST, BLOCK = 2048, 32
FIXED_S, TOKEN_S = 0.05, 0.001


def of_speed(fixed_s: float = FIXED_S, token_s: float = TOKEN_S, steps: int = 20) -> Pace:
    pace = Pace(MOST, BLOCK)
    for step in range(steps):
        tokens = 40 + 17 * (step % 9)
        pace.took(tokens, fixed_s + token_s * tokens)
    return pace


def test_without_steps_nothing_is_known_and_nothing_held_back() -> None:
    pace = of_speed(steps=MIN_STEPS - 1)
    pace.arrived(0.6, 0.0)
    assert pace.tokens(0.0) == MOST


@pytest.mark.parametrize("slack_s", [0.6, 0.9, 2.1])
def test_a_step_takes_its_share_of_what_a_call_can_wait_for(slack_s: float) -> None:
    pace = of_speed()
    pace.arrived(slack_s, 0.0)
    tokens = pace.tokens(0.0)
    assert tokens % BLOCK == 0
    assert FIXED_S + TOKEN_S * tokens <= STEP_SHARE * slack_s
    assert FIXED_S + TOKEN_S * (tokens + BLOCK) > STEP_SHARE * slack_s


def test_the_most_urgent_call_counts() -> None:
    pace, alone = of_speed(), of_speed()
    for slack_s in (6.9, 0.6, 2.1):
        pace.arrived(slack_s, 0.0)
    alone.arrived(0.6, 0.0)
    assert pace.tokens(1.0) == alone.tokens(1.0)


def test_a_call_is_forgotten_after_a_while() -> None:
    pace = of_speed()
    pace.arrived(0.6, 0.0)
    pace.arrived(2.1, 5.0)
    early = pace.tokens(REMEMBERED_S - 1)
    assert early < pace.tokens(REMEMBERED_S + 1) < pace.tokens(2 * REMEMBERED_S)


def test_a_slow_engine_still_gets_something() -> None:
    pace = of_speed(fixed_s=1.0, token_s=0.1)
    pace.arrived(0.6, 0.0)
    assert pace.tokens(0.0) == LEAST_TOKENS


def test_an_engine_that_becomes_slower_gets_less() -> None:
    pace = of_speed()
    pace.arrived(0.6, 0.0)
    before = pace.tokens(0.0)
    for step in range(60):
        tokens = 40 + 17 * (step % 9)
        pace.took(tokens, 2 * (FIXED_S + TOKEN_S * tokens))
    assert pace.tokens(0.0) < before


@pytest.mark.parametrize(
    ("slack_s", "share", "stretched"),
    [(0.6, 1.5, True), (0.6, STRETCH + 0.1, False), (2.1, 1.5, False)],
)
def test_a_step_is_stretched_to_answer_the_most_urgent_call(
    slack_s: float, share: float, stretched: bool
) -> None:
    pace = of_speed()
    pace.arrived(0.6, 0.0)
    tokens = pace.tokens(0.0)
    wanted = round(share * tokens)
    assert pace.stretched(tokens, wanted, slack_s, 0.0) == (wanted if stretched else tokens)


def test_a_step_is_never_stretched_beyond_the_engines_limit() -> None:
    pace = Pace(100, BLOCK)
    pace.arrived(0.6, 0.0)
    assert pace.stretched(100, 150, 0.6, 0.0) == 100


def test_a_step_that_took_too_long_makes_the_next_one_shorter_where_nobody_waits() -> None:
    pace = of_speed()
    pace.took(MOST, 4 * LONGEST_STEP_S)
    assert pace.tokens(0.0) == MOST // 4


def test_steps_that_get_slower_in_a_long_context_stay_at_the_bound() -> None:
    pace, lasted = of_speed(), []
    for computed in range(0, 100_000, 5_000):
        tokens = pace.tokens(0.0)
        lasted.append(tokens * TOKEN_S * (1 + computed / 5_000))
        pace.took(tokens, lasted[-1])
    assert max(lasted) <= 2 * LONGEST_STEP_S + MOST * TOKEN_S
    assert lasted[-1] <= 1.1 * LONGEST_STEP_S
