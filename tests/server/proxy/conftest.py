"""What the tests of the proxy share."""

from collections.abc import AsyncIterator

import pytest

from tests.scripted import Scripted
from tests.server.proxy.proxied import believing_server


@pytest.fixture(scope="session")
async def served() -> AsyncIterator[Scripted]:
    """A server that believes what SOURCE says. A test that holds its engine releases it."""
    async with believing_server() as served:
        yield served
