"""Work of one call that runs beside other work of it, and until when it runs."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Coroutine, Iterable
from types import TracebackType
from typing import Any, TypeVar

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
