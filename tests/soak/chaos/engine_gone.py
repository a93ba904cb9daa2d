"""The engine dies or freezes, or the client leaves, in the middle of calls.

Each round has a server of its own. Behind a lost engine it refuses every call, and behind a client
that left it answers the next. On the embedded model, whose process is killed (SIGKILL) or frozen
(SIGSTOP), a wrong verdict may be the model's own: there it is counted and is no fault.
"""

import asyncio
import random
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psutil

from groundwire import AsyncClient
from groundwire_server.app import start_server
from groundwire_server.exit_codes import EXIT_ENGINE_FAILED
from groundwire_verifier.engine.local import LocalBackend
from tests.scripted import MODEL, VERSION, scripted_settings
from tests.serving import serving
from tests.soak.chaos.asking import answer_once, ask, until_whole
from tests.soak.chaos.claims import LATEST_S, Tally, UnevenEngine
from tests.soak.chaos.served import WHOLE, Event, Round, Tools

KILLED, FROZEN, LEFT = "the engine is killed", "the engine freezes", "the client leaves"
CALL_S = 60.0
"""A call that takes longer is at fault: nothing may wait for ever."""
HANG_TIMEOUT_S = 0.3
LATEST_REAL_S = 6.0
GONE_S = 10.0
"""The system ends an engine with its server; giving back gigabytes takes it a moment."""
MAY = (*WHOLE, "in", "UNAVAILABLE")
LEFT_MAY = (*MAY, "CANCELLED", "ClientClosedError")
MISREAD = "the model takes an untrue claim for true"


def _scripted(name: str) -> Event:
    @asynccontextmanager
    async def scene(_: Tools) -> AsyncIterator[Round]:
        async def one(tally: Tally, chance: random.Random) -> None:
            await _scripted_round(tally, chance, name)

        yield one

    return Event(name, scene, rounds=100)


async def _scripted_round(tally: Tally, chance: random.Random, name: str) -> None:
    engine = UnevenEngine(chance)
    backend = LocalBackend(MODEL, lambda: engine, HANG_TIMEOUT_S)
    settings = scripted_settings(result_cache_entries=100)
    async with start_server(settings, {"local": backend}, VERSION) as running:
        await backend.start()
        running.set_serving(True)
        async with AsyncClient(running.target) as client, AsyncClient(running.target) as other:
            may = LEFT_MAY if name == LEFT else MAY
            title = f"Arden{tally.rounds}"
            asked = asyncio.create_task(ask(tally, client, title, chance, may, timeout_s=CALL_S))
            await asyncio.sleep(chance.uniform(0.0, LATEST_S))
            if name == LEFT:
                await client.close()
                await asked
                await until_whole(tally, other)
            else:
                engine.die() if name == KILLED else engine.hang()
                await asked
                await asyncio.wait_for(backend.wait_failed(), CALL_S)
                if not (said := await answer_once(other, "After", CALL_S)).startswith("UNAVAIL"):
                    tally.faults.append(f"a call after it: {said}")
        await backend.stop()


def _real(name: str, signal_: signal.Signals) -> Event:
    @asynccontextmanager
    async def scene(_: Tools) -> AsyncIterator[Round]:
        async def one(tally: Tally, chance: random.Random) -> None:
            await _real_round(tally, chance, signal_)

        yield one

    return Event(f"{name}, on the embedded model", scene, rounds=5)


async def _real_round(tally: Tally, chance: random.Random, signal_: signal.Signals) -> None:
    with serving() as served:
        engines = [psutil.Process(pid) for pid in served.engine_pids()]
        async with AsyncClient(served.target) as client:
            title = f"Arden{tally.rounds}"
            may = (*MAY, "WRONG:")
            asked = asyncio.create_task(ask(tally, client, title, chance, may, timeout_s=CALL_S))
            await asyncio.sleep(chance.uniform(0.0, LATEST_REAL_S))
            for engine in engines:
                engine.send_signal(signal_)
            await asked
        for wrong in [each for each in tally.outcomes if each.startswith("WRONG:")]:
            tally.outcomes[MISREAD] += tally.outcomes.pop(wrong)
        code = await asyncio.to_thread(served.process.wait, CALL_S)
        if code != EXIT_ENGINE_FAILED:
            tally.faults.append(f"the server ended with {code}")
        _, left = psutil.wait_procs(engines, timeout=GONE_S)
        if left:
            tally.faults.append(f"{len(left)} processes of the engine are left")


EVENTS = tuple(map(_scripted, (KILLED, FROZEN, LEFT)))
ON_THE_MODEL = (_real(KILLED, signal.SIGKILL), _real(FROZEN, signal.SIGSTOP))
