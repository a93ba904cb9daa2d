"""Places for so many calls at one time; of those that wait, the most urgent goes first.

Knows ranks. Does not know what the calls do.
"""

import asyncio
import contextlib
import heapq
import itertools
from collections.abc import AsyncIterator


class Places:
    """`most` places. The lowest rank is let in first, and of one rank who came first."""

    def __init__(self, most: int) -> None:
        self._free = most
        self._numbers = itertools.count()
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []

    @contextlib.asynccontextmanager
    async def place(self, rank_s: float) -> AsyncIterator[None]:
        """A place for the length of the block."""
        await self._take(rank_s)
        try:
            yield
        finally:
            self._give()

    async def _take(self, rank_s: float) -> None:
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (rank_s, next(self._numbers), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # Let in and cancelled at once: the place is the next one's.
                self._give()
            raise

    def _give(self) -> None:
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
