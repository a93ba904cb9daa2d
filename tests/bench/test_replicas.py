"""The simulation of many servers: what its ways have to differ in, whatever the figures. And from
when on the goodput of a load counts as back."""

import pytest

from bench.replicas.outages import Done, back_after_s
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


def load(late: range) -> list[Done]:
    """Four calls a second for ten seconds; those of the seconds in `late` take long."""
    return [Done(i / 4, 9.0 if i // 4 in late else 0.1, "", 0.0) for i in range(41)]


def test_goodput_is_back_when_the_last_bad_second_is_over() -> None:
    assert back_after_s(load(range(4, 7)), event_s=2.0) == pytest.approx(5.75)


def test_goodput_that_was_never_bad_is_back_at_once() -> None:
    assert back_after_s(load(range(0)), event_s=2.0) == 0.0


def test_goodput_that_is_bad_at_the_end_is_not_back() -> None:
    assert back_after_s(load(range(8, 11)), event_s=2.0) is None
