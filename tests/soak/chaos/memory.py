"""The server may have so much memory and no more, and large requests come until that is reached.

In a control group of its own, as a container has one. With the default bounds of what may be
pending the kernel kills the process; with bounds that fit its memory it refuses instead, and lives.
Either way what was accepted before is finished, where it was killed after its restart.
"""

import asyncio
import os
import random
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from groundwire import AsyncClient
from tests.soak.chaos.asking import (
    CALL_S,
    RECOVERY_S,
    ask,
    check_outputs,
    outcome,
    submit,
    until_whole,
)
from tests.soak.chaos.claims import Tally
from tests.soak.chaos.served import (
    WHOLE,
    Child,
    Event,
    NotHereError,
    Round,
    Tools,
    most,
    record,
    serving,
)

OUTPUTS = 3
LARGE_CALLS, LARGE_CHARACTERS = 24, 15_000_000
MORE_MIB = 128
"""What the server may take in addition to what it has once it serves."""
FITTING = {"max_pending_bytes": 8 << 20, "max_message_bytes": 4 << 20}
"""Bounds for a server with that little; a request larger than them is refused."""
_CGROUPS = Path("/sys/fs/cgroup")
MAY = (*WHOLE, "UNAVAILABLE", "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED")


@contextmanager
def _bounded(child: Child, more_mib: int) -> Iterator[Path]:
    """The server's processes may take so much more meanwhile. Raises NotHereError."""
    old = _CGROUPS / "memory"
    is_old = old.is_dir()
    group = (old if is_old else _CGROUPS) / f"groundwire-chaos-{os.getpid()}"
    limit = "memory.limit_in_bytes" if is_old else "memory.max"
    try:
        group.mkdir()
    except OSError as error:
        raise NotHereError(f"no control group can be made: {error.strerror}") from error
    try:
        # What a process has already stays with the group that it had it in.
        for each in child.family():
            (group / "cgroup.procs").write_text(str(each.pid))
        (group / limit).write_text(str(more_mib << 20))
    except OSError as error:
        group.rmdir()
        raise NotHereError(f"the control group takes no bound: {error.strerror}") from error
    try:
        yield group
    finally:
        _leave(group, child)


def _leave(group: Path, child: Child) -> None:
    """Put what lives back, and remove the group."""
    if child.is_there:
        for each in child.family():
            with suppress(OSError):
                (group.parent / "cgroup.procs").write_text(str(each.pid))
    # What was forked in between, or is dying, keeps it for a moment.
    for _ in range(200):
        with suppress(OSError):
            for pid in (group / "cgroup.procs").read_text().split():
                (group.parent / "cgroup.procs").write_text(pid)
            group.rmdir()
            return


def _event(name: str, bounds: Mapping[str, object], rounds: int) -> Event:
    @asynccontextmanager
    async def scene(tools: Tools) -> AsyncIterator[Round]:
        settings = {
            "output_verification_enabled": True,
            "output_verification_store": str(tools.folder / "outputs.sqlite"),
            **bounds,
        }
        with serving(settings) as served:

            async def one(tally: Tally, chance: random.Random) -> None:
                await _round(tally, chance, served)

            yield one

    return Event(name, scene, rounds)


async def _round(tally: Tally, chance: random.Random, served: Child) -> None:
    title = f"Arden{tally.rounds}"
    async with AsyncClient(served.target, max_message_bytes=64 << 20) as client:
        kept = [await submit(client, f"{title} kept {i}") for i in range(OUTPUTS)]
        with _bounded(served, MORE_MIB) as group:
            large = [_large(client, chance) for _ in range(LARGE_CALLS)]
            await asyncio.gather(
                _recorded(tally, large),
                ask(tally, client, title, chance, MAY),
            )
            is_killed = not await _lives(served)
            peak = group / "memory.max_usage_in_bytes"
            if peak.is_file():
                most(tally, f"of {MORE_MIB} MiB in addition, MiB", int(peak.read_text()) / 2**20)
        if is_killed:
            assert served.process is not None
            tally.outcomes[f"server ended by signal {-served.process.wait()}"] += 1
            await asyncio.to_thread(served.start)
        else:
            tally.outcomes["server lives"] += 1
        await until_whole(tally, client)
        await check_outputs(tally, client, kept)


async def _lives(served: Child) -> bool:
    """Whether it does a moment later, too: a process that is being killed takes that long to go."""
    for _ in range(20):
        if not served.is_there:
            return False
        await asyncio.sleep(0.05)
    return True


async def _recorded(tally: Tally, asked: "list[asyncio.Future[str]]") -> None:
    said = await asyncio.gather(*asked)
    record(tally, [f"{each} (large)" for each in said], MAY)


def _large(client: AsyncClient, chance: random.Random) -> "asyncio.Future[str]":
    async def asked() -> str:
        await asyncio.sleep(chance.uniform(0.0, 0.5))
        text = f"{chance.random()} " + "a" * LARGE_CHARACTERS
        await client.batch_estimate(["A claim."], text, timeout_s=CALL_S)
        return "whole"

    return asyncio.ensure_future(outcome(asked(), max(CALL_S, RECOVERY_S)))


EVENTS = (
    _event("the memory is used up, with default bounds", {}, rounds=8),
    _event("the memory is used up, with bounds that fit", FITTING, rounds=8),
)
