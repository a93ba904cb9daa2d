"""What holds the chunks of an index: their vectors and words, and what is found by both."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from groundwire_server.corpus.search_words import SparseWords

DENSE = "dense"
WORDS = "words"
DOCUMENT = "document"
RRF_K = 60
"""Of reciprocal rank fusion: 1 / (60 + rank) a list. Cormack, Clarke and Büttcher, SIGIR 2009."""

_IDS = uuid.UUID("5a9f0f6e-7d0c-5c8e-9a39-0c3d3f0a6d51")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document: its characters [`start`, `end`), and what is known of the document.

    `number` counts the chunks of the document from 0.
    """

    document: str
    number: int
    start: int
    end: int
    text: str
    title: str
    dated: date | None
    dated_by: str

    @property
    def id(self) -> uuid.UUID:
        """The same for the same place, so that what is written twice is there once."""
        return uuid.uuid5(_IDS, f"{self.document}\0{self.number}")

    def payload(self) -> dict[str, object]:
        """What is kept beside the vectors."""
        return {
            DOCUMENT: self.document,
            "number": self.number,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "title": self.title,
            "dated": self.dated.isoformat() if self.dated else "",
            "dated_by": self.dated_by,
        }


@dataclass(frozen=True, slots=True)
class EncodedChunk:
    """A chunk with its vector and its words."""

    chunk: Chunk
    vector: Sequence[float]
    words: SparseWords


@dataclass(frozen=True, slots=True)
class StoredSearch:
    """What is looked for. Without a vector words alone count, without words the vector alone.

    Chunks whose cosine is below `threshold` are not found by the vector. `limit` holds for either
    list and for the fused one.
    """

    vector: Sequence[float] | None
    words: SparseWords | None
    limit: int
    threshold: float


@dataclass(frozen=True, slots=True)
class StoredHit:
    """A chunk that was found, with its vector and the numbers of its words."""

    chunk: Chunk
    vector: Sequence[float]
    words: frozenset[int]


class ChunkStore(Protocol):
    """Holds chunks. What is written is there for good once `flush` is over."""

    def write(self, chunks: Sequence[EncodedChunk]) -> None:
        """Add chunks, or put them in the place of those with the same id."""

    def remove(self, documents: Sequence[str]) -> None:
        """Remove all chunks of these documents; those of unknown ones are none."""

    def flush(self) -> None:
        """Return once everything is on disk."""

    def optimize(self) -> None:
        """Build what makes searches fast, and flush."""

    def count(self) -> int:
        """How many chunks there are."""

    def search(self, search: StoredSearch) -> list[StoredHit]:
        """The best chunks, best first: both lists fused by rank where there are two."""

    def close(self) -> None:
        """Let go of files and connections."""


def chunk_of(payload: Mapping[str, object] | None) -> Chunk:
    """The chunk that `Chunk.payload` was of. Raises ValueError for what is none."""
    match payload:
        case {
            "document": str(document),
            "number": int(number),
            "start": int(start),
            "end": int(end),
            "text": str(text),
            "title": str(title),
            "dated": str(dated),
            "dated_by": str(dated_by),
        }:
            day = date.fromisoformat(dated) if dated else None
            return Chunk(document, number, start, end, text, title, day, dated_by)
        case _:
            raise ValueError("no chunk of this version")
