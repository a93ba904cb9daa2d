"""The PostgreSQL that outputs are queued in goes, freezes, or has no room, at a random moment.

Its disk is a file system in memory, filled up and emptied. No other call fails for any of it. An
output is accepted, or refused with a reason, and what was accepted has its result behind it. Where
the database's own journal finds no room it ends by itself, and is started again, as a service is.
"""

import asyncio
import random
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager

from groundwire import AsyncClient
from tests.postgres import Postgres, postgres_on
from tests.small_disk import fill
from tests.soak.chaos.asking import (
    ACCEPTED,
    accept,
    ask,
    check_outputs,
    until,
    until_whole,
)
from tests.soak.chaos.claims import LATEST_S, Tally
from tests.soak.chaos.served import (
    Child,
    Event,
    NotHereError,
    Round,
    Tools,
    most,
    serving,
)

SIZE = "48m"
OUTPUTS = 12
FULL_S = 2.0
"""The longest that it is full behind the calls."""
AWAY_S = 2.0
"""The longest that PostgreSQL is away."""
REFUSED = "UNAVAILABLE QUEUE_UNAVAILABLE"


Disturb = Callable[[Tally, random.Random, AsyncClient, Postgres, list[str]], Awaitable[None]]
"""What is done to a database while calls run, until it is as it was; ids are those accepted."""


def _event(name: str, disturb: Disturb, rounds: int, disk_size: str = "") -> Event:
    @asynccontextmanager
    async def scene(_: Tools) -> AsyncIterator[Round]:
        with ExitStack() as stack:
            try:
                database = stack.enter_context(postgres_on(disk_size))
            except OSError as error:
                raise NotHereError(str(error)) from error
            settings = {
                "output_verification_enabled": True,
                "output_verification_store": database.url,
            }
            served = stack.enter_context(serving(settings))

            async def one(tally: Tally, chance: random.Random) -> None:
                async with AsyncClient(served.target) as client:
                    await _round(tally, chance, served, client, database, disturb)

            yield one

    return Event(name, scene, rounds)


async def _round(  # noqa: PLR0917 - the scene's, and what is done
    tally: Tally,
    chance: random.Random,
    served: Child,
    client: AsyncClient,
    database: Postgres,
    disturb: Disturb,
) -> None:
    title = f"Arden{tally.rounds}"
    ids: list[str] = []
    asked = [
        asyncio.create_task(ask(tally, client, title, chance)),
        asyncio.create_task(_submit(tally, client, title, chance, ids)),
    ]
    await asyncio.sleep(chance.uniform(0.0, LATEST_S))
    await disturb(tally, chance, client, database, ids)
    await asyncio.gather(*asked)
    began_s = time.monotonic()
    await until_whole(tally, client)
    town = f"{title} again"
    if await until(tally, lambda: accept(client, town, ids), ("output",), "not taken again"):
        most(tally, "taken again after, s", time.monotonic() - began_s)
    await check_outputs(tally, client, ids)
    if not served.is_there:
        tally.faults.append("the server has ended")


async def _fill_up(
    tally: Tally, chance: random.Random, client: AsyncClient, database: Postgres, ids: list[str]
) -> None:
    title, ballast = f"Arden{tally.rounds} full", database.folder / "ballast"
    await asyncio.to_thread(fill, ballast)
    # Only now is it certain that the next ones find it full.
    await _submit(tally, client, title, chance, ids)
    await ask(tally, client, title, chance)
    await asyncio.sleep(chance.uniform(0.0, FULL_S))
    ballast.unlink()
    if not await asyncio.to_thread(lambda: database.is_there):
        tally.outcomes["the database had ended"] += 1
        await asyncio.to_thread(database.start)
    most(tally, "MiB on the disk", shutil.disk_usage(database.folder).used / 2**20)


async def _kill(
    tally: Tally, chance: random.Random, client: AsyncClient, database: Postgres, ids: list[str]
) -> None:
    await asyncio.to_thread(database.kill)
    # These find nobody, whatever moment the others came at.
    await _submit(tally, client, f"Arden{tally.rounds} gone", chance, ids)
    await asyncio.sleep(chance.uniform(0.0, AWAY_S))
    await asyncio.to_thread(database.start)


async def _freeze(
    tally: Tally, chance: random.Random, client: AsyncClient, database: Postgres, ids: list[str]
) -> None:
    with database.frozen():
        late = asyncio.create_task(
            _submit(tally, client, f"Arden{tally.rounds} frozen", chance, ids)
        )
        await asyncio.sleep(chance.uniform(LATEST_S, AWAY_S))
    await late


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


EVENTS = (
    _event("the disk under PostgreSQL is full", _fill_up, rounds=12, disk_size=SIZE),
    _event("PostgreSQL is killed and started again", _kill, rounds=20),
    _event("PostgreSQL freezes and goes on", _freeze, rounds=20),
)
