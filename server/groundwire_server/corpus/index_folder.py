"""The folder of an index: the generation that is read, the one that is being made, and the lock.

A generation is a folder of its own, and a file names the one that holds. A reader is never in the
way of a writer, nor sees half of what it does; what a killed one has left goes on in the next run.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from groundwire_server.corpus.documents import INDEX_FOLDER
from groundwire_server.models.disk import flush
from groundwire_verifier.domain.errors import CorpusUnavailableError

MANIFEST = "manifest.sqlite"
CHUNKS = "chunks"
_CURRENT = "CURRENT"
_BUILDING = "building"
_GENERATION = "generation-"


class IndexBusyError(Exception):
    """Another process writes this index."""


@dataclass(frozen=True, slots=True)
class Generation:
    """One state of an index."""

    folder: Path

    @property
    def manifest(self) -> Path:
        return self.folder / MANIFEST

    @property
    def chunks(self) -> Path:
        """Where its chunks lie, if not on a server."""
        return self.folder / CHUNKS


class IndexFolder:
    """The folder of one index. A method raises OSError where the disk does."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def at(cls, place: Path) -> "IndexFolder":
        """The index at a place: a folder of documents that has one in it, or its own folder."""
        place = place.expanduser()
        return cls(place / INDEX_FOLDER if (place / INDEX_FOLDER).is_dir() else place)

    @property
    def building(self) -> Generation:
        """The generation that is being made, which may not be there."""
        return Generation(self.path / _BUILDING)

    def current(self) -> Generation:
        """The generation that holds. Raises CorpusUnavailableError where there is none."""
        try:
            name = (self.path / _CURRENT).read_text(encoding="ascii").strip()
        except (OSError, ValueError) as error:
            raise CorpusUnavailableError(
                f"there is no index in {self.path}, or no longer: make one with groundwire index"
            ) from error
        generation = Generation(self.path / name)
        if not name.startswith(_GENERATION) or not generation.manifest.is_file():
            raise CorpusUnavailableError(
                f"the index in {self.path} is not whole: make it anew with groundwire index "
                "--rebuild"
            )
        return generation

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock, which ends with the process. Raises IndexBusyError at once."""
        self.path.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise IndexBusyError(
                    f"another process is indexing into {self.path}: wait for its end"
                ) from None
            yield
        finally:
            os.close(handle)

    def begin(self, base: Generation | None) -> Generation:
        """Start a generation from a copy of `base`, or from nothing, in the place of a left one."""
        self.discard()
        if base is None:
            self.building.folder.mkdir()
            return self.building
        unfinished = self.path / f"{_BUILDING}.copy"
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(base.folder, unfinished)
        unfinished.rename(self.building.folder)
        return self.building

    def discard(self) -> None:
        """Remove what was being made."""
        shutil.rmtree(self.building.folder, ignore_errors=True)

    def publish(self) -> None:
        """Make what was being made the one that holds, at one stroke.

        The one before stays for those who read it just now; older ones go.
        """
        names = [p.name for p in self.path.iterdir() if p.name.startswith(_GENERATION)]
        last = max((int(name.removeprefix(_GENERATION)) for name in names), default=0)
        # By its name: the last one may be that of a run which was killed before it held.
        before = self._named()
        name = f"{_GENERATION}{last + 1}"
        # What names a file is never on the disk without it, also after a power cut.
        for path in (*self.building.folder.rglob("*"), self.building.folder):
            flush(path)
        self.building.folder.rename(self.path / name)
        unfinished = self.path / f"{_CURRENT}.new"
        unfinished.write_text(name, encoding="ascii")
        flush(unfinished)
        unfinished.replace(self.path / _CURRENT)
        flush(self.path)
        for each in names:
            if each != before:
                shutil.rmtree(self.path / each, ignore_errors=True)

    def _named(self) -> str:
        """The name of the generation that holds, whole or not; empty where there is none."""
        try:
            return (self.path / _CURRENT).read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            return ""


_FILE = "last-index"
"""In the folder of the cache: the path of the index's folder."""


def remember_index(cache_dir: Path, index: Path) -> None:
    """Keep where an index lies, which has just been made. Raises OSError."""
    cache_dir.mkdir(parents=True, exist_ok=True)
    (cache_dir / _FILE).write_text(str(index.resolve()), encoding="utf-8")


def last_index(cache_dir: Path) -> Path | None:
    """The folder of the index that was made last; None where none is known."""
    try:
        return Path((cache_dir / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
