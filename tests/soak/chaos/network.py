"""The network between client and server is cut, slow, or silent, by a real Toxiproxy.

Each round has a client and an address of its own: gRPC counts what may be tried again by address.
Three calls in four are of the asyncio client, the others of the one that blocks. A call may fail
with UNAVAILABLE where a connection is cut, and be out of its time where the network is silent.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from groundwire import AsyncClient
from tests.hostile.forgetful import Forgetful
from tests.soak.chaos.asking import ask, ask_blocking, until_whole
from tests.soak.chaos.claims import CALLS, LATEST_S, Tally
from tests.soak.chaos.proxies import (
    DOWN,
    UP,
    Proxy,
    Toxic,
    toxiproxy,
)
from tests.soak.chaos.served import WHOLE, Event, Round, Tools, record, serving

BLOCKING = 3
CUT_S = 0.6
"""The longest that connections are cut."""
SILENT_CALL_S = 1.5
PATIENT_CALL_S = 30.0
"""The client's own time for a call."""
CUT_MAY = (*WHOLE, "in", "UNAVAILABLE")
SILENT_MAY = (*CUT_MAY, "DEADLINE_EXCEEDED")


def _reset(_: random.Random) -> list[Toxic]:
    return [("reset_peer", DOWN, {"timeout": 0})]


def _after_some_bytes(chance: random.Random) -> list[Toxic]:
    return [("limit_data", DOWN, {"bytes": chance.randint(500, 8000)})]


def _slow(chance: random.Random) -> list[Toxic]:
    late = {"latency": chance.randint(50, 400), "jitter": 50}
    return [
        ("latency", UP, late),
        ("latency", DOWN, late),
        ("bandwidth", UP, {"rate": 30}),
        ("bandwidth", DOWN, {"rate": 30}),
        ("slow_close", DOWN, {"delay": 300}),
    ]


def _silent(_: random.Random) -> list[Toxic]:
    return [("timeout", UP, {"timeout": 0}), ("timeout", DOWN, {"timeout": 0})]


@dataclass(frozen=True, slots=True)
class _Trouble:
    """Toxics by chance, what calls may come to, their time, and whether all is well before they
    have ended."""

    toxics_of: Callable[[random.Random], list[Toxic]]
    may: tuple[str, ...]
    timeout_s: float = PATIENT_CALL_S
    is_short: bool = False


async def _round(tally: Tally, chance: random.Random, proxy: Proxy, trouble: _Trouble) -> None:
    """Calls, and the toxics in their middle."""
    may, timeout_s = trouble.may, trouble.timeout_s
    toxics = trouble.toxics_of(chance)
    async with AsyncClient(proxy.target) as client:
        title = f"Arden{tally.rounds}"
        asked = [
            asyncio.create_task(
                ask(tally, client, title, chance, may, timeout_s=timeout_s, calls=CALLS - BLOCKING)
            ),
            asyncio.create_task(_blocking(tally, proxy.target, title, trouble)),
        ]
        await asyncio.sleep(chance.uniform(0.0, LATEST_S))
        await asyncio.to_thread(proxy.poison, toxics)
        if trouble.is_short:
            await asyncio.sleep(chance.uniform(0.05, CUT_S))
        else:
            await asyncio.gather(*asked)
        await asyncio.to_thread(proxy.cure, toxics)
        await asyncio.gather(*asked)
        await until_whole(tally, client)


async def _blocking(tally: Tally, target: str, title: str, trouble: _Trouble) -> None:
    towns = [f"{title} b{i}" for i in range(BLOCKING)]
    asked = (ask_blocking(target, town, trouble.timeout_s) for town in towns)
    record(tally, await asyncio.gather(*asked), trouble.may)


def _toxic_event(name: str, trouble: _Trouble) -> Event:
    @asynccontextmanager
    async def scene(tools: Tools) -> AsyncIterator[Round]:
        with toxiproxy(tools.toxiproxy) as proxies, serving({}) as served:

            async def one(tally: Tally, chance: random.Random) -> None:
                proxy = await asyncio.to_thread(proxies.to, served.target)
                await _round(tally, chance, proxy, trouble)
                await asyncio.to_thread(proxy.remove)

            yield one

    return Event(name, scene)


@asynccontextmanager
async def _forgotten(_: Tools) -> AsyncIterator[Round]:
    with serving({}) as served:

        async def one(tally: Tally, chance: random.Random) -> None:
            proxy = Forgetful(served.target)
            async with proxy.running(), AsyncClient(proxy.address) as client:
                title = f"Arden{tally.rounds}"
                asked = asyncio.create_task(
                    ask(tally, client, title, chance, SILENT_MAY, timeout_s=PATIENT_CALL_S)
                )
                await asyncio.sleep(chance.uniform(0.0, LATEST_S))
                proxy.forget()
                await asked
                await until_whole(tally, client)

        yield one


EVENTS = (
    _toxic_event("connections are reset", _Trouble(_reset, CUT_MAY, is_short=True)),
    _toxic_event(
        "connections end after some bytes", _Trouble(_after_some_bytes, CUT_MAY, is_short=True)
    ),
    _toxic_event("the network is slow and narrow", _Trouble(_slow, WHOLE)),
    _toxic_event("the network is silent", _Trouble(_silent, SILENT_MAY, SILENT_CALL_S)),
    Event("one connection is lost without a word", _forgotten, rounds=5),
)
