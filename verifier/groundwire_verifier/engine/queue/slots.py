"""Places for so many calls at one time; of those that wait, the most urgent goes first.

Of several tenants that one goes next which has the fewest places for its weight. A call that has a
place keeps it until it ends. So what is due at no time has half of them at most: whoever is waited
for finds one of the others.
"""

import asyncio
import contextlib
import heapq
import itertools
import math
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from groundwire_verifier.domain.urgency import Tenant, Urgency


class EndpointSlots:
    """`most` places. Of a tenant the lowest rank is let in first, and of one rank who came first.

    At most half of them, but one in any case, go to an infinite rank.
    """

    def __init__(self, most: int) -> None:
        self._all = _Slots(most)
        self._whenever = _Slots(max(1, most // 2))

    @contextlib.asynccontextmanager
    async def place(self, urgency: Urgency) -> AsyncIterator[None]:
        """A place for the length of the block."""
        is_due = not math.isinf(urgency.rank_s)
        async with (
            contextlib.nullcontext() if is_due else self._whenever.turn(urgency),
            self._all.turn(urgency),
        ):
            yield


@dataclass(slots=True)
class _Line:
    """A tenant's turns: how many it has, and who waits for one by rank and number."""

    tenant: Tenant
    held: int = 0
    waiting: list[tuple[float, int, asyncio.Future[None]]] = field(default_factory=list)

    @property
    def next(self) -> tuple[float, float, int]:
        """What is lowest for the tenant that goes next."""
        rank_s, number, _ = self.waiting[0]
        return self.held / self.tenant.weight, rank_s, number


class _Slots:
    """So many at one time."""

    def __init__(self, most: int) -> None:
        self._free = most
        self._numbers = itertools.count()
        # Of tenants that have a turn or wait for one.
        self._lines: dict[str, _Line] = {}

    @contextlib.asynccontextmanager
    async def turn(self, urgency: Urgency) -> AsyncIterator[None]:
        """Have one for the length of the block."""
        line = self._lines.setdefault(urgency.tenant.key, _Line(urgency.tenant))
        await self._take(line, urgency.rank_s)
        try:
            yield
        finally:
            self._give(line)

    async def _take(self, line: _Line, rank_s: float) -> None:
        if self._free:
            self._free -= 1
            line.held += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(line.waiting, (rank_s, next(self._numbers), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # Let in and cancelled at once: the place is the next one's.
                self._give(line)
            raise

    def _give(self, line: _Line) -> None:
        line.held -= 1
        self._free += 1
        self._drop_if_empty(line)
        while self._free and (waiting := [each for each in self._lines.values() if each.waiting]):
            first = min(waiting, key=lambda each: each.next)
            _, _, turn = heapq.heappop(first.waiting)
            if turn.done():
                # Nobody waits for it any more.
                self._drop_if_empty(first)
                continue
            self._free -= 1
            first.held += 1
            turn.set_result(None)

    def _drop_if_empty(self, line: _Line) -> None:
        if not line.held and not line.waiting:
            self._lines.pop(line.tenant.key, None)
