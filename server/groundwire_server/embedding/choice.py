"""From settings to an embedder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_verifier.checks.corpus.passages import Embedder

MINILM = "minilm"


class SpanEmbedder(Embedder, Protocol):
    """An embedder that also says how it cuts a text into tokens, and what it can read."""

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        """Where each token of a text begins and ends, in characters, in their order."""

    def reads(self, text: str) -> bool:
        """Whether it knows the language of a text; vectors of other texts mean nothing."""


def make_embedder(settings: ServerSettings) -> SpanEmbedder:
    """The embedder that the settings name, loaded. Takes a second or more. Raises ConfigError."""
    model = settings.embedding_model
    if settings.embedding_backend is not None:
        from groundwire_server.endpoints.registry import endpoint_embedder

        return endpoint_embedder(settings)
    if model == MINILM:
        from groundwire_server.embedding.minilm import MiniLmEmbedder

        return MiniLmEmbedder()
    folder = Path(model).expanduser()
    if not folder.is_dir():
        raise ConfigError(
            f"embedding_model: {model!r} is neither {MINILM} nor a folder; a model behind an "
            "endpoint needs embedding_backend"
        )
    from groundwire_server.embedding.folder import FolderEmbedder
    from groundwire_server.embedding.minilm import THREADS

    return FolderEmbedder(folder, THREADS)
