"""Turns at what there is little of, such as a process for texts: callers go one after the other.

So a backlog of one caller is not in the way of another, who waits for one work of each at most.
Where no token is asked for all are one caller, and go as they come.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from groundwire_server.access.callers import CALLER, Caller


class RoundRobin:
    """`most` turns at one time."""

    def __init__(self, most: int = 1) -> None:
        self._free = most
        # By caller, and that first which goes next.
        self._waiting: OrderedDict[Caller, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Have one for the length of the block, for the call that is being served."""
        await self._take(CALLER.get())
        try:
            yield
        finally:
            self._give()

    async def _take(self, caller: Caller) -> None:
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                # Let in and cancelled at once: the turn is the next one's.
                self._give()
            raise

    def _give(self) -> None:
        while self._waiting:
            caller, line = next(iter(self._waiting.items()))
            turn = line.popleft()
            self._waiting.move_to_end(caller)
            if not line:
                del self._waiting[caller]
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
