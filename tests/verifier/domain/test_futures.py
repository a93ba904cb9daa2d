"""Limits on others' answers, on an event loop that stands still now and then, or always."""

import asyncio
import contextlib
import gc
import time
from collections.abc import AsyncIterator

import pytest

from groundwire_verifier.domain.tasks import within

LIMIT_S = 0.1
AGES_S = 20.0


@contextlib.asynccontextmanager
async def loop_that_stands_still(asleep_s: float, awake_s: float) -> AsyncIterator[None]:
    """Within it the event loop is blocked for `asleep_s`, again and again."""

    async def block() -> None:
        while True:
            time.sleep(asleep_s)  # noqa: ASYNC251 - this is the fault
            await asyncio.sleep(awake_s)

    blocking = asyncio.create_task(block())
    try:
        yield
    finally:
        blocking.cancel()


async def test_an_answer_in_time_is_given() -> None:
    async def answer() -> int:
        await asyncio.sleep(0)
        return 7

    assert await within(AGES_S, answer()) == 7


async def test_an_error_is_given_as_it_is() -> None:
    async def answer() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await within(AGES_S, answer())


async def test_an_answer_that_came_while_the_loop_stood_still_is_in_time() -> None:
    async def answer() -> None:
        asyncio.get_running_loop().call_soon(time.sleep, 3 * LIMIT_S)
        for _ in range(20):  # as an answer that goes through sockets, queues and tasks
            await asyncio.to_thread(int)

    await within(LIMIT_S, answer())


@pytest.mark.parametrize(
    ("asleep_s", "awake_s"),
    [(0.0, AGES_S), (LIMIT_S, LIMIT_S), (LIMIT_S / 5, 0.0)],
    ids=["never", "now and then", "always"],
)
async def test_silence_is_found_however_often_the_loop_stands_still(
    asleep_s: float, awake_s: float
) -> None:
    never = asyncio.Event()
    async with loop_that_stands_still(asleep_s, awake_s):
        with pytest.raises(TimeoutError):
            await within(LIMIT_S, never.wait())


@pytest.mark.parametrize("limit_s", [0.0, AGES_S])
async def test_work_that_nobody_waits_for_is_cancelled(limit_s: float) -> None:
    cancelled = asyncio.Event()

    async def answer() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    waiting = asyncio.create_task(within(limit_s, answer()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    async with asyncio.timeout(AGES_S):
        await cancelled.wait()


async def test_what_work_that_nobody_waits_for_raises_is_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ended = asyncio.Event()

    async def answer() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
            raise ValueError("Ada moved")

    with pytest.raises(TimeoutError):
        await within(0.0, answer())
    await ended.wait()
    await asyncio.sleep(0)  # the end of the task itself
    gc.collect()
    assert "Ada" not in caplog.text
