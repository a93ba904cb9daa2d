"""The documents of a folder: its files, their texts, their dates, and why one is left out."""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import yaml

INDEX_FOLDER = ".groundwire-index"
MAX_FILE_BYTES = 64 << 20
"""A larger file is left out: its text would take a multiple of it in memory."""

MAX_FRONT_MATTER_CHARACTERS = 1 << 14
"""Longer front matter is text."""

GUESSED_BYTES = 1 << 20
"""What an encoding is guessed by."""

FILE_TIME = "file time"
_FRONT_MATTER = "---"
_MOST_WHOLE = 10**18
"""A larger number is no title; of one with thousands of digits Python makes no text at all."""

UNREADABLE_YAML = (
    yaml.YAMLError, ValueError, RecursionError, LookupError, AttributeError, TypeError,
    OverflowError,
)  # fmt: skip
"""What the YAML library raises for texts of others: a tag such as `!!int` may break it."""

_DATE_KEYS = ("updated", "modified", "lastmod", "date", "published", "created")
_TEXT, _MARKDOWN, _HTML, _PDF = "text", "markdown", "html", "pdf"
KINDS = {
    ".txt": _TEXT, ".text": _TEXT, ".rst": _TEXT, ".md": _MARKDOWN, ".markdown": _MARKDOWN,
    ".html": _HTML, ".htm": _HTML, ".xhtml": _HTML, ".pdf": _PDF,
}  # fmt: skip
"""How a file is read, by the end of its name; others are no documents."""


class _PlainLoader(yaml.SafeLoader):
    """Refuses aliases, by which a few lines can hold more values than any memory."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("an alias")
        return super().compose_node(parent, index)


class UnreadableFileError(Exception):
    """A file is left out; the text says why, for a person."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a reader found: the text, and title and date where the file itself tells them.

    `dated_by` says what told the date; empty where nothing did.
    """

    text: str
    title: str = ""
    dated: date | None = None
    dated_by: str = ""


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file that may be a document. `name` is its path in the folder, with `/`.

    It lies at `place` in `root`; neither has a link in it, so that `place` is another one than
    `name` where that is a link.
    """

    name: str
    root: Path
    place: Path


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file, or a folder, that is left out, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class UnreadFolder(SkippedFile):
    """A folder that cannot be listed: which documents it has is unknown, so none of it is gone."""


@dataclass(frozen=True, slots=True)
class FileBytes:
    """A file as it is now: its bytes, their SHA-256, and the day on which it was last written."""

    data: bytes
    sha256: str
    written: date


