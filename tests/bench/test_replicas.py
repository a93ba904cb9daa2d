"""The simulation of many servers: what its ways have to differ in, whatever the figures."""

import pytest

from bench.replicas.simulation import WAYS, Figures, simulate

SERVERS, SKEW, CALLS_EACH = 16, 1.1, 60
TURNS, CONTEXT, *_, BOUNDED = WAYS


@pytest.fixture(scope="module")
def figures() -> dict[str, Figures]:
    """Of the same calls, by way."""
    return {
        way: simulate(SERVERS, SKEW, way, make(), CALLS_EACH)
        for way, make in (TURNS, CONTEXT, BOUNDED)
    }


def test_calls_by_context_find_more_prefixes_than_calls_by_turns(
    figures: dict[str, Figures],
) -> None:
    hits = [figures[way].hit_rate for way, _ in (TURNS, BOUNDED, CONTEXT)]
    assert hits == sorted(hits)
    assert hits[0] < hits[1]


def test_a_bound_keeps_the_busiest_server_near_the_others(figures: dict[str, Figures]) -> None:
    assert figures[BOUNDED[0]].imbalance < figures[CONTEXT[0]].imbalance


def test_the_same_calls_give_the_same_figures(figures: dict[str, Figures]) -> None:
    way, make = BOUNDED
    assert simulate(SERVERS, SKEW, way, make(), CALLS_EACH) == figures[way]
