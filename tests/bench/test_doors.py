"""The bench of the doors: every door answers, and costs are counted from gRPC's."""

import pytest

from bench.doors.http import DOORS, Served, costs, measure, table
from tests.server.http.door import http_server


async def test_every_door_is_called_as_often() -> None:
    async with http_server() as door:
        served = Served(door.served.running.target, f"http://{door.target}")
        found = await measure(served, 2)
        claims = len(door.served.engine.claims)
    assert [cost.door for cost in found] == [door.name for door in DOORS]
    assert [cost.n for cost in found] == [2] * len(DOORS)
    assert claims % len(DOORS) == 0


def test_what_a_door_adds_is_by_the_median_of_grpc() -> None:
    taken_s = [[0.001, 0.002, 0.009], *([0.004, 0.005, 0.006] for _ in DOORS[1:])]
    first, second, *_ = costs(taken_s)
    assert first.added_s == 0.0
    assert (second.p50_s, second.p95_s) == (0.005, 0.006)
    assert second.added_s == pytest.approx(0.003)
    assert "| +3.0 ms |" in table([second])
