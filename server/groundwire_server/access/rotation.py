"""Files that are read again when they change: tokens, quotas and certificates.

Nothing is taken from a file that cannot be used: what was in force stays, the log says why, and a
metric does until the file is good again. Knows files and times. Does not know what is in them.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from groundwire_server.config.sources import ConfigError

log = logging.getLogger("groundwire.server")

LOOK_EVERY_S = 2.0

State = tuple[tuple[int, int, int] | None, ...]
"""Of each file its identity, its size and when it was written; None for one that is not there."""


@dataclass(slots=True)
class Rotated:
    """One thing that comes from files, and what becomes of it when they change.

    `read` takes them, and raises ConfigError for what cannot be used, before anything has changed.
    """

    name: str
    files: Sequence[Path]
    read: Callable[[], None]
    taken: int = 0
    refused: int = 0
    is_stale: bool = False
    """Whether the files hold something else than what is in force."""
    state: State = field(init=False)

    def __post_init__(self) -> None:
        self.state = _state(self.files)

    def look(self) -> None:
        """Read the files if they have changed since the last look."""
        state = _state(self.files)
        if state == self.state:
            return
        self.state = state
        try:
            self.read()
        except ConfigError as error:
            self.refused += 1
            self.is_stale = True
            log.error("%s stay as they were, since the new ones cannot be used: %s",
                      self.name, error)  # fmt: skip
            return
        self.taken += 1
        self.is_stale = False
        log.info("%s were read again", self.name)


class Rotation:
    """Looks at all files again and again, until it is closed."""

    def __init__(self, rotated: Sequence[Rotated]) -> None:
        self.rotated = tuple(rotated)
        self._looking = asyncio.create_task(self._look_again())

    def look(self) -> None:
        """Look at all files now."""
        for each in self.rotated:
            each.look()

    async def close(self) -> None:
        """Look no more."""
        self._looking.cancel()
        await asyncio.wait((self._looking,))

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            self.look()


def _state(files: Sequence[Path]) -> State:
    return tuple(map(_stat, files))


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        # Of what a link leads to: Kubernetes renews a secret by another link.
        found = path.expanduser().stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
