"""TLS and mutual TLS of the real server: the right certificate, a wrong one, and none."""

import asyncio
from collections.abc import AsyncIterator

import grpc
import pytest

from groundwire import TLS, AsyncClient, UnavailableError
from groundwire_server.cli.health import health
from groundwire_server.config.settings import ClientSettings, ServerSettings
from tests.certificates import Pair, make_pair
from tests.scripted import Scripted, scripted_server

BEARER = "quartz-ladder-3"


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pair]:
    folder = tmp_path_factory.mktemp("tls")
    return {name: make_pair(folder, name) for name in ("server", "client", "stranger")}


@pytest.fixture
async def mutual(pairs: dict[str, Pair]) -> AsyncIterator[Scripted]:
    """A server that asks for a client certificate and a token."""
    async with scripted_server(
        tls_cert_file=pairs["server"].cert,
        tls_key_file=pairs["server"].key,
        tls_client_ca_file=pairs["client"].cert,
        auth_token=BEARER,
    ) as served:
        yield served


def as_client(
    served: Scripted, pairs: dict[str, Pair], who: str, token: str = BEARER
) -> AsyncClient:
    tls = TLS(ca_file=pairs["server"].cert, cert_file=pairs[who].cert, key_file=pairs[who].key)
    # One try: a handshake that is refused would be tried again.
    once = (("grpc.enable_retries", 0),)
    return AsyncClient(served.running.target, token=token, tls=tls, timeout_s=20, options=once)


async def test_the_right_certificate_and_token_are_answered(
    mutual: Scripted, pairs: dict[str, Pair]
) -> None:
    async with as_client(mutual, pairs, "client") as client:
        assert len(await client.batch_estimate(["a", "b"])) == 2


async def test_a_wrong_client_certificate_gets_no_connection(
    mutual: Scripted, pairs: dict[str, Pair]
) -> None:
    async with as_client(mutual, pairs, "stranger") as client:
        with pytest.raises(UnavailableError) as caught:
            await client.estimate("a")
    assert caught.value.code is grpc.StatusCode.UNAVAILABLE
    assert caught.value.reason is None
    async with as_client(mutual, pairs, "client") as client:
        assert len(await client.batch_estimate(["a"])) == 1


async def test_no_client_certificate_gets_no_connection(
    mutual: Scripted, pairs: dict[str, Pair]
) -> None:
    tls = TLS(ca_file=pairs["server"].cert)
    async with AsyncClient(mutual.running.target, token=BEARER, tls=tls, timeout_s=20) as client:
        with pytest.raises(UnavailableError):
            await client.estimate("a")


async def test_a_server_that_is_not_trusted_is_not_spoken_to(
    mutual: Scripted, pairs: dict[str, Pair]
) -> None:
    ours = pairs["client"]
    tls = TLS(ca_file=pairs["stranger"].cert, cert_file=ours.cert, key_file=ours.key)
    async with AsyncClient(mutual.running.target, token=BEARER, tls=tls, timeout_s=20) as client:
        with pytest.raises(UnavailableError):
            await client.estimate("a")
    assert mutual.engine.claims == []


async def test_plain_text_is_not_answered_by_a_tls_server(mutual: Scripted) -> None:
    async with AsyncClient(mutual.running.target, timeout_s=20) as client:
        with pytest.raises(UnavailableError):
            await client.estimate("a")


async def test_the_health_command_needs_no_token(mutual: Scripted, pairs: dict[str, Pair]) -> None:
    settings = ClientSettings(
        target=mutual.running.target,
        ca_file=pairs["server"].cert,
        cert_file=pairs["client"].cert,
        key_file=pairs["client"].key,
    )
    assert await asyncio.to_thread(health, settings, ServerSettings()) == 0
