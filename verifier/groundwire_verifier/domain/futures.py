"""Waiting for futures: whose waiters may have left, and whose time limit is not to count sleep.

An event loop that stands still, for work that should not be on it or since the machine gave it no
core, receives no answer: silence then says nothing of who was asked.
"""

import asyncio
import time
from collections.abc import Coroutine
from typing import TypeVar

_PARTS = 20
"""A limit is waited for in so many equal parts, so that a loop that slept loses one of them."""

T = TypeVar("T")


def retrieve(done: "asyncio.Future[T]") -> None:
    """Take note of what a future raised; for its done callbacks.

    Whoever waits is told as before. When all waiters were cancelled, asyncio would log the
    exception with its text, which could repeat the text of a request.
    """
    if not done.cancelled():
        done.exception()


async def within(limit_s: float, work: Coroutine[object, object, T]) -> T:
    """The result of `work`, which gets `limit_s` seconds during which this event loop is awake.

    Raises TimeoutError, and cancels the work then.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(retrieve)
    try:
        if not await _is_done(task, limit_s / _PARTS):
            raise TimeoutError
        return task.result()
    finally:
        task.cancel()


async def _is_done(task: "asyncio.Task[T]", part_s: float) -> bool:
    punctual = 0
    # A part that ended late held a sleep, in which an answer may have come that nobody has seen
    # yet: it is waited through once more. A loop that is always late has turned often enough after
    # twice as many parts.
    for _ in range(2 * _PARTS):
        began_s = time.monotonic()
        await asyncio.wait((task,), timeout=part_s)
        if task.done():
            return True
        punctual += time.monotonic() - began_s < 2 * part_s
        if punctual == _PARTS:
            break
    return False
