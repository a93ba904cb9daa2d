"""From when on the goodput of a load counts as back."""

import pytest

from tests.soak.replicas.outages import Done, back_after_s


def load(late: range) -> list[Done]:
    """Four calls a second for ten seconds; those of the seconds in `late` take long."""
    return [Done(i / 4, 9.0 if i // 4 in late else 0.1, "", 0.0) for i in range(41)]


def test_goodput_is_back_when_the_last_bad_second_is_over() -> None:
    assert back_after_s(load(range(4, 7)), event_s=2.0) == pytest.approx(5.75)


def test_goodput_that_was_never_bad_is_back_at_once() -> None:
    assert back_after_s(load(range(0)), event_s=2.0) == 0.0


def test_goodput_that_is_bad_at_the_end_is_not_back() -> None:
    assert back_after_s(load(range(8, 11)), event_s=2.0) is None
