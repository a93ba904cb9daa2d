"""How the stream of a report ends before its report: left, closed, cancelled or out of time."""

import asyncio
from contextlib import closing
from threading import Thread

import pytest

from groundwire import (
    AsyncClient,
    CallCancelledError,
    ClaimsFound,
    Client,
    DeadlineExceededError,
)
from tests.client.plain_answers import found
from tests.client.scripted import (
    HOLD_LIMIT_S,
    AnyClient,
    Hold,
    Pieces,
    ScriptedServer,
    collect,
    next_piece,
    settle,
)

ANSWER = "0.75 0.125"


async def close(stream: object) -> None:
    """Closes the stream of either client."""
    end = getattr(stream, "aclose", None) or getattr(stream, "close")  # noqa: B009 - of either
    await settle(end())


async def test_a_piece_is_there_before_the_next_one_is_sent(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(Pieces(found(ANSWER), Hold()))
    stream = client.verify_answer_stream(ANSWER, "context")

    assert isinstance(await next_piece(stream), ClaimsFound)
    await close(stream)


async def test_closing_the_stream_cancels_the_call(
    client: AnyClient, server: ScriptedServer
) -> None:
    hold = Hold()
    server.script(Pieces(found(ANSWER), hold))
    stream = client.verify_answer_stream(ANSWER, "context")
    await next_piece(stream)
    assert await asyncio.to_thread(hold.entered.wait, HOLD_LIMIT_S)

    await close(stream)

    assert await asyncio.to_thread(hold.given_up.wait, HOLD_LIMIT_S)


def test_leaving_the_loop_cancels_the_call(server: ScriptedServer) -> None:
    hold = Hold()
    server.script(Pieces(found(ANSWER), hold))
    with Client(server.target) as client:
        for _ in client.verify_answer_stream(ANSWER, "context"):
            assert hold.entered.wait(HOLD_LIMIT_S)
            break

        assert hold.given_up.wait(HOLD_LIMIT_S)


async def test_leaving_the_async_loop_cancels_the_call(server: ScriptedServer) -> None:
    hold = Hold()
    server.script(Pieces(found(ANSWER), hold))
    async with AsyncClient(server.target) as client:
        async for _ in client.verify_answer_stream(ANSWER, "context"):
            assert await asyncio.to_thread(hold.entered.wait, HOLD_LIMIT_S)
            break

        assert await asyncio.to_thread(hold.given_up.wait, HOLD_LIMIT_S)


def test_a_stream_can_be_closed_by_a_with_block(server: ScriptedServer) -> None:
    hold = Hold()
    server.script(Pieces(found(ANSWER), hold))
    with Client(server.target) as client:
        with closing(client.verify_answer_stream(ANSWER, "context")) as stream:
            next(stream)
            assert hold.entered.wait(HOLD_LIMIT_S)

        assert hold.given_up.wait(HOLD_LIMIT_S)


async def test_cancelling_the_task_cancels_the_stream_in_the_server(
    server: ScriptedServer,
) -> None:
    hold = Hold()
    server.script(Pieces(found(ANSWER), hold))
    async with AsyncClient(server.target) as client:
        task = asyncio.create_task(collect(client.verify_answer_stream(ANSWER, "context")))
        assert await asyncio.to_thread(hold.entered.wait, HOLD_LIMIT_S)

        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(hold.given_up.wait, HOLD_LIMIT_S)


def test_close_ends_a_stream_in_another_thread(server: ScriptedServer) -> None:
    hold = Hold()
    server.script(Pieces(found(ANSWER), hold))
    client = Client(server.target)
    errors: list[Exception] = []

    def call() -> None:
        try:
            list(client.verify_answer_stream(ANSWER, "context"))
        except CallCancelledError as error:
            errors.append(error)

    thread = Thread(target=call)
    thread.start()
    assert hold.entered.wait(HOLD_LIMIT_S)
    client.close()
    thread.join(HOLD_LIMIT_S)

    assert len(errors) == 1


async def test_close_ends_a_stream_in_another_task(server: ScriptedServer) -> None:
    hold = Hold()
    server.script(Pieces(found(ANSWER), hold))
    client = AsyncClient(server.target)
    task = asyncio.create_task(collect(client.verify_answer_stream(ANSWER, "context")))
    assert await asyncio.to_thread(hold.entered.wait, HOLD_LIMIT_S)

    await client.close()

    with pytest.raises(CallCancelledError):
        await task


async def test_a_stream_ends_at_its_timeout(client: AnyClient, server: ScriptedServer) -> None:
    server.script(Pieces(found(ANSWER), Hold()))

    with pytest.raises(DeadlineExceededError):
        await collect(client.verify_answer_stream(ANSWER, "context", timeout_s=0.2))
