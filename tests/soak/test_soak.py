"""What the bench of a long run makes of its samples."""

import pytest

from tests.soak.soak import Sample, growth, thirds


def samples(*memory_mib: float) -> list[Sample]:
    return [Sample(10.0 * i, 100 * i, mib, 50, 20, 0, None) for i, mib in enumerate(memory_mib)]


def test_growth_is_that_of_the_last_third() -> None:
    assert growth(samples(*[100] * 6, *[200] * 6, *[210] * 6)) == pytest.approx(0.05)


def test_what_a_server_takes_to_warm_up_is_no_growth() -> None:
    assert growth(samples(100, 150, *[200] * 20)) == pytest.approx(0.0)


def test_one_sample_far_off_is_no_growth() -> None:
    assert growth(samples(*[200] * 11, 900)) == pytest.approx(0.0)


def test_a_run_of_two_samples_has_three_thirds() -> None:
    assert [len(part) for part in thirds(samples(100, 200))] == [1, 1, 1]
