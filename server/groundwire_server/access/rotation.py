"""Files that are read again when they change: tokens, quotas and certificates.

Nothing is taken from a file that cannot be used: what was in force stays, the log says why, and a
metric does until the file is good again.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from groundwire_server.config.sources import ConfigError

log = logging.getLogger("groundwire.server")

LOOK_EVERY_S = 2.0
"""Files that changed are read at the second look that finds them alike: not in the middle of a
write, and not one of a pair without the other."""

State = tuple[tuple[int, int, int, int] | None, ...]
"""Of each file its identity, its size, and when it and its rights were changed; None for one that
is not there."""


class Files:
    """Files that belong together, and whether they have changed since they were made this."""

    def __init__(self, *paths: Path | None) -> None:
        """Those of them that are set. Make it before the first read: what changes between would
        never be seen."""
        self.paths = tuple(path.expanduser() for path in paths if path is not None)
        self._read = self.seen = self._state()

    def changed(self) -> bool:
        """Whether they have other contents than were taken, and have had them for a look."""
        state, before = self._state(), self.seen
        self.seen = state
        return state != self._read and state == before

    def take(self) -> None:
        """Note that their contents, as they were looked at, are what is in force."""
        self._read = self.seen

    @property
    def are_taken(self) -> bool:
        """Whether what was seen last is in force."""
        return self.seen == self._read

    def _state(self) -> State:
        return tuple(map(_stat, self.paths))


@dataclass(slots=True)
class Rotated:
    """One thing that comes from files, and what becomes of it when they change.

    `read` takes them, and raises ConfigError for what cannot be used, before anything has changed.
    """

    name: str
    files: Files
    read: Callable[[], None]
    taken: int = 0
    refused: int = 0
    is_stale: bool = False
    """Whether the files hold something else than what is in force."""
    _told: tuple[str, State] | None = None
    """What was said last of files that cannot be used: once for each state."""

    def look(self) -> None:
        """Read the files if they have changed."""
        if not self.files.changed():
            # Files that were away are back as they were.
            self.is_stale = self.is_stale and not self.files.are_taken
            return
        try:
            self.read()
        except ConfigError as error:
            self._refuse(str(error))
        except Exception as error:  # noqa: BLE001 - the edge: else no file is read again
            # Its text could repeat a secret.
            self._refuse(type(error).__name__)
        else:
            self.files.take()
            self._told = None
            self.taken += 1
            self.is_stale = False
            log.info("the %s were read again", self.name)

    def _refuse(self, why: str) -> None:
        self.is_stale = True
        # It is tried again at each look: a read may fail by what has nothing to do with the files.
        if self._told == (why, self.files.seen):
            return
        self._told = (why, self.files.seen)
        self.refused += 1
        log.error("the %s stay as they were, since the new ones cannot be used: %s", self.name, why)


class Rotation:
    """Looks at all files again and again, until it is closed."""

    def __init__(self, rotated: Sequence[Rotated]) -> None:
        """Begin; where nothing comes from files there is nothing to do."""
        self.rotated = tuple(rotated)
        has_files = any(each.files.paths for each in rotated)
        self._looking = asyncio.create_task(self._look_again()) if has_files else None

    def look(self) -> None:
        """Look at all files now."""
        for each in self.rotated:
            each.look()

    async def close(self) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait((self._looking,))

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            self.look()


def _stat(path: Path) -> tuple[int, int, int, int] | None:
    try:
        # Of what a link leads to: Kubernetes renews a secret by another link.
        found = path.stat()
    except OSError:
        return None
    # By the last one a file is seen that became readable, or was written within a clock's tick.
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
