"""How calls are made: time-outs, retries, metadata, sizes, cancelling and closing."""

import asyncio
from collections.abc import Callable
from threading import Thread

import grpc
import pytest

from groundwire import (
    AsyncClient,
    CallCancelledError,
    Client,
    ClientClosedError,
    ConfigurationError,
    DeadlineExceededError,
    ResourceExhaustedError,
    ServerBusyError,
    UnavailableError,
)
from tests.client.plain_answers import estimate_response
from tests.client.scripted import HOLD_LIMIT_S, AnyClient, Hold, ScriptedServer, failing, settle

Connect = Callable[..., AnyClient]
BEARER = "letters+digits=1"
LOADING = failing(grpc.StatusCode.UNAVAILABLE, "LOADING")


async def test_a_call_has_a_timeout_of_thirty_seconds(
    client: AnyClient, server: ScriptedServer
) -> None:
    await settle(client.estimate("0.5"))

    assert 25 < server.received[0].time_remaining_s <= 31


async def test_a_call_can_set_its_own_timeout(client: AnyClient, server: ScriptedServer) -> None:
    await settle(client.server_info(timeout_s=300))

    assert 290 < server.received[0].time_remaining_s <= 305


@pytest.mark.parametrize("timeout_s", [0, -1, float("nan"), float("inf"), 1e9])
async def test_a_timeout_must_be_a_useful_time(client: AnyClient, timeout_s: float) -> None:
    with pytest.raises(ConfigurationError, match="timeout_s must be above 0"):
        await settle(client.estimate("0.5", timeout_s=timeout_s))


async def test_a_call_ends_at_its_timeout(client: AnyClient, server: ScriptedServer) -> None:
    server.script(Hold())

    with pytest.raises(DeadlineExceededError):
        await settle(client.estimate("0.5", timeout_s=0.2))


