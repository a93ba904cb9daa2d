"""What has to outlive a power cut."""

import os
from pathlib import Path


def flush(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk. A rename is a change of its folder."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
