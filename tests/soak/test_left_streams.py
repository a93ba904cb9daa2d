"""Two hundred thousand streams that their callers leave keep nothing in the server's memory."""

from tests.left_streams import growth_mib


def test_two_hundred_thousand_streams_that_are_left_do_not_add_up() -> None:
    assert growth_mib(200_000) < 16.0
