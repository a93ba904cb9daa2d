"""Files that a command writes: whether they can be is known before it does its work."""

from pathlib import Path

from groundwire_server.config.sources import ConfigError


def check_folder(flag: str, path: Path | None) -> None:
    """Raise ConfigError where a file is wanted in a folder that is not there."""
    if path is not None and not path.parent.is_dir():
        raise ConfigError(f"{flag}: there is no folder {path.parent}")


def write_text(flag: str, path: Path, text: str) -> None:
    """Write a file, which `flag` names. Raises ConfigError."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{flag}: {path} cannot be written: {error.strerror}") from error
