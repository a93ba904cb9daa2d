"""Work that runs beside other work: groups of tasks, until when they run, work in threads, and
futures whose waiters may have left.

An event loop that stands still, for work that should not be on it or since the machine gave it no
core, receives no answer: silence then says nothing of who was asked.
"""

import asyncio
import contextlib
import functools
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")


@contextlib.asynccontextmanager
async def task_group() -> AsyncIterator[asyncio.TaskGroup]:
    """A TaskGroup that raises the first error of its tasks by itself, outside any group."""
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from errors


async def all_of(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of works that run beside each other, in their order.

    What the first that fails raises is raised here, by itself; the others are cancelled, and so are
    all if the caller is.
    """
    async with task_group() as group:
        tasks = [group.create_task(work) for work in works]
    return [task.result() for task in tasks]


class AnswerLimit:
    """Ends a block at a time on the monotonic clock, once there is something to answer with.

    Until `begin` the block runs on. It then ends at `by_s` without an error, and `has_expired` says
    so. A time-out of anything else in it goes through.
    """

    def __init__(self, by_s: float) -> None:
        self._by_s = by_s
        self._timeout = asyncio.timeout(None)

    @property
    def has_begun(self) -> bool:
        """Whether there is something to answer with."""
        return self._timeout.when() is not None

    @property
    def has_expired(self) -> bool:
        """Whether the time ended the block."""
        return self._timeout.expired()

    def begin(self) -> None:
        """There is something to answer with: from here on the time counts."""
        if not self.has_begun:
            loop_s = asyncio.get_running_loop().time()
            self._timeout.reschedule(loop_s + self._by_s - time.monotonic())

    async def __aenter__(self) -> "AnswerLimit":
        await self._timeout.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError:
            return True
        return False


P = ParamSpec("P")

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


_PARTS = 20
"""A limit is waited for in so many equal parts, so that a loop that slept loses one of them."""


def retrieve(done: "asyncio.Future[T]") -> None:
    """Take note of what a future raised; for its done callbacks.

    Waiters still get the error. If all of them were cancelled, asyncio would otherwise log it with
    its text, which could repeat the text of a request.
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
