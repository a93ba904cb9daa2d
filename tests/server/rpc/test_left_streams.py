"""Streams that their callers leave keep nothing in the memory of the server."""

from tests.left_streams import growth_mib

STREAMS, KEPT_KIB = 1500, 3
"""A task, a call or a message that is kept of each would be more."""


def test_streams_that_are_left_do_not_add_up() -> None:
    assert growth_mib(STREAMS) < STREAMS * KEPT_KIB / 1024
