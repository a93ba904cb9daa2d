"""The disk is full at a random moment: the audit record, feedback and the outputs lie on it.

A file system in memory, filled up and emptied. No call fails for that. An output or feedback is
kept, or refused with a reason: feedback, too, where the detection that it is on found no room. What
was accepted has its result once there is room again, also where the server was killed in between.
"""

import asyncio
import json
import random
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from groundwire import AsyncClient
from tests.small_disk import fill, mount_disk, unmount_disk
from tests.soak.chaos.asking import (
    CALL_S,
    accept,
    ask,
    check_outputs,
    feedback,
    outcome,
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
    record,
    serving,
)

SIZE = "12m"
OUTPUTS = 4
FULL_S = 0.6
KEPT = ("output", "feedback")
"""The first words of what was kept."""
REFUSED = (*KEPT, "UNAVAILABLE")


@dataclass(slots=True)
class _Disk:
    """A disk, and what was accepted on it in all rounds."""

    folder: Path
    ids: list[str] = field(default_factory=list)

    @property
    def ballast(self) -> Path:
        """What fills it."""
        return self.folder / "ballast"

    @property
    def record(self) -> Path:
        """The audit record."""
        return self.folder / "audit.jsonl"

    def settings(self) -> dict[str, object]:
        """Those of a server that keeps everything on it."""
        return {
            "audit_record_file": str(self.record),
            "audit_record_max_bytes": 1 << 17,
            "feedback_enabled": True,
            "feedback_file": str(self.folder / "feedback.sqlite"),
            "feedback_max_bytes": 1 << 20,
            "output_verification_enabled": True,
            "output_verification_store": str(self.folder / "outputs.sqlite"),
        }


def _event(name: str, rounds: int, *, is_killed: bool) -> Event:
    @asynccontextmanager
    async def scene(tools: Tools) -> AsyncIterator[Round]:
        disk = _Disk(tools.folder / "disk")
        try:
            mount_disk(disk.folder, SIZE)
        except OSError as error:
            raise NotHereError(str(error)) from error
        try:
            with serving(disk.settings()) as served:

                async def one(tally: Tally, chance: random.Random) -> None:
                    await _round(tally, chance, served, disk, is_killed=is_killed)

                yield one
        finally:
            unmount_disk(disk.folder)

    return Event(name, scene, rounds)


async def _round(
    tally: Tally, chance: random.Random, served: Child, disk: _Disk, *, is_killed: bool
) -> None:
    title = f"Arden{tally.rounds}"
    ids: list[str] = []
    async with AsyncClient(served.target) as client:
        asked = asyncio.create_task(ask(tally, client, title, chance))
        kept = asyncio.create_task(_keep(tally, client, title, chance, ids))
        await asyncio.sleep(chance.uniform(0.0, LATEST_S))
        await asyncio.to_thread(fill, disk.ballast)
        # Only now is it certain that the next ones find it full.
        await _keep(tally, client, f"{title} full", chance, ids)
        await asyncio.gather(asked, kept)
        await asyncio.sleep(chance.uniform(0.0, FULL_S))
        if is_killed:
            await asyncio.to_thread(served.kill)
        disk.ballast.unlink()
        if is_killed:
            await asyncio.to_thread(served.start)
        await until_whole(tally, client)
        await _until_kept(tally, client, title, ids)
        await check_outputs(tally, client, ids)
        await _until_recorded(tally, client, chance, disk)
    most(tally, "KiB on the disk", shutil.disk_usage(disk.folder).used / 1024)


async def _keep(
    tally: Tally, client: AsyncClient, title: str, chance: random.Random, ids: list[str]
) -> None:
    """Outputs and feedback, at moments of their own: each is kept, or refused with a reason."""

    async def output(number: int) -> str:
        await asyncio.sleep(chance.uniform(0.0, LATEST_S))
        return await accept(client, f"{title} kept {number}", ids)

    async def said(number: int) -> str:
        await asyncio.sleep(chance.uniform(0.0, LATEST_S))
        return await outcome(feedback(client, f"{title} said {number}"), CALL_S)

    found = await asyncio.gather(*map(output, range(OUTPUTS)), *map(said, range(OUTPUTS)))
    record(tally, found, REFUSED)
    # No reason, no use: a refusal has to name one.
    tally.faults += [f"{each} without a reason" for each in found if each == "UNAVAILABLE"]


async def _until_kept(tally: Tally, client: AsyncClient, title: str, ids: list[str]) -> None:
    """Outputs and feedback are taken again soon."""
    began_s = time.monotonic()
    town = f"{title} again"
    for ask_once in (
        lambda: accept(client, town, ids),
        lambda: outcome(feedback(client, town), CALL_S),
    ):
        if not await until(tally, ask_once, KEPT, "not taken again"):
            return
    most(tally, "kept again after, s", time.monotonic() - began_s)


async def _until_recorded(
    tally: Tally, client: AsyncClient, chance: random.Random, disk: _Disk
) -> None:
    """Detections stand in the audit record again, and none of its lines is a piece of one."""
    before = _state_of(disk.record)

    async def once() -> str:
        if _state_of(disk.record) != before:
            return "on"
        await ask(tally, client, f"Recorded{tally.rounds}", chance, calls=2)
        return "still"

    if not await until(tally, once, ("on",), "the audit record does not go on"):
        return
    for line in disk.record.read_bytes().splitlines():
        try:
            json.loads(line)
        except ValueError:
            tally.faults.append("a piece of a line in the audit record")


def _state_of(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except FileNotFoundError:  # between two files
        return 0, 0
    return found.st_ino, found.st_size


EVENTS = (
    _event("the disk is full", 20, is_killed=False),
    _event("the disk is full and the server killed", 10, is_killed=True),
)
