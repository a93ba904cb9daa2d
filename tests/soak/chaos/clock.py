"""The wall clock of the server jumps an hour or a day, forward and back, while calls run.

By libfaketime, which is put in front of the server's clock and leaves the monotonic one alone, as a
jump of the real one does; the clients' clock does not move. Nothing that is a span of time may
follow: a call that cannot be answered ends at its deadline, a quota is neither filled up nor shut
for longer, a peer with wrong tokens is not forgiven, readings and accepted outputs are not lost.
"""

import asyncio
import datetime
import json
import random
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.tools.common import BenchError
from groundwire import (
    AsyncClient,
    DeadlineExceededError,
    RpcFailedError,
    ServerBusyError,
    UnauthenticatedError,
)
from tests.scripted_services.tenants import make_tokens
from tests.soak.chaos.asking import GRACE_S, ask, check_outputs, submit, until_whole
from tests.soak.chaos.claims import LATEST_S, Tally
from tests.soak.chaos.served import Event, NotHereError, Round, Tools, most, serving
from tests.soak.chaos.server import LOGIN_PAUSE_S, STUCK

HOUR, DAY = 3600, 24 * 3600
STUCK_CALL_S = 1.0
QUOTA_S = 1.0
"""After so long the small tenant may call again."""
SURE = 0.7
"""So much of a time must be left, or over, for that to be judged on a machine with other work."""
WRONG_TOKENS = 6
"""After so many a peer waits for LOGIN_PAUSE_S."""


class Clock:
    """What the server takes for the time: the real one and so many seconds."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.ahead_s = 0
        self.jump(0)

    def jump(self, ahead_s: int) -> None:
        """From now on it is so far ahead."""
        self.ahead_s = ahead_s
        new = self.file.with_suffix(".new")
        new.write_text(f"{ahead_s:+d}\n")
        new.rename(self.file)

    def environment(self, library: Path) -> dict[str, str]:
        """That of a process whose clock this is."""
        return {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }


def library_of(tools: Tools) -> Path:
    """What moves clocks. Raises NotHereError."""
    if tools.faketime is None or not tools.faketime.is_file():
        raise NotHereError(
            "libfaketime is not here: install it (apt: faketime), and give --faketime "
            "with the path of libfaketimeMT.so.1"
        )
    return tools.faketime


@dataclass(frozen=True, slots=True)
class _Set:
    """The scene: the clock, the lines that tell the server's time, and clients."""

    clock: Clock
    record: Path
    target: str
    client: AsyncClient
    small: AsyncClient
    wrong: AsyncClient


def _event(name: str, jump_s: int) -> Event:
    @asynccontextmanager
    async def scene(tools: Tools) -> AsyncIterator[Round]:
        library = library_of(tools)
        clock, record = Clock(tools.folder / "clock"), tools.folder / "audit.jsonl"
        tokens = make_tokens(tools.folder / "tokens", "large", "small")
        quotas = tools.folder / "tenants.yaml"
        quotas.write_text(f"tenants: {{large: {{}}, small: {{calls_per_s: {1 / QUOTA_S}}}}}\n")
        settings = {
            "auth_token_file": str(tools.folder / "tokens"),
            "tenants_file": str(quotas),
            "result_cache_entries": 1000,
            "audit_record_file": str(record),
            "output_verification_enabled": True,
            "output_verification_store": str(tools.folder / "outputs.sqlite"),
        }
        with serving(settings, clock.environment(library)) as served:
            async with AsyncExitStack() as stack:
                clients = [
                    await stack.enter_async_context(AsyncClient(served.target, token=token))
                    for token in (*tokens, "no-token-of-this-server")
                ]
                all_of_it = _Set(clock, record, served.target, *clients)
                for _ in range(WRONG_TOKENS):
                    await _refused_after_s(all_of_it.wrong)

                async def one(tally: Tally, chance: random.Random) -> None:
                    await _round(tally, chance, all_of_it, jump_s)

                yield one

    return Event(name, scene)


