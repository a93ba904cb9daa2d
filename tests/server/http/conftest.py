"""What the tests of the HTTP door share."""

from collections.abc import AsyncIterator

import pytest

from tests.server.http.door import Door, http_server


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    """A server that asks for no token."""
    async with http_server() as door:
        yield door
