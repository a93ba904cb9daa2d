"""How long work takes, learnt from what took how long."""

import random

import pytest

from verifier.backends.cost_model import MIN_OBSERVATIONS, CostModel, Work

A_TOKEN_S, A_PROMPT_S = 0.001, 0.004


def drawing(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - a fixed draw


def true_s(work: Work) -> float:
    return A_PROMPT_S * work.prompts + A_TOKEN_S * work.tokens


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
        cost.observe(work, true_s(work) * draw.uniform(1 - noise, 1 + noise))
    return cost


@pytest.mark.parametrize(("noise", "apart"), [(0.0, 0.02), (0.2, 0.25)])
def test_it_finds_what_a_prompt_and_a_token_cost(noise: float, apart: float) -> None:
    cost, draw = learnt(noise), drawing(2)
    for _ in range(20):
        work = some_work(draw)
        assert cost.seconds(work) == pytest.approx(true_s(work), rel=apart)


def test_it_says_nothing_before_it_has_seen_enough() -> None:
    cost = CostModel()
    for _ in range(MIN_OBSERVATIONS - 1):
        cost.observe(Work.of(100, 100), 0.1)
    assert cost.seconds(Work.of(100, 100)) == 0.0
    cost.observe(Work.of(100, 100), 0.1)
    assert cost.ready
    assert cost.seconds(Work.of(100, 100)) == pytest.approx(0.1, rel=0.02)


def test_more_work_never_costs_less() -> None:
    cost, draw = CostModel(), drawing(3)
    for _ in range(50):
        cost.observe(some_work(draw), draw.uniform(0.01, 1.0))
    assert cost.seconds(Work.of(200, 900)) >= cost.seconds(Work.of(100, 900)) >= 0.0


def test_it_follows_a_machine_that_became_slower() -> None:
    cost, draw = learnt(0.0), drawing(4)
    for _ in range(200):
        work = some_work(draw)
        cost.observe(work, 3 * true_s(work))
    work = some_work(draw)
    assert cost.seconds(work) == pytest.approx(3 * true_s(work), rel=0.02)


def test_nothing_done_teaches_nothing() -> None:
    cost = CostModel()
    for _ in range(100):
        cost.observe(Work(), 1.0)
    assert not cost.ready
