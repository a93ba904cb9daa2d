"""What an index was made of: by which embedder, in what chunks, and of which files.

A document stands here once its chunks are on disk, and not before.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from groundwire_verifier.domain.errors import CorpusUnavailableError

VERSION = "1"
_TABLES = """
    CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS documents (
        name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, chunks INTEGER NOT NULL,
        dated TEXT NOT NULL, dated_by TEXT NOT NULL
    );
"""


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """What has to be the same for two indexes to be one.

    `collection` is that of a Qdrant server; empty where the folder itself holds the chunks.
    """

    embedder: str
    size: str
    chunk_size: str
    chunk_overlap: str
    words: str
    collection: str = ""
    version: str = VERSION


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document that is indexed whole: the SHA-256 of its file, and what told its date."""

    name: str
    sha256: str
    chunks: int
    dated: str
    dated_by: str


class Manifest:
    """The manifest in one file. One thread at a time."""

    def __init__(self, path: Path) -> None:
        self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._file.executescript(_TABLES)

    @classmethod
    def facts_in(cls, path: Path) -> IndexFacts:
        """What a manifest says, which is not changed. Raises CorpusUnavailableError."""
        try:
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
                rows: Mapping[str, str] = dict(file.execute("SELECT name, value FROM facts"))
            return IndexFacts(**{each.name: rows[each.name] for each in fields(IndexFacts)})
        except (sqlite3.Error, KeyError) as error:
            raise CorpusUnavailableError(
                f"{path} is no manifest of an index of this version: make the index anew with "
                "groundwire index --rebuild"
            ) from error

    def begin(self, facts: IndexFacts) -> None:
        """Write down what the index is."""
        self._file.executemany("REPLACE INTO facts VALUES (?, ?)", asdict(facts).items())

    def documents(self) -> dict[str, IndexedDocument]:
        rows: Iterator[tuple[str, str, int, str, str]] = self._file.execute(
            "SELECT name, sha256, chunks, dated, dated_by FROM documents"
        )
        return {row[0]: IndexedDocument(*row) for row in rows}

    def add(self, documents: Sequence[IndexedDocument]) -> None:
        """Write down documents, all at once."""
        rows = [(d.name, d.sha256, d.chunks, d.dated, d.dated_by) for d in documents]
        self._file.execute("BEGIN")
        self._file.executemany("REPLACE INTO documents VALUES (?, ?, ?, ?, ?)", rows)
        self._file.execute("COMMIT")

    def remove(self, names: Sequence[str]) -> None:
        """Take documents out, all at once."""
        self._file.execute("BEGIN")
        self._file.executemany("DELETE FROM documents WHERE name = ?", [(name,) for name in names])
        self._file.execute("COMMIT")

    def close(self) -> None:
        self._file.close()
