"""One cache folder that several processes share: its lock, its room, and what a killed run left."""

import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from groundwire_server.models.convert import EmbeddedModel
from groundwire_server.models.sources import ModelStoreError, Progress

# Room for the file system's own needs, and for the part that is being read, beside the model.
_SPACE_FACTOR = 1.1


class NoDiskSpaceError(ModelStoreError):
    """The cache folder has too little room."""


class CacheNotWritableError(ModelStoreError):
    """The cache folder cannot be written to."""


def require_space(model: EmbeddedModel, folder: Path) -> None:
    """Raise NoDiskSpaceError unless the model fits into the folder's file system."""
    # A copy of a prepared model downloads nothing.
    download_bytes = 0 if model.int8_of else model.source.download_bytes
    needed_bytes = int((model.prepared_size_bytes + download_bytes) * _SPACE_FACTOR)
    free_bytes = shutil.disk_usage(folder).free
    if free_bytes < needed_bytes:
        raise NoDiskSpaceError(
            f"{model.name} needs {needed_bytes >> 20} MiB in {folder}, where"
            f" {free_bytes >> 20} MiB are free. Make room or choose another cache folder."
        )


@contextmanager
def lock(path: Path, name: str, progress: Progress) -> Iterator[None]:
    """Hold the lock file; a wait for another process is told to `progress`."""
    # The kernel frees the lock with the process. The file stays: removing it would let two
    # processes hold a lock each, on the old file and on the new one.
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress(f"waiting for another process that is preparing {name}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def cache_errors(cache_dir: Path) -> Iterator[None]:
    """Turn the system's errors into ModelStoreErrors that say how to fix them."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise NoDiskSpaceError(
                f"There is no room left in {cache_dir}: {error}. Make room or choose another"
                " cache folder."
            ) from error
        if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
            raise CacheNotWritableError(
                f"{cache_dir} cannot be written to: {error}. Give this user the right to write"
                " there or choose another cache folder."
            ) from error
        raise ModelStoreError(
            f"{cache_dir} cannot hold models: {error}. Choose another cache folder."
        ) from error


# The dots around it keep one model's leftovers apart from those of a model whose name is longer.
def temporary(model: EmbeddedModel, folder: Path) -> Path:
    """A new name beside the model's folder."""
    return folder / f".{model.name}.tmp.{secrets.token_hex(4)}"


def remove_leftovers(model: EmbeddedModel, folder: Path) -> None:
    """Remove what killed runs left. Call it under the lock."""
    for leftover in folder.glob(f".{model.name}.tmp.*"):
        shutil.rmtree(leftover, ignore_errors=True)


def discard(model: EmbeddedModel, folder: Path) -> None:
    """Remove a broken model."""
    # Renamed first, so that no one meets a folder that is half gone under the final name.
    condemned = temporary(model, folder.parent)
    folder.rename(condemned)
    shutil.rmtree(condemned, ignore_errors=True)
