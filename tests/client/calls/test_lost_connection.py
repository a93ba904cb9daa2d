"""A connection that leads nowhere is found out, given up, and the call is made again."""

import asyncio
from collections.abc import Callable

from groundwire import AsyncClient, EstimateResult
from groundwire._wire.settings import DEFAULT_TIMEOUT_S, make_settings
from tests.client.scripted import AnyClient
from tests.hostile.forgetful import Forgetful
from tests.scripted import WAIT_LIMIT_S, scripted_server

WAITS = ("grpc.keepalive_time_ms", "grpc.http2.ping_timeout_ms")
SOON = [(name, 100) for name in WAITS]


async def test_a_call_on_a_lost_connection_is_made_on_a_new_one(
    connect: Callable[..., AnyClient],
) -> None:
    async with scripted_server() as served:
        proxy = Forgetful(served.running.target)
        async with proxy.running():
            client = connect(proxy.address, options=SOON, timeout_s=WAIT_LIMIT_S)
            await answered(client)
            proxy.forget()
            assert (await answered(client)).probability is not None


async def answered(client: AnyClient) -> EstimateResult:
    if isinstance(client, AsyncClient):
        return await client.estimate("A claim.")
    return await asyncio.to_thread(client.estimate, "A claim.")


def test_it_is_found_out_within_the_default_time_of_a_call() -> None:
    settings = make_settings(
        "127.0.0.1:1",
        token=None,
        timeout_s=1.0,
        tls=None,
        allow_plaintext=False,
        max_message_bytes=1,
        options=(),
    )
    options = dict(settings.options)
    assert sum(int(options[name]) for name in WAITS) < DEFAULT_TIMEOUT_S * 1000
