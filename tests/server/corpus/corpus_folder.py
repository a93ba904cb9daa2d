"""What tests of an index share: documents, an embedder that is loaded once, and both stores."""

import contextlib
import functools
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from qdrant_client import QdrantClient

from groundwire_server.corpus.chunk_places import ChunkPlace
from groundwire_server.corpus.chunks import ChunkSize
from groundwire_server.corpus.documents import INDEX_FOLDER
from groundwire_server.corpus.index_folder import IndexFolder
from groundwire_server.corpus.indexing import Indexer
from groundwire_server.corpus.qdrant_store import connect
from groundwire_server.corpus.retrieval import CorpusIndex
from groundwire_server.embedding.minilm import MiniLmEmbedder

QDRANT_URL = os.environ.get("QDRANT_URL", "")
TEXTS = {
    "gil.md": "---\ndate: 2023-10-02\n---\n# The GIL\n\nPython 3.12 still has the GIL.\n",
    "sharks.txt": "Some sharks lay eggs, and others give birth to live young.",
    "haifa.txt": "המגדלור בחיפה נבנה בשנת 1934. הוא עומד על הכרמל.",
    "tower.html": "<title>Tower</title><p>The Eiffel Tower was built in 1889.</p>",
}


@functools.cache
def embedder() -> MiniLmEmbedder:
    return MiniLmEmbedder(threads=1)


class CorpusFolder:
    """A folder of documents with its index."""

    def __init__(self, root: Path, place: ChunkPlace) -> None:
        self.root = root
        self.place = place
        self.index = IndexFolder(root / INDEX_FOLDER)
        for name, text in TEXTS.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def indexer(self, size: ChunkSize | None = None) -> Indexer:
        return Indexer(embedder(), self.place, size)

    def corpus(self, threshold: float = 0.3) -> CorpusIndex:
        return CorpusIndex("notes", self.index, embedder(), self.place, threshold)

    def documents_for(self, claim: str) -> list[str]:
        corpus = self.corpus()
        try:
            return [passage.document for passage in corpus.find(claim, 5)]
        finally:
            corpus.close()


# A Qdrant server is used as well where QDRANT_URL has its address.
STORES = ["edge", "local", *(["server"] if QDRANT_URL else [])]


@contextlib.contextmanager
def corpus_folder(store: str, root: Path) -> Iterator[CorpusFolder]:
    """A corpus folder by a store: in the process, or by Qdrant's client, local or not."""
    if store == "edge":
        yield CorpusFolder(root, ChunkPlace())
        return
    with TemporaryDirectory() as kept:
        client = connect(QDRANT_URL, "") if store == "server" else QdrantClient(path=kept)
        yield CorpusFolder(root, ChunkPlace(client))
        client.close()


@pytest.fixture(params=STORES)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CorpusFolder]:
    with corpus_folder(request.param, tmp_path) as folder:
        yield folder
