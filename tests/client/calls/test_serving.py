"""How wait_until_serving waits, and when it gives up."""

import time
from collections.abc import Callable

import grpc
import pytest

from groundwire import ConfigurationError, ServerState, UnauthenticatedError, UnavailableError
from groundwire.v1 import verifier_backend_pb2 as pb
from tests.client.plain_answers import info_response
from tests.client.scripted import AnyClient, ScriptedServer, failing, settle

Connect = Callable[..., AnyClient]


async def test_a_server_that_serves_is_described_at_once(
    client: AnyClient, server: ScriptedServer
) -> None:
    info = await settle(client.wait_until_serving(30))

    assert info.state is ServerState.SERVING
    assert len(server.received) == 1


async def test_a_server_that_loads_is_asked_again(
    client: AnyClient, server: ScriptedServer
) -> None:
    loading = info_response(pb.SERVER_STATE_LOADING)
    server.script(loading, loading)

    info = await settle(client.wait_until_serving(30))

    assert info.state is ServerState.SERVING
    assert len(server.received) == 3


@pytest.mark.parametrize(
    ("state", "reason"),
    [(pb.SERVER_STATE_LOADING, "LOADING"), (pb.SERVER_STATE_DRAINING, "DRAINING")],
)
async def test_time_ends_the_wait_with_the_last_state(
    client: AnyClient, server: ScriptedServer, state: int, reason: str
) -> None:
    server.script(*[info_response(state)] * 10)

    with pytest.raises(UnavailableError, match="last state") as caught:
        await settle(client.wait_until_serving(0.4))
    assert caught.value.reason == reason


async def test_a_poll_that_the_end_of_the_wait_cuts_off_leaves_the_last_state(
    client: AnyClient, server: ScriptedServer
) -> None:
    late = failing(grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED")
    server.script(info_response(pb.SERVER_STATE_LOADING), *[late] * 10)

    with pytest.raises(UnavailableError, match="last state") as caught:
        await settle(client.wait_until_serving(0.4))
    assert caught.value.reason == "LOADING"


async def test_the_wait_is_not_a_busy_loop(client: AnyClient, server: ScriptedServer) -> None:
    server.script(*[info_response(pb.SERVER_STATE_LOADING)] * 1_000)

    with pytest.raises(UnavailableError):
        await settle(client.wait_until_serving(0.4))
    assert len(server.received) <= 3


async def test_a_failed_engine_ends_the_wait(client: AnyClient, server: ScriptedServer) -> None:
    server.script(info_response(pb.SERVER_STATE_FAILED))

    with pytest.raises(UnavailableError) as caught:
        await settle(client.wait_until_serving(30))
    assert caught.value.reason == "ENGINE_FAILED"
    assert len(server.received) == 1


async def test_a_wrong_token_ends_the_wait(client: AnyClient, server: ScriptedServer) -> None:
    server.script(failing(grpc.StatusCode.UNAUTHENTICATED, "INVALID_TOKEN"))

    with pytest.raises(UnauthenticatedError):
        await settle(client.wait_until_serving(30))


async def test_time_ends_the_wait_for_a_server_that_does_not_run(
    connect: Connect, server: ScriptedServer
) -> None:
    server.stop()
    start_s = time.monotonic()

    with pytest.raises(UnavailableError) as caught:
        await settle(connect(server.target).wait_until_serving(0.3))
    assert caught.value.reason is None
    assert time.monotonic() - start_s >= 0.3


async def test_a_server_may_start_during_the_wait(connect: Connect, server: ScriptedServer) -> None:
    server.stop()
    client = connect(server.target)
    with pytest.raises(UnavailableError):
        await settle(client.wait_until_serving(0.1))
    started = ScriptedServer(address=server.target)

    try:
        info = await settle(client.wait_until_serving(30))
    finally:
        started.stop()

    assert info.state is ServerState.SERVING


async def test_the_time_to_wait_must_be_useful(client: AnyClient) -> None:
    with pytest.raises(ConfigurationError, match="timeout_s"):
        await settle(client.wait_until_serving(0))
