"""What tests of an index share: documents, an embedder that is loaded once, and both stores."""

import functools
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from qdrant_client import QdrantClient

from groundwire_server.corpus.chunks import ChunkSize
from groundwire_server.corpus.documents import INDEX_FOLDER
from groundwire_server.corpus.index_folder import IndexFolder
from groundwire_server.corpus.indexing import Indexer
from groundwire_server.corpus.places import ChunkPlace
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


@pytest.fixture(params=["edge", "local", *(["server"] if QDRANT_URL else [])])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CorpusFolder]:
    """A corpus folder by each store: in the process, and by Qdrant's client with its local mode.

    A server is used as well where QDRANT_URL has its address.
    """
    if request.param == "edge":
        yield CorpusFolder(tmp_path, ChunkPlace())
        return
    if request.param == "server":
        client = connect(QDRANT_URL, "")
        yield CorpusFolder(tmp_path, ChunkPlace(client))
        client.close()
        return
    with TemporaryDirectory() as kept:
        client = QdrantClient(path=kept)
        yield CorpusFolder(tmp_path, ChunkPlace(client))
        client.close()
