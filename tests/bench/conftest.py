"""A real server with a scripted engine, for benches that block."""

from collections.abc import Iterator

import pytest

from groundwire import Client
from tests.scripted import scripted_process

UNREADABLE = "No model can tell what this means."


@pytest.fixture(scope="session")
def scripted_target() -> Iterator[str]:
    """Its address. It reads every claim as .75, and UNREADABLE with next to no label mass."""
    with scripted_process({UNREADABLE: (0.001, 0.001)}) as target:
        yield target


@pytest.fixture
def scripted_client(scripted_target: str) -> Iterator[Client]:
    """A client of it."""
    with Client(scripted_target, timeout_s=60) as client:
        yield client


@pytest.fixture
def unreadable() -> str:
    """A claim that it gives no probability."""
    return UNREADABLE
