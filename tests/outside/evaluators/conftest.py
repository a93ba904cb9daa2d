"""Clients for the servers that scripts/check_evaluators.py has started."""

import os
import socket
from collections.abc import AsyncIterator, Iterator

import pytest

from groundwire import AsyncClient, Client


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: os.PathLike[str], monkeypatch: pytest.MonkeyPatch) -> None:
    # DeepEval writes what it remembers into the current folder.
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def target() -> str:
    """The open server."""
    return os.environ["GROUNDWIRE_TARGET"]


@pytest.fixture(scope="session")
def guarded() -> str:
    """The server that asks for a token."""
    return os.environ["GROUNDWIRE_GUARDED_TARGET"]


@pytest.fixture
def nobody() -> Iterator[str]:
    """A target that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def client(target: str) -> Iterator[Client]:
    with Client(target, timeout_s=20) as client:
        yield client


@pytest.fixture
def hasty(target: str) -> Iterator[Client]:
    """A client with less time than an endless claim takes."""
    with Client(target, timeout_s=2) as client:
        yield client


@pytest.fixture
def lost(nobody: str) -> Iterator[Client]:
    """A client whose server never answers."""
    with Client(nobody, timeout_s=0.5) as client:
        yield client


@pytest.fixture
async def async_client(target: str) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(target, timeout_s=20) as client:
        yield client