def files_in(root: Path) -> Iterator[CorpusFile | SkippedFile]:
    """The files of a folder by name, those that are no documents without a word.

    Hidden ones are left out. A link that leads out of the folder is not followed, and no link to a
    folder is. Raises OSError if the folder itself cannot be read.
    """
    inside = root.resolve(strict=True)
    os.scandir(inside).close()
    unread: list[OSError] = []
    for folder, folders, names in os.walk(inside, onerror=unread.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in [*folders, *sorted(names)]:
            path = Path(folder, name)
            shown = path.relative_to(inside).as_posix()
            if path.is_symlink() and path.is_dir():
                yield SkippedFile(_named(shown), "a link to a folder, which is not followed")
            elif not name.startswith(".") and path.suffix.lower() in KINDS and name not in folders:
                yield _file_at(path, shown, inside)
    for error in unread:
        shown = Path(str(error.filename)).relative_to(inside).as_posix()
        yield UnreadFolder(_named(shown), f"a folder that cannot be listed: {error.strerror}")


def _file_at(path: Path, shown: str, inside: Path) -> CorpusFile | SkippedFile:
    """A file of a folder, which `inside` is, by the name that is shown."""
    if _named(shown) != shown:
        return SkippedFile(_named(shown), "a name that is no UTF-8: rename it")
    try:
        found = path.resolve(strict=True)
    except FileNotFoundError:
        return SkippedFile(shown, "a link to nothing, or gone while the folder was listed")
    # Before Python 3.13 a link that leads to itself is a RuntimeError.
    except (OSError, RuntimeError) as error:
        return SkippedFile(shown, f"cannot be found: {_why(error)}")
    if not found.is_relative_to(inside):
        return SkippedFile(shown, "a link that leads out of the folder")
    return CorpusFile(shown, inside, found.relative_to(inside))


def _why(error: OSError | RuntimeError) -> str:
    return error.strerror or "" if isinstance(error, OSError) else "a link that leads to itself"


def _named(shown: str) -> str:
    """A name as it can be written; what is no UTF-8 in it stands as the bytes that it is."""
    return os.fsencode(shown).decode(errors="backslashreplace")


def read_file(file: CorpusFile) -> FileBytes:
    """The bytes of a file, where it was when its folder was listed. Raises UnreadableFileError."""
    try:
        with open(_descriptor(file), "rb") as opened:
            status = os.fstat(opened.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableFileError("no file any more: it changed while it was read")
            if status.st_size > MAX_FILE_BYTES:
                raise UnreadableFileError(
                    f"{status.st_size:,} bytes, above {MAX_FILE_BYTES:,}: split it"
                )
            data = opened.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError as error:
        raise UnreadableFileError("no file, or gone while it was read") from error
    except OSError as error:
        raise UnreadableFileError(f"cannot be read: {error.strerror}") from error
    written = datetime.fromtimestamp(status.st_mtime, UTC).date()
    return FileBytes(data, hashlib.sha256(data).hexdigest(), written)


def _descriptor(file: CorpusFile) -> int:
    """The file, opened. No link is followed that took the place of it, or of a folder above it, and
    no pipe is waited for. Raises OSError."""
    folder = os.open(file.root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for name in file.place.parent.parts:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
            below = os.open(name, flags, dir_fd=folder)
            os.close(folder)
            folder = below
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        return os.open(file.place.name, flags, dir_fd=folder)
    finally:
        os.close(folder)


def content_or_reason(name: str, read: FileBytes) -> Content | str:
    """The text of a file, or why there is none."""
    try:
        return content_of(name, read)
    except UnreadableFileError as error:
        return str(error)


def content_of(name: str, read: FileBytes) -> Content:
    """The text of a file, with a date in any case. Raises UnreadableFileError."""
    kind = KINDS[Path(name).suffix.lower()]
    if kind == _HTML:
        from groundwire_server.corpus.html_text import html_content

        content = html_content(read.data)
    elif kind == _PDF:
        from groundwire_server.corpus.pdf_text import pdf_content

        content = pdf_content(read.data)
    else:
        text = decoded(read.data)
        content = _markdown(text) if kind == _MARKDOWN else Content(text)
    if not any(each.isalnum() for each in content.text):
        hint = "; a scan has to be recognised first" if kind == _PDF else ""
        raise UnreadableFileError(f"holds no text{hint}")
    if len(content.text) > MAX_FILE_BYTES:
        raise UnreadableFileError(f"a text of more than {MAX_FILE_BYTES:,} characters: split it")
    if content.dated is None:
        return Content(content.text, content.title, read.written, FILE_TIME)
    return content


def decoded(data: bytes) -> str:
    """A text from its bytes: UTF-8, what its mark says, or what its letters make most likely.

    Raises UnreadableFileError for what is no text.
    """
    is_marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\0" in data and not is_marked:
        raise UnreadableFileError("no text: it holds zero bytes")
    try:
        return data.decode("utf-16" if is_marked else "utf-8-sig")
    except UnicodeDecodeError:
        guessed = None if is_marked else _guessed(data)
    if guessed is None:
        raise UnreadableFileError("its encoding cannot be told: save it as UTF-8")
    return guessed


def _guessed(data: bytes) -> str | None:
    """The text in the encoding that is likeliest; None where there is none."""
    from charset_normalizer import from_bytes

    best = from_bytes(data[:GUESSED_BYTES]).best()
    try:
        return None if best is None else data.decode(best.encoding)
    except UnicodeDecodeError:
        return None


def _markdown(text: str) -> Content:
    """A text with the title and the date of its front matter, which is no part of the text."""
    lines = text.splitlines(keepends=True)
    facts: object = None
    body = text
    if lines and lines[0].rstrip() == _FRONT_MATTER:
        ends = [at for at, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")]
        if ends and sum(map(len, lines[1 : ends[0]])) <= MAX_FRONT_MATTER_CHARACTERS:
            try:
                # A loader of a safe loader's kind.
                facts = yaml.load("".join(lines[1 : ends[0]]), _PlainLoader)  # noqa: S506
            except UNREADABLE_YAML:
                facts = None
            body = "".join(lines[ends[0] + 1 :]) if isinstance(facts, dict) else text
    pairs = facts.items() if isinstance(facts, dict) else ()
    known = {key.lower(): value for key, value in pairs if isinstance(key, str)}
    heads = (line.strip().lstrip("#").strip() for line in body.splitlines() if line[:1] == "#")
    title = _as_text(known.get("title")) or next(heads, "")
    for key in _DATE_KEYS:
        dated = day_of(known.get(key))
        if dated is not None:
            return Content(body, title, dated, "front matter")
    return Content(body, title)


def _as_text(value: object) -> str:
    """A plain value as text; nothing of what holds others, which aliases can make endless."""
    if isinstance(value, int) and abs(value) >= _MOST_WHOLE:
        return ""
    return str(value) if isinstance(value, (str, int, float, date)) else ""


def day_of(value: object) -> date | None:
    """The day of a date, a time, or a text that begins as one in ISO 8601."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(_as_text(value).strip()[:10])
    except ValueError:
        return None
