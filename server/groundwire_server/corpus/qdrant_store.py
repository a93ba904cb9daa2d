"""Chunks on a Qdrant server: a collection for each index."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

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

TIMEOUT_S = 30


def connect(url: str, key: str) -> QdrantClient:
    """A client for the server at `url`, which is asked nothing yet. An empty `key` sends none."""
    return QdrantClient(url=url, api_key=key or None, timeout=TIMEOUT_S, check_compatibility=False)


class QdrantStore:
    """Implements `groundwire_server.corpus.store.ChunkStore`.

    Every call raises CorpusUnavailableError where the server or the collection is not there.
    """

    def __init__(self, client: QdrantClient, collection: str) -> None:
        self._client = client
        self._collection = collection

    @classmethod
    def create(cls, client: QdrantClient, collection: str, size: int) -> "QdrantStore":
        """A new collection for vectors of `size` numbers, in the place of one of that name."""
        store = cls(client, collection)
        with store._told():
            client.delete_collection(collection)
            client.create_collection(
                collection,
                vectors_config={
                    DENSE: models.VectorParams(size=size, distance=models.Distance.COSINE)
                },
                sparse_vectors_config={
                    WORDS: models.SparseVectorParams(modifier=models.Modifier.IDF)
                },
            )
            client.create_payload_index(collection, DOCUMENT, models.PayloadSchemaType.KEYWORD)
        return store

    def write(self, chunks: Sequence[EncodedChunk]) -> None:
        """Add chunks, or put them in the place of those with the same id."""
        points = [
            models.PointStruct(
                id=str(each.chunk.id),
                vector={DENSE: list(each.vector), WORDS: _sparse(each.words)},
                payload=each.chunk.payload(),
            )
            for each in chunks
        ]
        if points:
            with self._told():
                self._client.upsert(self._collection, points, wait=True)

    def remove(self, documents: Sequence[str]) -> None:
        if documents:
            named = models.FieldCondition(key=DOCUMENT, match=models.MatchAny(any=list(documents)))
            chosen = models.FilterSelector(filter=models.Filter(must=[named]))
            with self._told():
                self._client.delete(self._collection, chosen, wait=True)

    def flush(self) -> None:
        """Nothing: each write has waited for the server's own log."""

    def optimize(self) -> None:
        """Nothing: the server does so by itself."""

    def count(self) -> int:
        """How many chunks there are."""
        with self._told():
            return self._client.count(self._collection, exact=True).count

    def search(self, search: StoredSearch) -> list[StoredHit]:
        """The best chunks, best first."""
        lists = []
        if search.vector is not None:
            lists.append(
                models.Prefetch(
                    query=list(search.vector),
                    using=DENSE,
                    limit=search.limit,
                    score_threshold=search.threshold,
                )
            )
        if search.words is not None and search.words.indices:
            lists.append(
                models.Prefetch(query=_sparse(search.words), using=WORDS, limit=search.limit)
            )
        if not lists:
            return []
        with self._told():
            found = self._client.query_points(
                self._collection,
                prefetch=lists,
                query=models.RrfQuery(rrf=models.Rrf(k=RRF_K)),
                limit=search.limit,
                with_payload=True,
                with_vectors=[DENSE, WORDS],
            )
        return [_hit(point) for point in found.points]

    def drop(self) -> None:
        """Delete the collection."""
        with self._told():
            self._client.delete_collection(self._collection)

    def close(self) -> None:
        """Nothing: the client is that of all indexes."""

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What can go wrong on the way, as an error of ours that holds no address and no text."""
        try:
            yield
        except UnexpectedResponse as error:
            raise CorpusUnavailableError(
                f"the Qdrant server refuses (HTTP {error.status_code}) what was asked of the "
                f"collection {self._collection}: check retrieval_qdrant_url and its key, or index "
                "again"
            ) from error
        except (ApiException, ValueError) as error:
            raise CorpusUnavailableError(
                f"the collection {self._collection} cannot be used ({type(error).__name__}): check "
                "retrieval_qdrant_url, or index again"
            ) from error


def _sparse(words: SparseWords) -> models.SparseVector:
    return models.SparseVector(indices=list(words.indices), values=list(words.values))


def _hit(point: models.ScoredPoint) -> StoredHit:
    vectors = point.vector if isinstance(point.vector, dict) else {}
    dense, words = vectors.get(DENSE), vectors.get(WORDS)
    if not isinstance(dense, list):
        raise CorpusUnavailableError("the index holds a chunk without a vector: rebuild it")
    indices = words.indices if isinstance(words, models.SparseVector) else []
    vector = [each for each in dense if isinstance(each, float)]
    return StoredHit(chunk_of(point.payload), vector, frozenset(indices))
