"""Work in threads: who waits for it, and what is dropped."""

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from groundwire_verifier.domain import tasks
from groundwire_verifier.domain.tasks import in_thread

WAIT_LIMIT_S = 20.0


def test_it_gives_what_the_work_gives() -> None:
    async def both() -> int:
        with pytest.raises(ValueError, match="invalid literal"):
            await in_thread(int, "x")
        return await in_thread(int, "ff", base=16)

    assert asyncio.run(both()) == 255


async def test_a_cancelled_caller_waits_until_its_work_has_ended() -> None:
    began, may_end = threading.Event(), threading.Event()
    ended: list[bool] = []

    def work() -> None:
        began.set()
        ended.append(may_end.wait(WAIT_LIMIT_S))

    caller = asyncio.create_task(in_thread(work))
    await asyncio.to_thread(began.wait, WAIT_LIMIT_S)
    for _ in range(2):  # a second cancellation does not free it either
        caller.cancel()
        await asyncio.wait((caller,), timeout=0)
        assert not caller.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert ended == [True]


async def test_what_the_work_of_a_cancelled_caller_raises_is_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    began, may_end = threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        may_end.wait(WAIT_LIMIT_S)
        raise ValueError("Ada moved")

    caller = asyncio.create_task(in_thread(work))
    await asyncio.to_thread(began.wait, WAIT_LIMIT_S)
    caller.cancel()
    may_end.set()
    await asyncio.wait((caller,))
    del caller
    gc.collect()
    assert "Ada" not in caplog.text


async def test_cancelled_work_that_has_not_begun_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_end = threading.Event()
    done: list[str] = []
    with ThreadPoolExecutor(1) as pool:
        monkeypatch.setattr(tasks, "_threads", pool)
        first = asyncio.create_task(in_thread(may_end.wait, WAIT_LIMIT_S))
        second = asyncio.create_task(in_thread(done.append, "second"))
        await asyncio.wait((second,), timeout=0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        may_end.set()
        assert await first
    assert done == []
