"""Finds the passages of an index for a claim: by meaning, by words, and by both together."""

import asyncio
import contextvars
import functools
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from groundwire_server.corpus.chunk_places import ChunkPlace
from groundwire_server.corpus.index_folder import Generation, IndexFolder
from groundwire_server.corpus.manifest import Manifest
from groundwire_server.corpus.search_words import SparseWords, WordEncoder
from groundwire_server.corpus.store import ChunkStore, StoredHit, StoredSearch
from groundwire_server.embedding.choice import SpanEmbedder
from groundwire_verifier.checks.corpus.passages import Passage
from groundwire_verifier.domain.errors import CorpusUnavailableError

DEPTH = 4
"""Each list is so many times as long as what is asked for, so that the fused one has a choice."""

MIN_WORD_SHARE = 0.3
"""The share of a claim's words that a passage holds which counts by its words alone."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A claim as it is looked for. `terms` has the numbers of each word; no vector where the
    embedder cannot read the claim."""

    vector: Sequence[float] | None
    words: SparseWords
    terms: Sequence[frozenset[int]]


class CorpusIndex:
    """Implements `groundwire_verifier.checks.corpus.passages.EvidenceProvider` on an index.

    An index that is replaced is noticed at the next claim, one that is deleted is an error then.
    """

    def __init__(
        self,
        name: str,
        folder: IndexFolder,
        embedder: SpanEmbedder,
        place: ChunkPlace,
        similarity_threshold: float,
    ) -> None:
        """`name` is that of the corpus, for errors. Opens nothing yet."""
        self._name = name
        self._folder = folder
        self._embedder = embedder
        self._place = place
        self._threshold = similarity_threshold
        self._words = WordEncoder()
        self._lock = threading.Lock()
        self._opened: tuple[Generation, ChunkStore] | None = None
        # Apart from asyncio's own threads, which answer others and end the engine: an embedding
        # endpoint or a Qdrant server that is dead keeps these waiting alone. They end with it.
        self._threads = ThreadPoolExecutor(thread_name_prefix="groundwire-retrieval")

    async def retrieve(self, claim: str, top_k: int) -> Sequence[Passage]:
        """The best passages for a claim, best first, at most `top_k` of them.

        A passage counts where the cosine of its vector and the claim's is at least the threshold,
        or where it holds MIN_WORD_SHARE of the claim's words. Raises CorpusUnavailableError.
        """
        found = functools.partial(contextvars.copy_context().run, self.find, claim, top_k)
        return await asyncio.get_running_loop().run_in_executor(self._threads, found)

    def find(self, claim: str, top_k: int) -> Sequence[Passage]:
        """The same, in this thread."""
        sought = self._sought(claim)
        search = StoredSearch(sought.vector, sought.words, DEPTH * top_k, self._threshold)
        try:
            # Not searched under the lock: a Qdrant server that is dead keeps nobody else waiting.
            with self._lock:
                store = self._store()
            hits = store.search(search)
        except CorpusUnavailableError as error:
            raise CorpusUnavailableError(f"corpus {self._name}: {error}") from error
        passages = [self._passage(hit, sought) for hit in hits]
        return [each for each in passages if each is not None][:top_k]

    def close(self) -> None:
        """Close the index. It is opened again when it is asked."""
        with self._lock:
            self._opened = None

    def _sought(self, claim: str) -> Sought:
        vector = self._embedder.embed([claim])[0].tolist() if self._embedder.reads(claim) else None
        return Sought(vector, self._words.query(claim), self._words.terms(claim))

    def _store(self) -> ChunkStore:
        generation = self._folder.current()
        if self._opened is not None and self._opened[0] == generation:
            return self._opened[1]
        facts = Manifest.facts_in(generation.manifest)
        if facts.embedder != self._embedder.name:
            raise CorpusUnavailableError(
                f"it was indexed with {facts.embedder}, and this server has {self._embedder.name}: "
                "set embedding_model to what it was, or index it anew with --rebuild"
            )
        store = self._place.open(generation, facts)
        if store.count() == 0:
            raise CorpusUnavailableError("it holds no chunks: index it again")
        # The one before lets go of its files with the last search in it.
        self._opened = (generation, store)
        return store

    def _passage(self, hit: StoredHit, sought: Sought) -> Passage | None:
        """The passage of a hit; None where neither its meaning nor its words are near enough."""
        similarity = None
        if sought.vector is not None:
            similarity = float(np.dot(hit.vector, sought.vector) / np.linalg.norm(hit.vector))
        is_near = similarity is not None and similarity >= self._threshold
        if not is_near and word_share(sought.terms, hit.words) < MIN_WORD_SHARE:
            return None
        chunk = hit.chunk
        return Passage(
            id=f"{chunk.document}#{chunk.number}",
            document=chunk.document,
            text=chunk.text,
            start=chunk.start,
            end=chunk.end,
            similarity=similarity if is_near else None,
            title=chunk.title,
            dated=chunk.dated,
            dated_by=chunk.dated_by,
        )


def word_share(terms: Sequence[frozenset[int]], words: frozenset[int]) -> float:
    """The share of a claim's words that are among those of a passage, in [0, 1]; 0 for none."""
    return sum(not term.isdisjoint(words) for term in terms) / len(terms) if terms else 0.0
