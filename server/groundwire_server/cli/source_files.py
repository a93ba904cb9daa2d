"""Reads the answer and the sources of `groundwire verify` from files and folders.

A folder gives the text files that lie directly in it, sorted by name; nothing below it. What it
passes over is said, since evidence that is missing changes verdicts. A text file that cannot be
read is an error for the same reason.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from groundwire import Document
from groundwire_server.config.sources import ConfigError
from groundwire_verifier.verdicts.options import MAX_ID_CHARACTERS, has_forbidden_character

TEXT_SUFFIXES = frozenset({
    ".adoc", ".csv", ".htm", ".html", ".json", ".jsonl", ".log", ".markdown", ".md", ".org", ".rst",
    ".srt", ".tex", ".text", ".tsv", ".txt", ".vtt", ".xml", ".yaml", ".yml",
})  # fmt: skip
_NAMED = 5


def read_answer(path: Path) -> str:
    """The text of the file, or of stdin if the path is "-". Raises ConfigError."""
    return read_text("--answer", path)


def read_text(flag: str, path: Path) -> str:
    """The text of a file, or of stdin if the path is "-". Raises ConfigError.

    An error names the flag; an argument without one has "".
    """
    if str(path) != "-":
        return _read(flag, path)
    try:
        text = sys.stdin.read()
        text.encode()  # a locale may let bytes through that are no text
    except UnicodeError as error:
        raise ConfigError(f"{flag or 'FILE'}: stdin cannot be read as text: {error}") from error
    return text


def read_sources(
    paths: Sequence[Path], *, ids_from_names: bool, tell: Callable[[str], None]
) -> tuple[Document, ...]:
    """The sources in the order of the paths, with the ids S0, S1, ... or the names' stems.

    `tell` is given a line for each folder that holds more than text files. Raises ConfigError.
    """
    files = [file for path in paths for file in _files(path, tell)]
    documents = [
        Document(
            id=_id_of(file) if ids_from_names else f"S{index}",
            text=_read_source(file),
            title=" ".join(_printable(file.name).split()),
        )
        for index, file in enumerate(files)
    ]
    first: dict[str, Path] = {}
    for document, file in zip(documents, files, strict=True):
        if document.id in first:
            raise ConfigError(
                f"--ids names: {first[document.id]} and {file} are both {document.id}: "
                "rename one, or leave --ids out"
            )
        first[document.id] = file
    return tuple(documents)


def _files(path: Path, tell: Callable[[str], None]) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    try:
        entries = sorted(path.iterdir(), key=lambda entry: entry.name)
    except OSError as error:
        raise ConfigError(f"--sources: {path} cannot be listed: {error.strerror}") from error
    files = [entry for entry in entries if _is_text_file(entry)]
    others = [entry.name + "/" * entry.is_dir() for entry in entries if entry not in files]
    if not files:
        found = f"; it holds {_listed(others)}" if others else ""
        raise ConfigError(f"--sources: {path} holds no text file, such as .txt or .md{found}")
    if others:
        tell(f"{path}: passed over {_listed(others)}; name a file to have it read")
    yield from files


def _is_text_file(path: Path) -> bool:
    return path.is_file() and not path.name.startswith(".") and path.suffix.lower() in TEXT_SUFFIXES


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(_printable(name) for name in names[:_NAMED]) + more


def _read_source(path: Path) -> str:
    text = _read("--sources", path)
    if not text.strip():
        raise ConfigError(f"--sources: {path} holds no text")
    return text


def _read(flag: str, path: Path) -> str:
    at = f"{flag}: {path}" if flag else str(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        # The text itself in place of a file is the likeliest mistake.
        hint = "; name a file, do not give the text itself" if " " in str(path) else ""
        raise ConfigError(f"{at} cannot be read: {error.strerror}{hint}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{at} is not UTF-8 text: {error}") from error
    if "\0" in text:
        raise ConfigError(f"{at} is binary: it holds a zero byte")
    return text


def _id_of(path: Path) -> str:
    name = path.stem
    if not 1 <= len(name) <= MAX_ID_CHARACTERS or has_forbidden_character(name):
        raise ConfigError(
            f"--ids names: {_printable(name)!r} cannot be an id: it has to have 1 to "
            f"{MAX_ID_CHARACTERS} characters, no control character, and no white space at an end"
        )
    return name


def _printable(name: str) -> str:
    """The name of a file, which may be any bytes, with a "?" for each that cannot be shown."""
    text = name.encode("utf-8", "replace").decode()
    return "".join(c if c.isprintable() else "?" for c in text)
