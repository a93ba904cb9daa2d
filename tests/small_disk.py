"""A file system that a test or a bench can fill."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of 4 MiB. Skips where none can be mounted."""
    try:
        mount_disk(folder, "4m")
    except OSError as error:
        pytest.skip(str(error))
    try:
        yield folder
    finally:
        unmount_disk(folder)


def mount_disk(folder: Path, size: str) -> None:
    """Put a file system of this size at a new folder. Raises OSError where that is not allowed."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(folder)]
    if (
        shutil.which("mount") is None
        or subprocess.run(mount, capture_output=True, check=False).returncode
    ):
        raise OSError("a small file system needs the right to mount one")


def unmount_disk(folder: Path) -> None:
    """Take it away, with all that is in it."""
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(file: Path) -> None:
    """Write a file until its disk is full."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT)
    with contextlib.suppress(OSError):
        while True:
            os.write(descriptor, bytes(1024))
    os.close(descriptor)
