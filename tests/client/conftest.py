"""A scripted server for each test, and both clients for it."""

from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from groundwire import AsyncClient, Client
from tests.client.scripted import AnyClient, ScriptedServer, settle


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A server that a test scripts."""
    server = ScriptedServer()
    yield server
    server.stop()


@pytest.fixture(params=[Client, AsyncClient], ids=["sync", "async"])
def client_class(request: pytest.FixtureRequest) -> type[AnyClient]:
    """Each of the two clients in turn."""
    kind: type[AnyClient] = request.param
    return kind


@pytest.fixture
async def connect(client_class: type[AnyClient]) -> AsyncIterator[Callable[..., AnyClient]]:
    """Makes clients, which are closed when the test is over."""
    clients: list[AnyClient] = []

    def make(target: str, **arguments: object) -> AnyClient:
        make_client: Callable[..., AnyClient] = client_class
        clients.append(make_client(target, **arguments))
        return clients[-1]

    yield make
    for client in clients:
        await settle(client.close())


@pytest.fixture
def client(server: ScriptedServer, connect: Callable[..., AnyClient]) -> AnyClient:
    """Each of the two clients in turn, for the scripted server."""
    return connect(server.target)
