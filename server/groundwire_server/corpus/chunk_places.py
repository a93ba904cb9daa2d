"""Where the chunks of an index lie: in its folder, or on a Qdrant server."""

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.corpus.index_folder import Generation
from groundwire_server.corpus.manifest import IndexFacts
from groundwire_server.corpus.store import ChunkStore

if TYPE_CHECKING:
    from qdrant_client import QdrantClient


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """Opens the stores of indexes. Without a client every one lies in its folder."""

    client: "QdrantClient | None" = None

    def new_collection(self) -> str:
        """The name of a collection that nothing has; empty where folders hold the chunks."""
        return "" if self.client is None else f"groundwire-{uuid.uuid4().hex}"

    def create(self, generation: Generation, facts: IndexFacts) -> ChunkStore:
        if self.client is not None:
            from groundwire_server.corpus.qdrant_store import QdrantStore

            return QdrantStore.create(self.client, facts.collection, int(facts.size))
        from groundwire_server.corpus.edge_store import EdgeStore

        return EdgeStore.create(generation.chunks, int(facts.size))

    def open(self, generation: Generation, facts: IndexFacts) -> ChunkStore:
        """The store of an index. Raises ConfigError where it lies at the other kind of place."""
        if bool(facts.collection) != (self.client is not None):
            where = "on a Qdrant server" if facts.collection else "in its folder"
            raise ConfigError(
                f"retrieval_qdrant_url: the chunks of {generation.folder.parent} lie {where}; "
                "set or unset it, or make the index anew with groundwire index --rebuild"
            )
        if self.client is not None:
            from groundwire_server.corpus.qdrant_store import QdrantStore

            return QdrantStore(self.client, facts.collection)
        from groundwire_server.corpus.edge_store import EdgeStore

        return EdgeStore.open(generation.chunks)

    def drop(self, facts: IndexFacts) -> None:
        """Delete an index that another has replaced; a folder goes with its generation."""
        if self.client is not None and facts.collection:
            from groundwire_server.corpus.qdrant_store import QdrantStore

            QdrantStore(self.client, facts.collection).drop()


def chunk_place(settings: ServerSettings) -> ChunkPlace:
    """What the settings choose. Raises ConfigError."""
    if settings.retrieval_qdrant_url is None:
        return ChunkPlace()
    from groundwire_server.corpus.qdrant_store import connect
    from groundwire_server.endpoints.registry import checked_url, endpoint_key

    name = "retrieval_qdrant"
    url = checked_url(
        f"{name}_url", settings.retrieval_qdrant_url, allow_plaintext=settings.allow_plaintext
    )
    key = endpoint_key(f"{name}_key", settings.retrieval_qdrant_key)
    return ChunkPlace(connect(url, key))
