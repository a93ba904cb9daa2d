"""What the bench of tenants by the clock makes of its samples."""

from bench.load import OK, Sample
from bench.tools.common import describe_run
from tests.soak.tenants import LEVELS, Visit, report

_, SHARE, MORE = LEVELS


def samples(latency_s: float, outcome: str = OK, count: int = 10) -> list[Sample]:
    return [Sample(0.0, 1, 300, 0.6, latency_s, outcome)] * count


def row(visits: list[Visit], level: str) -> list[str]:
    """The cells of the first server's row."""
    lines = report(describe_run(quick=True), visits).splitlines()
    found = next(line for line in lines if line.startswith(f"| weights | {level} |"))
    return [cell.strip() for cell in found.strip("|").split("|")]


def visits(light: list[Sample], heavy: list[Sample]) -> list[Visit]:
    return [
        Visit("weights", SHARE, 0, samples(0.1), samples(0.2)),
        Visit("weights", MORE, 0, light, heavy),
    ]


def test_the_p95_is_told_as_a_ratio_to_that_beside_a_share() -> None:
    assert row(visits(samples(0.15), samples(0.2)), MORE)[4:6] == ["150", "1.50"]


def test_a_refused_call_of_the_light_tenant_is_a_miss_without_a_latency() -> None:
    light = samples(0.1, count=19) + samples(0.001, "QUEUE_FULL", 1)
    assert row(visits(light, samples(0.2)), MORE)[2:4] == ["19 of 20", "100"]


def test_what_the_heavy_tenant_is_refused_is_named() -> None:
    heavy = samples(0.2, count=3) + samples(0.001, "QUOTA_EXCEEDED", 7)
    assert row(visits(samples(0.1), heavy), MORE)[6:] == ["3 of 10", "7 QUOTA_EXCEEDED"]