async def _round(tally: Tally, chance: random.Random, scene: _Set, jump_s: int) -> None:
    title = f"Arden{tally.rounds}"
    client = scene.client
    kept = [await submit(client, title)]
    asked = [
        asyncio.create_task(ask(tally, client, title, chance)),
        asyncio.create_task(stuck(tally, client)),
        asyncio.create_task(_quota(tally, scene, chance)),
        asyncio.create_task(_login(tally, scene)),
    ]
    await asyncio.sleep(chance.uniform(0.0, LATEST_S))
    places = [place for place in (-jump_s, 0, jump_s) if place != scene.clock.ahead_s]
    scene.clock.jump(chance.choice(places))
    kept.append(await submit(client, f"{title} later"))
    await asyncio.gather(*asked)
    await until_whole(tally, client)
    await check_outputs(tally, client, kept)
    await _check_it_jumped(scene)


async def stuck(tally: Tally, client: AsyncClient) -> None:
    """A call without an answer ends at its deadline, and not before."""
    began_s = time.monotonic()
    try:
        await client.estimate(STUCK, timeout_s=STUCK_CALL_S)
    except DeadlineExceededError:
        passed_s = time.monotonic() - began_s
        most(tally, f"a deadline of {STUCK_CALL_S:g} s came after, s", passed_s)
        tally.outcomes["DEADLINE_EXCEEDED, as it must"] += 1
        if not SURE * STUCK_CALL_S < passed_s < STUCK_CALL_S + GRACE_S:
            tally.faults.append(f"a deadline of {STUCK_CALL_S:g} s came after {passed_s:.2f} s")
    else:
        tally.faults.append("a call that nobody answers was answered")


async def _quota(tally: Tally, scene: _Set, chance: random.Random) -> None:
    """A tenant that used its quota is refused until its time is over, whatever the clock says."""
    # It counted at some moment behind that.
    began_s = await _let_in_at_s(scene.small)
    await asyncio.sleep(chance.uniform(0.0, LATEST_S))
    refused = not await _is_let_in(scene.small)
    passed_s = time.monotonic() - began_s
    tally.outcomes["QUOTA_EXCEEDED, as it must" if refused else "let in by a quota"] += 1
    if not refused and passed_s < SURE * QUOTA_S:
        tally.faults.append(f"a quota was filled up after {passed_s:.2f} s")
    again_s = await _let_in_at_s(scene.small) - began_s
    most(tally, f"a quota of {QUOTA_S:g} s let in again after, s", again_s)
    if again_s > QUOTA_S + GRACE_S:
        tally.faults.append(f"a quota let in again after {again_s:.2f} s only")


async def _is_let_in(client: AsyncClient) -> bool:
    try:
        await client.estimate("A claim.")
    except ServerBusyError:
        return False
    return True


async def _let_in_at_s(client: AsyncClient) -> float:
    """When the call began that was let in, after any that were not."""
    while True:
        began_s = time.monotonic()
        if await _is_let_in(client):
            return began_s
        await asyncio.sleep(0.05)


async def _login(tally: Tally, scene: _Set) -> None:
    """A peer that has failed before waits, as it would without the jump."""
    for _ in range(2):
        passed_s = await _refused_after_s(scene.wrong)
        most(tally, "a wrong token was refused after, s", passed_s)
        tally.outcomes["UNAUTHENTICATED, as it must"] += 1
        if not SURE * LOGIN_PAUSE_S < passed_s < LOGIN_PAUSE_S + GRACE_S:
            tally.faults.append(f"a wrong token was refused after {passed_s:.2f} s")


async def _refused_after_s(client: AsyncClient) -> float:
    began_s = time.monotonic()
    try:
        await client.estimate("A claim.")
    except UnauthenticatedError:
        return time.monotonic() - began_s
    except RpcFailedError as error:
        raise BenchError(f"a wrong token was not refused as such: {error}") from error
    raise BenchError("a wrong token was let in")


async def _check_it_jumped(scene: _Set) -> None:
    """The server itself must have seen the jump, or nothing was tried."""
    end_s = time.monotonic() + GRACE_S
    while time.monotonic() < end_s:
        lines = scene.record.read_text(encoding="utf-8").splitlines()
        if lines:
            told = str(json.loads(lines[-1])["time"])
            if abs(_seconds_of(told) - time.time() - scene.clock.ahead_s) < HOUR / 2:
                return
        await asyncio.sleep(0.1)
    raise BenchError("the clock of the server did not jump: libfaketime does not reach it")


def _seconds_of(told: str) -> float:
    return datetime.datetime.fromisoformat(told).timestamp()


EVENTS = (
    _event("the clock jumps by an hour", HOUR),
    _event("the clock jumps by a day", DAY),
)
