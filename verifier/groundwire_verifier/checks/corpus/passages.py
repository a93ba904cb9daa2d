"""What a corpus gives for a claim: passages of its documents, and the interface that gives them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document that was found for a claim.

    `document` is its path in the corpus, [`start`, `end`) its characters in the document's text.
    `similarity` is the cosine of its vector and the claim's, in [-1, 1]; None where it was found by
    its words and has no vector. `dated` is the day that the document speaks of, if it is known,
    and `dated_by` says what told it, such as `front matter` or `file time`.
    """

    id: str
    document: str
    text: str
    start: int
    end: int
    similarity: float | None
    title: str = ""
    dated: date | None = None
    dated_by: str = ""


class EvidenceProvider(Protocol):
    """Finds evidence. An index of ours is one, and so is whatever a package registers."""

    async def retrieve(self, claim: str, top_k: int) -> Sequence[Passage]:
        """The best passages for a claim, best first, at most `top_k` of them.

        Empty where nothing fits. Raises BackendUnavailableError where the corpus cannot be read.
        """


class Embedder(Protocol):
    """Makes vectors of texts, for which near means alike."""

    @property
    def name(self) -> str:
        """What tells its vectors from those of another."""

    @property
    def size(self) -> int:
        """Numbers of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, each of length 1, shape (texts, size), float32.

        An empty text has one, too. A text that is too long is read up to where the model ends.
        """
