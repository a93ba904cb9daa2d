"""An OpenAI-compatible endpoint for embeddings as an embedder."""

import asyncio
import re
import threading
from collections.abc import Sequence
from functools import cached_property

import httpx2
import numpy as np

from groundwire_server.endpoints.attempts import Attempts
from groundwire_server.endpoints.openai_api import Address, Calls, Part, Whole
from groundwire_verifier.checks.corpus.passages import Vectors
from groundwire_verifier.domain.errors import ImplausibleAnswerError
from groundwire_verifier.domain.urgency import WHENEVER
from groundwire_verifier.engine.endpoints.byte_tokenizer import PIECE_BYTES

TEXTS_A_CALL = 8
"""The answer to so many is below a megabyte for vectors of up to 4,096 numbers."""

PROBE_TEXT = "Two is an even number."
NO_TEXT = "."
"""What stands for an empty text, which servers refuse."""

# Three letters of ASCII are about a token at most, and so is one of another script.
_PIECE = re.compile(rf"[\x00-\x7f]{{1,{PIECE_BYTES}}}|[^\x00-\x7f]")


class _Vector(Part):
    index: int
    embedding: tuple[float, ...]


class _Embeddings(Whole):
    data: tuple[_Vector, ...]


class EndpointEmbedder:
    """Implements `Embedder` of `checks/corpus/passages.py`. May be called from any thread.

    Has a thread of its own for its connections, since its callers compute and do not wait in a
    loop. Raises what `Attempts.run` raises, and ImplausibleAnswerError.
    """

    def __init__(self, address: Address, client: httpx2.AsyncClient, attempts: Attempts) -> None:
        self._address = address
        self._calls = Calls(address, client, attempts)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="embeddings", daemon=True
        )
        self._thread.start()
        self.name = f"endpoint:{address.model}"

    @cached_property
    def size(self) -> int:
        """Numbers of a vector, which a first call tells."""
        return int(self._vectors([PROBE_TEXT]).shape[1])

    def spans(self, text: str) -> list[tuple[int, int]]:
        """About where each token begins and ends: the endpoint's tokenizer is not here."""
        return [piece.span() for piece in _PIECE.finditer(text)]

    def reads(self, text: str) -> bool:
        """True: which languages a model of the operator's knows is the operator's to tell."""
        return True

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, each of length 1, shape (texts, size), float32."""
        if not texts:
            return np.zeros((0, self.size), np.float32)
        calls = range(0, len(texts), TEXTS_A_CALL)
        return np.concatenate([self._vectors(texts[at : at + TEXTS_A_CALL]) for at in calls])

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        asked = [text.strip() or NO_TEXT for text in texts]
        body = {"input": asked, "encoding_format": "float"}
        tokens = sum(len(text.encode()) // PIECE_BYTES for text in asked)
        call = self._calls.post(_Embeddings, "embeddings", body, tokens, WHENEVER)
        answer = asyncio.run_coroutine_threadsafe(call, self._loop).result()
        rows = [each.embedding for each in sorted(answer.data, key=lambda each: each.index)]
        if len(rows) != len(texts) or len({len(row) for row in rows}) != 1 or not rows[0]:
            raise ImplausibleAnswerError(
                f"the endpoint {self._address.name} gave other vectors than it was asked for"
            )
        vectors = np.array(rows, np.float64)
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise ImplausibleAnswerError(
                f"the endpoint {self._address.name} gave a vector without a direction"
            )
        unit: Vectors = (vectors / lengths).astype(np.float32)
        return unit

    def close(self) -> None:
        """Close the connections and what is written down."""
        asyncio.run_coroutine_threadsafe(self._calls.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
