"""Turns at what there is little of: a backlog of one caller is not in the way of another."""

import asyncio
import os

import pytest

from groundwire_server.access.callers import CALLER, Caller
from groundwire_server.access.round_robin import RoundRobin
from groundwire_server.text_work.pool import TextWork
from tests.scripted import WAIT_LIMIT_S

ACME, ZETA = Caller("acme"), Caller("zeta")


class Line:
    """Who waits for turns, and in which order they had them."""

    def __init__(self, turns: RoundRobin) -> None:
        self._turns = turns
        self.had: list[str] = []
        self.go = asyncio.Semaphore(0)

    async def come(self, name: str, caller: Caller) -> asyncio.Task[None]:
        async def waits() -> None:
            CALLER.set(caller)
            async with self._turns.one():
                self.had.append(name)
                await self.go.acquire()

        task = asyncio.create_task(waits())
        await asyncio.sleep(0)
        return task


@pytest.mark.parametrize("most", [1, 2])
async def test_callers_go_in_turn_and_the_works_of_each_in_their_order(most: int) -> None:
    line = Line(RoundRobin(most))
    names = [*(f"acme {i}" for i in range(6)), "zeta 0", "zeta 1"]
    tasks = [await line.come(name, ACME if "acme" in name else ZETA) for name in names]
    assert line.had == names[:most]
    for _ in tasks:
        line.go.release()
    await asyncio.gather(*tasks)
    assert line.had.index("zeta 0") <= most + 1
    assert line.had.index("zeta 1") <= most + 3
    for caller in ("acme", "zeta"):
        own = [name for name in line.had if caller in name]
        assert own == sorted(own)


async def test_who_leaves_gives_the_turn_on() -> None:
    line = Line(RoundRobin())
    first, left, last = [await line.come(name, ACME) for name in ("first", "left", "last")]
    left.cancel()
    line.go.release()
    line.go.release()
    await asyncio.gather(first, last)
    # Given its turn and cancelled at once.
    first, left, last = [await line.come(name, ACME) for name in ("first", "left", "last")]
    first.cancel()
    await asyncio.sleep(0)
    left.cancel()
    line.go.release()
    await last
    assert line.had == ["first", "last", "first", "last"]


async def test_texts_of_one_caller_do_not_stand_before_those_of_another() -> None:
    work = TextWork(1, WAIT_LIMIT_S)
    done: list[Caller] = []

    async def works(caller: Caller) -> None:
        CALLER.set(caller)
        await work.run(os.getpid)
        done.append(caller)

    await asyncio.gather(*map(works, [ACME] * 20 + [ZETA]))
    await work.close()
    assert done.index(ZETA) <= 2
