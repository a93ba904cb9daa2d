"""The shared result cache goes, or freezes, in the middle of calls, and comes back.

A real Redis, which the server keeps its readings in; its own memory holds one. Every call must be
whole: what Redis does not tell at once is read. Behind it the server must use Redis again.
"""

import asyncio
import itertools
import random
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from groundwire import AsyncClient
from tests.redis_server import RunningRedis, running_redis
from tests.soak.chaos.asking import ask, until, until_whole
from tests.soak.chaos.claims import LATEST_S, Tally
from tests.soak.chaos.served import Event, Round, Tools, serving

AWAY_S = 0.6
"""The longest that Redis is away."""


def scene_of(*, is_killed: bool) -> Event:
    """The event where Redis is killed, or frozen."""

    @asynccontextmanager
    async def scene(tools: Tools) -> AsyncIterator[Round]:
        folder = tools.folder / "redis"
        folder.mkdir(exist_ok=True)
        with running_redis(folder) as redis:
            settings = {
                "result_cache_entries": 1,
                "result_cache_url": redis.url,
                "result_cache_key": secrets.token_hex(32),
            }
            with serving(settings) as served:
                async with AsyncClient(served.target) as client:

                    async def one(tally: Tally, chance: random.Random) -> None:
                        await _round(tally, chance, client, redis, is_killed=is_killed)

                    yield one

    name = "Redis is killed and started again" if is_killed else "Redis freezes and goes on"
    return Event(name, scene)


async def _round(
    tally: Tally,
    chance: random.Random,
    client: AsyncClient,
    redis: RunningRedis,
    *,
    is_killed: bool,
) -> None:
    # Its towns are those of the round before, too, so that a part of the readings is in Redis.
    titles = [f"Arden{tally.rounds - 1}", f"Arden{tally.rounds}"]
    asked = [asyncio.create_task(ask(tally, client, title, chance)) for title in titles]
    await asyncio.sleep(chance.uniform(0.0, LATEST_S))
    away_s = chance.uniform(0.0, AWAY_S)
    if is_killed:
        await asyncio.to_thread(redis.kill)
        await asyncio.sleep(away_s)
        await asyncio.to_thread(redis.start_again)
    else:
        with redis.frozen():
            await asyncio.sleep(away_s)
    await asyncio.gather(*asked)
    await until_whole(tally, client)
    await _until_used(tally, client, redis, chance)


async def _until_used(
    tally: Tally, client: AsyncClient, redis: RunningRedis, chance: random.Random
) -> None:
    """Ask on until a new reading is in Redis."""
    before = await asyncio.to_thread(redis.plain.dbsize)
    numbers = itertools.count()

    async def once() -> str:
        if await asyncio.to_thread(redis.plain.dbsize) > before:
            return "used"
        await ask(tally, client, f"Again{tally.rounds}x{next(numbers)}", chance, calls=1)
        return "unused"

    await until(tally, once, ("used",), "Redis is not used again")


EVENTS = (scene_of(is_killed=True), scene_of(is_killed=False))
