"""The server is killed at a random moment, and started again.

As a supervisor does it. Calls in flight come to an end: whole by a retry of the client, or
UNAVAILABLE. Outputs that were accepted, before or behind that, are all done afterwards. They are
queued in a file.
"""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from groundwire import AsyncClient
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
    WHOLE,
    Child,
    Event,
    Round,
    Tools,
    record,
    serving,
)

OUTPUTS = 8
AWAY_S = 1.0
"""The longest that nobody starts it again."""
MAY = (*WHOLE, "UNAVAILABLE")


@asynccontextmanager
async def _scene(tools: Tools) -> AsyncIterator[Round]:
    settings = {
        "output_verification_enabled": True,
        "output_verification_store": str(tools.folder / "outputs.sqlite"),
    }
    with serving(settings) as served:

        async def one(tally: Tally, chance: random.Random) -> None:
            await _round(tally, chance, served)

        yield one


async def _round(tally: Tally, chance: random.Random, served: Child) -> None:
    title = f"Arden{tally.rounds}"
    ids: list[str] = []
    async with AsyncClient(served.target) as client:
        asked = [
            asyncio.create_task(ask(tally, client, title, chance, MAY)),
            asyncio.create_task(_submit(tally, client, title, chance, ids)),
        ]
        await asyncio.sleep(chance.uniform(0.0, LATEST_S))
        await asyncio.to_thread(served.kill)
        await asyncio.sleep(chance.uniform(0.0, AWAY_S))
        await asyncio.to_thread(served.start)
        await asyncio.gather(*asked)
        await until_whole(tally, client)
        town = f"{title} again"
        await until(tally, lambda: accept(client, town, ids), ("output",), "not taken again")
        await check_outputs(tally, client, ids)


async def _submit(
    tally: Tally, client: AsyncClient, title: str, chance: random.Random, ids: list[str]
) -> None:
    """Outputs at moments of their own."""

    async def one(number: int) -> str:
        await asyncio.sleep(chance.uniform(0.0, LATEST_S))
        return await accept(client, f"{title} kept {number}", ids)

    found = await asyncio.gather(*map(one, range(OUTPUTS)))
    record(tally, found, (ACCEPTED.split()[0], "UNAVAILABLE"))


EVENTS = (Event("the server is killed and started again", _scene),)
