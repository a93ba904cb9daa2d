"""What the tests of the server share: the processes that work on texts, and the embedding model."""

import asyncio
import functools
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator

import pytest

from groundwire_server.embedding import minilm
from groundwire_server.text_work import pool


@pytest.fixture(scope="session", autouse=True)
def the_embedding_model_is_loaded_once() -> Iterator[None]:
    """It has no state, and takes a quarter of a second of a processor to load."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minilm, "MiniLmEmbedder", functools.cache(minilm.MiniLmEmbedder))
        yield


@pytest.fixture(scope="session", autouse=True)
async def processes_for_texts_are_kept() -> AsyncIterator[None]:
    """A server hands its idle processes for texts to the next that starts.

    Such a process takes a tenth of a second of a processor to start, a scripted server a hundredth.
    """
    own_loop = asyncio.get_running_loop()
    kept: defaultdict[tuple[float, int], list[pool._Worker]] = defaultdict(list)

    class KeptTextWork(pool.TextWork):
        def __init__(self, workers: int, limit_s: float, niceness: int = 0) -> None:
            super().__init__(workers, limit_s, niceness)
            self._kept = kept[limit_s, niceness]

        async def _started(self) -> pool._Worker:
            if self._kept and asyncio.get_running_loop() is own_loop:
                return self._kept.pop()
            return await super()._started()

        async def close(self) -> None:
            if asyncio.get_running_loop() is own_loop:
                self._kept += self._idle
                self._idle.clear()
            await super().close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "TextWork", KeptTextWork)
        yield
    for workers in kept.values():
        for worker in workers:
            await worker.end()
