"""Work in a thread that a call waits for even when it is cancelled."""

import asyncio
import contextlib
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from groundwire_verifier.domain.futures import retrieve

P = ParamSpec("P")
T = TypeVar("T")

# Apart from asyncio's own threads, which end the engine: they are never kept waiting by texts.
_threads = ThreadPoolExecutor(thread_name_prefix="groundwire-work")


async def in_thread(work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """Run `work` in a thread and give its result; what it raises is raised here.

    A thread cannot be ended. So a caller that is cancelled goes on waiting until its work has
    ended, and with it whatever place the caller holds; work that has not begun is dropped.
    """
    running = _threads.submit(functools.partial(work, *args, **named))
    ended = asyncio.wrap_future(running)
    ended.add_done_callback(retrieve)
    try:
        return await asyncio.shield(ended)
    except asyncio.CancelledError:
        running.cancel()
        while not ended.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait((ended,))
        raise
