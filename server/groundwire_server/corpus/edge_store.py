"""Chunks in Qdrant's engine, in this process, in files of a folder.

Several processes may read one folder; one at a time may write, which the caller sees to: without a
write-ahead log the engine locks nothing.
"""

import threading
from collections.abc import Sequence
from pathlib import Path

import qdrant_edge as qdrant

from groundwire_server.corpus.search_words import SparseWords
from groundwire_server.corpus.store import (
    DENSE,
    DOCUMENT,
    RRF_K,
    WORDS,
    EncodedChunk,
    StoredHit,
    StoredSearch,
    chunk_of,
)
from groundwire_verifier.domain.errors import CorpusUnavailableError


class EdgeStore:
    """Implements `groundwire_server.corpus.store.ChunkStore`."""

    def __init__(self, shard: qdrant.EdgeShard) -> None:
        self._shard = shard
        self._searching = threading.Lock()

    @classmethod
    def create(cls, folder: Path, size: int) -> "EdgeStore":
        """A new store for vectors of `size` numbers, in a folder that does not exist."""
        folder.mkdir(parents=True)
        config = qdrant.EdgeConfig(
            vectors={DENSE: qdrant.EdgeVectorParams(size, qdrant.Distance.Cosine)},
            sparse_vectors={WORDS: qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf)},
            # What a killed indexer had not flushed is indexed again; its log would take 170 MB.
            wal_enabled=False,
        )
        shard = qdrant.EdgeShard.create(str(folder), config)
        keyword = qdrant.PayloadSchemaType.Keyword
        shard.update(qdrant.UpdateOperation.create_field_index(DOCUMENT, keyword))
        shard.flush()
        return cls(shard)

    @classmethod
    def open(cls, folder: Path) -> "EdgeStore":
        """A store that is there. Raises CorpusUnavailableError."""
        try:
            return cls(qdrant.EdgeShard.load(str(folder)))
        # The engine raises nothing but Exception itself.
        except Exception as error:
            raise CorpusUnavailableError(
                f"the index in {folder} cannot be opened ({error}): make it anew with "
                "groundwire index --rebuild"
            ) from error

    def write(self, chunks: Sequence[EncodedChunk]) -> None:
        """Add chunks, or put them in the place of those with the same id."""
        points = [
            qdrant.Point(
                each.chunk.id,
                {DENSE: list(each.vector), WORDS: _sparse(each.words)},
                each.chunk.payload(),
            )
            for each in chunks
        ]
        if points:
            self._shard.update(qdrant.UpdateOperation.upsert_points(points))

    def remove(self, documents: Sequence[str]) -> None:
        if documents:
            named = qdrant.FieldCondition(DOCUMENT, match=qdrant.MatchAny(list(documents)))
            chosen = qdrant.Filter(must=[named])
            self._shard.update(qdrant.UpdateOperation.delete_points_by_filter(chosen))

    def flush(self) -> None:
        """Return once everything is on disk."""
        self._shard.flush()

    def optimize(self) -> None:
        """Merge segments and build the graph of the vectors."""
        self._shard.optimize()
        self._shard.flush()

    def count(self) -> int:
        """How many chunks there are."""
        return self._shard.count(qdrant.CountRequest(exact=True))

    def search(self, search: StoredSearch) -> list[StoredHit]:
        """The best chunks, best first."""
        lists = []
        if search.vector is not None:
            dense = qdrant.Query.Nearest(list(search.vector), using=DENSE)
            lists.append(
                qdrant.Prefetch(query=dense, limit=search.limit, score_threshold=search.threshold)
            )
        if search.words is not None and search.words.indices:
            words = qdrant.Query.Nearest(_sparse(search.words), using=WORDS)
            lists.append(qdrant.Prefetch(query=words, limit=search.limit))
        if not lists:
            return []
        request = qdrant.QueryRequest(
            limit=search.limit,
            prefetches=lists,
            # Its stub has no fusion that would be one.
            query=qdrant.Fusion.Rrf(RRF_K),  # type: ignore[arg-type]
            with_payload=True,
            with_vector=[DENSE, WORDS],
        )
        with self._searching:
            found = self._shard.query(request)
        return [_hit(point) for point in found]

    def close(self) -> None:
        """Let go of the files."""
        self._shard.close()


def _sparse(words: SparseWords) -> qdrant.SparseVector:
    return qdrant.SparseVector(list(words.indices), list(words.values))


def _hit(point: qdrant.ScoredPoint) -> StoredHit:
    vectors = point.vector
    dense = vectors.get(DENSE) if isinstance(vectors, dict) else None
    words = vectors.get(WORDS) if isinstance(vectors, dict) else None
    if not isinstance(dense, list):
        raise CorpusUnavailableError("the index holds a chunk without a vector: rebuild it")
    indices = words.indices if isinstance(words, qdrant.SparseVector) else []
    vector = [each for each in dense if isinstance(each, float)]
    return StoredHit(chunk_of(point.payload), vector, frozenset(indices))
