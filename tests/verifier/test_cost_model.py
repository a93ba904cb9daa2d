"""How long work takes, learnt from what took how long."""

import math
import random

import pytest

from groundwire_verifier.scheduling.cost_model import MIN_OBSERVATIONS, STEP_TOKENS, CostModel, Work

A_TOKEN_S, A_PROMPT_S, A_STEP_S = 0.001, 0.004, 0.05


def drawing(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - a fixed draw


def steps_of(work: Work) -> int:
    return max(1, math.ceil(work.tokens / STEP_TOKENS))


def true_s(work: Work) -> float:
    return A_STEP_S * steps_of(work) + A_PROMPT_S * work.prompts + A_TOKEN_S * work.tokens


def some_work(draw: random.Random) -> Work:
    works = [
        Work.of(draw.randint(10, 600), draw.randint(600, 1200)) for _ in range(draw.randint(1, 8))
    ]
    return sum(works, Work())


def learnt(noise: float, count: int = 100) -> CostModel:
    draw = drawing(1)
    cost = CostModel()
    for _ in range(count):
        work = some_work(draw)
        cost.observe(work, steps_of(work), true_s(work) * draw.uniform(1 - noise, 1 + noise))
    return cost


@pytest.mark.parametrize(("noise", "apart"), [(0.0, 0.15), (0.2, 0.3)])
def test_it_finds_what_a_prompt_and_a_token_cost(noise: float, apart: float) -> None:
    cost, draw = learnt(noise), drawing(2)
    for _ in range(20):
        work = some_work(draw)
        assert cost.seconds(work) == pytest.approx(true_s(work), rel=apart)


def test_it_says_nothing_before_it_has_seen_enough() -> None:
    cost = CostModel()
    for _ in range(MIN_OBSERVATIONS - 1):
        cost.observe(Work.of(100, 100), 1, 0.1)
    assert cost.seconds(Work.of(100, 100)) == 0.0
    cost.observe(Work.of(100, 100), 1, 0.1)
    assert cost.ready
    assert cost.seconds(Work.of(100, 100)) == pytest.approx(0.1, rel=0.02)


def test_more_work_never_costs_less() -> None:
    cost, draw = CostModel(), drawing(3)
    for _ in range(50):
        cost.observe(some_work(draw), 1, draw.uniform(0.01, 1.0))
    assert cost.seconds(Work.of(200, 900)) >= cost.seconds(Work.of(100, 900)) >= 0.0


def test_it_follows_a_machine_that_became_slower() -> None:
    cost, draw = learnt(0.0), drawing(4)
    for _ in range(200):
        work = some_work(draw)
        cost.observe(work, steps_of(work), 3 * true_s(work))
    work = some_work(draw)
    assert cost.seconds(work) == pytest.approx(3 * true_s(work), rel=0.15)


def test_nothing_done_teaches_nothing() -> None:
    cost = CostModel()
    for _ in range(100):
        cost.observe(Work(), 1, 1.0)
    assert not cost.ready


def test_many_small_prompts_in_one_step_do_not_cost_a_step_each() -> None:
    cost = CostModel()
    for i in range(40):
        alone = i % 2 == 0
        work = sum([Work.of(20 + i % 5, 300)] * (1 if alone else 8), Work())
        cost.observe(work, 1, true_s(work))
    many = sum([Work.of(20, 300)] * 60, Work())
    assert cost.seconds(many) == pytest.approx(true_s(many), rel=0.2)
