"""A file of lines that starts anew when it is large enough, and of which so many are kept.

A line is written whole or not at all.
"""

import errno
import fcntl
import itertools
import os
from collections.abc import Callable
from pathlib import Path

OWNER_ONLY = 0o600


class RotatingFile:
    """Lines in `path`; the file before it is `path.1`, and so on, `max_files` in all.

    A new one begins where a line would make it larger than `max_bytes`. Two processes cannot have
    the same. Raises OSError if it cannot be written to.
    """

    def __init__(self, path: Path, max_bytes: int, max_files: int) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._max_files = max_files
        self._file = self._opened()

    def write(self, line: bytes) -> None:
        """Write a line, which ends with a line break. Raises OSError if it cannot be written."""
        if self._was_moved():
            # By the operator, or by logrotate.
            self._reopen()
        size = os.fstat(self._file).st_size
        if size and size + len(line) > self._max_bytes:
            self._rotate()
            size = 0
        written = os.write(self._file, line)
        if written < len(line):
            os.ftruncate(self._file, size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def erase(self, is_gone: Callable[[bytes], bool]) -> int:
        """Delete lines from all its files; how many. Raises OSError where one cannot be written."""
        names = [self._path, *(self._numbered(n) for n in range(1, self._max_files))]
        erased = sum(_without(name, is_gone) for name in names if name.exists())
        if self._was_moved():
            self._reopen()
        return erased

    def close(self) -> None:
        os.close(self._file)

    def _opened(self) -> int:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        file = os.open(self._path, flags, OWNER_ONLY)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            size = os.fstat(file).st_size
            if size and os.pread(file, 1, size - 1) != b"\n":
                # What a machine left that went down in the middle of a line.
                os.write(file, b"\n")
        except OSError:
            os.close(file)
            raise
        return file

    def _was_moved(self) -> bool:
        try:
            return not os.path.samestat(os.stat(self._path), os.fstat(self._file))
        except FileNotFoundError:
            return True

    def _reopen(self) -> None:
        file = self._opened()
        os.close(self._file)
        self._file = file

    def _rotate(self) -> None:
        names = [self._path, *(self._numbered(n) for n in range(1, self._max_files))]
        names[-1].unlink(missing_ok=True)
        for name, older in reversed(list(itertools.pairwise(names))):
            if name.exists():
                name.rename(older)
        self._reopen()

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")


def _without(path: Path, is_gone: Callable[[bytes], bool]) -> int:
    """Put a copy without such lines in a file's place; how many they were."""
    copy = path.with_name(f"{path.name}.erasing")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    gone = 0
    try:
        with path.open("rb") as lines, os.fdopen(os.open(copy, flags, OWNER_ONLY), "wb") as kept:
            for line in lines:
                if is_gone(line):
                    gone += 1
                else:
                    kept.write(line)
            kept.flush()
            os.fsync(kept.fileno())
        if gone:
            copy.replace(path)
    finally:
        copy.unlink(missing_ok=True)
    return gone
