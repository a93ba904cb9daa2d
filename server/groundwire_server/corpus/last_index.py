"""Which index was made last by this user, for commands that name no corpus."""

from pathlib import Path

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
