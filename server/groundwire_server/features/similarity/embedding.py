"""Embeds the texts of calls beside each other, batch by batch: calls take turns."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

import numpy as np

from groundwire_server.access.round_robin import RoundRobin
from groundwire_server.rpc.admission import PendingLimit
from groundwire_verifier.checks.corpus.passages import Embedder, Vectors
from groundwire_verifier.domain.threads import in_thread

BATCH_TEXTS = 128
"""Texts that are embedded in one go, in about a second at most: so long a call that is cancelled
still computes, and others wait."""

UNIT = "sentences and passages"

CALLS_OF_MOST_TEXTS = 4
"""How many calls with the most texts may wait or run at one time; of smaller ones more."""


@runtime_checkable
class Closing(Protocol):
    """An embedder that holds something."""

    def close(self) -> None:
        """Give it back."""


class TextEmbedding:
    """Makes the vectors of many calls with one embedder, in a thread, one batch at a time."""

    def __init__(self, embedder: Embedder, max_texts: int) -> None:
        self._embedder = embedder
        self._places = PendingLimit(UNIT, CALLS_OF_MOST_TEXTS * max_texts)
        # Those of one caller get it in the order of asking: its calls take turns as well.
        self._turns = RoundRobin()

    async def close(self) -> None:
        """Give back what the embedder holds, such as connections. No call may run."""
        if isinstance(self._embedder, Closing):
            await in_thread(self._embedder.close)

    @property
    def name(self) -> str:
        """The embedder's."""
        return self._embedder.name

    @property
    def places(self) -> int:
        """How many texts may wait or run, of all calls."""
        return self._places.limit

    def hold(self, texts: int) -> AbstractContextManager[None]:
        """Hold places for so many texts, at most `max_texts`. Raises QueueFullError."""
        return self._places.hold(texts)

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, of which there is at least one, shape (texts, size).

        Raises BackendUnavailableError where the embedder is elsewhere and gives none.
        """
        batches: list[Vectors] = []
        for start in range(0, len(texts), BATCH_TEXTS):
            async with self._turns.one():
                batch = texts[start : start + BATCH_TEXTS]
                batches.append(await in_thread(self._embedder.embed, batch))
        return np.concatenate(batches)
