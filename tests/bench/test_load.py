"""What the load bench makes of its samples, and the traffic that it sends."""

from collections.abc import Sequence
from typing import cast

import pytest

from bench.load import (
    MIXES,
    OK,
    Mix,
    Sample,
    Step,
    Sweep,
    Traffic,
    step_of,
)
from bench.tools.corpus import Corpus

MIXED = next(mix for mix in MIXES if mix.name == "mixed")


class Numbered:
    """Stands for the corpus: contexts and claims are numbers."""

    def __init__(self) -> None:
        self.handed_out = 0

    def context(self, tokens: int) -> str:
        self.handed_out += 1
        return f"{self.handed_out}: {tokens} tokens"

    def claims(self, count: int) -> list[str]:
        return [f"claim {i}" for i in range(count)]


def traffic(
    mix: Mix = MIXED, *, warm: bool = False, lengths: Sequence[int] = (100, 300)
) -> Traffic:
    return Traffic(cast(Corpus, Numbered()), mix, warm=warm, lengths=lengths)


def sample(latency_s: float = 0.1, outcome: str = OK, claims: int = 1) -> Sample:
    return Sample(0.0, claims, 100, 0.5 + 0.1 * claims, latency_s, outcome, 100, 60)


def step(rate: float, attained: float) -> Step:
    met = round(100 * attained)
    samples = [sample()] * met + [sample(9.0)] * (100 - met)
    return step_of(rate, 100 / rate, samples)


def test_calls_arrive_at_the_rate_in_the_mean() -> None:
    arrivals = traffic().arrivals(5.0, 400.0, seed=1)
    assert len(arrivals) == pytest.approx(2000, rel=0.1)
    assert all(0.0 <= arrival.at_s < 400.0 for arrival in arrivals)


def test_cold_calls_share_no_context() -> None:
    arrivals = traffic().arrivals(5.0, 60.0, seed=1)
    assert len({arrival.context for arrival in arrivals}) == len(arrivals)


def test_warm_calls_draw_from_what_was_warmed_up() -> None:
    warm = traffic(warm=True)
    known = {context for context, _ in warm.to_warm_up()}
    assert {arrival.context for arrival in warm.arrivals(5.0, 60.0, seed=1)} <= known


@pytest.mark.parametrize(
    ("one", "met"),
    [
        (sample(0.59), True),
        (sample(0.61), False),
        (sample(0.61, claims=4), True),
        (sample(0.01, "QUEUE_FULL"), False),
    ],
)
def test_a_call_has_to_be_answered_within_its_target(one: Sample, met: bool) -> None:
    assert one.met is met


def test_refused_calls_are_misses_without_a_latency() -> None:
    found = step_of(2.0, 10.0, [sample(0.2)] * 15 + [sample(0.001, "QUEUE_FULL")] * 5)
    assert (found.attained, found.goodput) == (0.75, 1.5)
    assert found.quantiles_s["p50"] == 0.2
    assert found.outcomes == {"OK": 15, "QUEUE_FULL": 5}


def test_the_knee_is_the_highest_rate_that_holds() -> None:
    steps = (step(1.0, 1.0), step(2.0, 0.99), step(3.0, 0.98), step(4.0, 0.3))
    knee = Sweep("groundwire", "single", False, (100,), steps).knee
    assert knee is not None
    assert knee.rate == 2.0
