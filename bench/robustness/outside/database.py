"""The disk under the PostgreSQL that outputs are queued in is full at a random moment.

A file system in memory, filled up and emptied. No other call fails for that. An output is accepted,
or refused with a reason, and what was accepted has its result once there is room again. Where the
database's own journal finds no room it ends by itself, and is started again, as a service is.
"""

import asyncio
import random
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

from bench.robustness.chaos import LATEST_S, Tally
from bench.robustness.outside.asking import (
    ACCEPTED,
    accept,
    ask,
    check_outputs,
    until,
    until_whole,
)
from bench.robustness.outside.served import (
    Child,
    Event,
    NotHereError,
    Round,
    Tools,
    most,
    serving,
)
from groundwire import AsyncClient
from tests.postgres import Postgres, postgres_on
from tests.small_disk import fill

SIZE = "48m"
OUTPUTS = 12
FULL_S = 2.0
"""The longest that it is full behind the calls."""
REFUSED = "UNAVAILABLE QUEUE_UNAVAILABLE"


@asynccontextmanager
async def _scene(_: Tools) -> AsyncIterator[Round]:
    with ExitStack() as stack:
        try:
            database = stack.enter_context(postgres_on(SIZE))
        except OSError as error:
            raise NotHereError(str(error)) from error
        settings = {
            "output_verification_enabled": True,
            "output_verification_store": database.url,
        }
        served = stack.enter_context(serving(settings))

        async def one(tally: Tally, chance: random.Random) -> None:
            async with AsyncClient(served.target) as client:
                await _round(tally, chance, served, client, database)

        yield one


async def _round(
    tally: Tally, chance: random.Random, served: Child, client: AsyncClient, database: Postgres
) -> None:
    title, ballast = f"Arden{tally.rounds}", database.folder / "ballast"
    ids: list[str] = []
    asked = [
        asyncio.create_task(ask(tally, client, title, chance)),
        asyncio.create_task(_submit(tally, client, title, chance, ids)),
    ]
    await asyncio.sleep(chance.uniform(0.0, LATEST_S))
    await asyncio.to_thread(fill, ballast)
    # Only now is it certain that the next ones find it full.
    await _submit(tally, client, f"{title} full", chance, ids)
    await asyncio.gather(*asked)
    await ask(tally, client, f"{title} full", chance)
    await asyncio.sleep(chance.uniform(0.0, FULL_S))
    ballast.unlink()
    if not await asyncio.to_thread(lambda: database.is_there):
        tally.outcomes["the database had ended"] += 1
        await asyncio.to_thread(database.start)
    began_s = time.monotonic()
    await until_whole(tally, client)
    town = f"{title} again"
    if await until(tally, lambda: accept(client, town, ids), ("output",), "not taken again"):
        most(tally, "taken again after, s", time.monotonic() - began_s)
    await check_outputs(tally, client, ids)
    if not served.is_there:
        tally.faults.append("the server has ended")
    most(tally, "MiB on the disk", shutil.disk_usage(database.folder).used / 2**20)


async def _submit(
    tally: Tally, client: AsyncClient, title: str, chance: random.Random, ids: list[str]
) -> None:
    """Outputs at moments of their own: each is accepted, or refused with a reason."""

    async def one(number: int) -> str:
        await asyncio.sleep(chance.uniform(0.0, LATEST_S))
        return await accept(client, f"{title} kept {number}", ids)

    found = await asyncio.gather(*map(one, range(OUTPUTS)))
    tally.outcomes.update(found)
    tally.faults += [each for each in found if each not in (ACCEPTED, REFUSED)]


EVENTS = (Event("the disk under PostgreSQL is full", _scene, rounds=12),)
