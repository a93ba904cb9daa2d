"""What the bench of a long run makes of its samples."""

import pytest

from bench.robustness.soak import Sample, growth, warm_sample


def samples(*memory_mib: float) -> list[Sample]:
    return [Sample(10.0 * i, 100 * i, mib, 50, 20, None) for i, mib in enumerate(memory_mib)]


def test_growth_is_told_from_the_warm_server_on() -> None:
    assert growth(samples(100, *[200] * 18, 210)) == pytest.approx(0.05)


def test_what_a_server_takes_to_warm_up_is_no_growth() -> None:
    assert growth(samples(100, 150, *[200] * 20)) == pytest.approx(0.0)


def test_a_run_of_two_samples_has_a_warm_one() -> None:
    assert warm_sample(samples(100, 200)).memory_mib == 200
