"""Places for so many calls at one time; of those that wait, the most urgent goes first.

A call that has a place keeps it until it ends. So what is due at no time has half of them at most:
whoever is waited for finds one of the others.

Knows ranks. Does not know what the calls do.
"""

import asyncio
import contextlib
import heapq
import itertools
import math
from collections.abc import AsyncIterator


class Places:
    """`most` places. The lowest rank is let in first, and of one rank who came first.

    At most half of them, but one in any case, go to an infinite rank.
    """

    def __init__(self, most: int) -> None:
        self._all = _Turns(most)
        self._whenever = _Turns(max(1, most // 2))

    @contextlib.asynccontextmanager
    async def place(self, rank_s: float) -> AsyncIterator[None]:
        """A place for the length of the block."""
        is_due = not math.isinf(rank_s)
        async with (
            contextlib.nullcontext() if is_due else self._whenever.turn(rank_s),
            self._all.turn(rank_s),
        ):
            yield


class _Turns:
    """So many at one time, by rank."""

    def __init__(self, most: int) -> None:
        self._free = most
        self._numbers = itertools.count()
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []

    @contextlib.asynccontextmanager
    async def turn(self, rank_s: float) -> AsyncIterator[None]:
        """Have one for the length of the block."""
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