async def test_unavailable_is_tried_again_until_it_succeeds(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(LOADING, LOADING)

    result = await settle(client.estimate("0.5"))

    assert result.probability == 0.5
    assert len(server.received) == 3


async def test_unavailable_is_tried_four_times_at_most(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(*[LOADING] * 5)

    with pytest.raises(UnavailableError):
        await settle(client.estimate("0.5"))
    assert len(server.received) == 4


async def test_retries_have_a_budget_that_a_server_which_is_down_uses_up(
    client: AnyClient, server: ScriptedServer
) -> None:
    calls = 20
    server.script(*[LOADING] * calls * 4)

    for _ in range(calls):
        with pytest.raises(UnavailableError):
            await settle(client.estimate("0.5"))
    # Without a budget it would be four attempts a call.
    assert len(server.received) <= calls + 5


async def test_a_full_queue_is_not_tried_again(client: AnyClient, server: ScriptedServer) -> None:
    server.script(failing(grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL"))

    with pytest.raises(ServerBusyError):
        await settle(client.estimate("0.5"))
    assert len(server.received) == 1


async def test_no_server_is_unavailable(connect: Connect, server: ScriptedServer) -> None:
    server.stop()

    with pytest.raises(UnavailableError) as caught:
        await settle(connect(server.target).estimate("0.5"))
    assert caught.value.reason is None


async def test_the_token_is_sent_as_a_bearer_token(
    connect: Connect, server: ScriptedServer
) -> None:
    await settle(connect(server.target, token=BEARER).estimate("0.5"))

    assert server.received[0].metadata["authorization"] == f"Bearer {BEARER}"


async def test_without_a_token_nothing_is_sent(client: AnyClient, server: ScriptedServer) -> None:
    await settle(client.estimate("0.5"))

    assert "authorization" not in server.received[0].metadata


async def test_a_proxy_is_not_used_for_this_machine(
    connect: Connect, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("grpc_proxy", "https_proxy", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("no_grpc_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)

    result = await settle(connect(server.target).estimate("0.5", timeout_s=10))

    assert result.probability == 0.5


async def test_a_request_that_is_too_large_is_refused(
    connect: Connect, server: ScriptedServer
) -> None:
    with pytest.raises(ResourceExhaustedError):
        await settle(connect(server.target, max_message_bytes=1_000).estimate("0" * 2_000))
    assert server.received == []


async def test_an_answer_that_is_too_large_is_refused(
    connect: Connect, server: ScriptedServer
) -> None:
    response = estimate_response("0.5")
    response.model = "m" * 2_000
    server.script(response)

    with pytest.raises(ResourceExhaustedError):
        await settle(connect(server.target, max_message_bytes=1_000).estimate("0.5"))


async def test_an_answer_of_eight_mebibytes_is_taken(
    client: AnyClient, server: ScriptedServer
) -> None:
    response = estimate_response("0.5")
    response.model = "m" * 8 * 1024 * 1024
    server.script(response)

    assert len((await settle(client.estimate("0.5"))).model) == 8 * 1024 * 1024


async def test_options_come_before_those_of_the_client(
    connect: Connect, server: ScriptedServer
) -> None:
    client = connect(server.target, options=[("grpc.max_send_message_length", 1_000)])

    with pytest.raises(ResourceExhaustedError):
        await settle(client.estimate("0" * 2_000))


async def test_a_closed_client_says_so(client: AnyClient) -> None:
    await settle(client.server_info())
    await settle(client.close())

    with pytest.raises(ClientClosedError):
        await settle(client.server_info())


async def test_a_client_can_be_closed_twice(client: AnyClient) -> None:
    await settle(client.close())
    await settle(client.close())


def test_a_with_block_closes_the_client(server: ScriptedServer) -> None:
    with Client(server.target) as client:
        client.server_info()

    with pytest.raises(ClientClosedError):
        client.server_info()


async def test_an_async_with_block_closes_the_client(server: ScriptedServer) -> None:
    async with AsyncClient(server.target) as client:
        await client.server_info()

    with pytest.raises(ClientClosedError):
        await client.server_info()


def test_close_ends_a_call_in_another_thread(server: ScriptedServer) -> None:
    hold = Hold()
    server.script(hold)
    client = Client(server.target)
    errors: list[Exception] = []

    def call() -> None:
        try:
            client.estimate("0.5")
        except CallCancelledError as error:
            errors.append(error)

    thread = Thread(target=call)
    thread.start()
    assert hold.entered.wait(HOLD_LIMIT_S)
    client.close()
    thread.join(HOLD_LIMIT_S)

    assert len(errors) == 1


async def test_close_ends_a_call_in_another_task(server: ScriptedServer) -> None:
    hold = Hold()
    server.script(hold)
    client = AsyncClient(server.target)
    task = asyncio.create_task(client.estimate("0.5"))
    assert await asyncio.to_thread(hold.entered.wait, HOLD_LIMIT_S)

    await client.close()

    with pytest.raises(CallCancelledError):
        await task


async def test_cancelling_the_task_cancels_the_call_in_the_server(server: ScriptedServer) -> None:
    hold = Hold()
    server.script(hold)
    async with AsyncClient(server.target) as client:
        task = asyncio.create_task(client.estimate("0.5"))
        assert await asyncio.to_thread(hold.entered.wait, HOLD_LIMIT_S)

        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(hold.given_up.wait, HOLD_LIMIT_S)


def test_an_async_client_serves_one_event_loop_after_the_other(server: ScriptedServer) -> None:
    client = AsyncClient(server.target)

    async def call() -> float | None:
        return (await client.estimate("0.5")).probability

    assert [asyncio.run(call()) for _ in range(3)] == [0.5, 0.5, 0.5]
    asyncio.run(client.close())


def test_an_async_client_says_behind_a_fork_what_to_do(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def call() -> None:
        async with AsyncClient(server.target) as client:
            await client.estimate("0.5")
            with monkeypatch.context() as forked:
                forked.setattr("os.getpid", lambda: -1)
                with pytest.raises(ConfigurationError, match="make a client in each process"):
                    await client.estimate("0.5")

    asyncio.run(call())


async def test_the_client_can_set_the_timeout(connect: Connect, server: ScriptedServer) -> None:
    await settle(connect(server.target, timeout_s=300).batch_estimate(["0.5"]))

    assert 290 < server.received[0].time_remaining_s <= 305


def test_an_async_client_may_be_made_before_its_event_loop(server: ScriptedServer) -> None:
    client = AsyncClient(server.target)

    async def call() -> float | None:
        async with client:
            return (await client.estimate("0.5")).probability

    assert asyncio.run(call()) == 0.5
