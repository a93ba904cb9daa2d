"""What a corpus gives for a claim: passages of its documents, and nothing else.

The provider is asked, whoever wrote it, and what it gives is looked at.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

import numpy as np
import numpy.typing as npt

from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import VerifierError
from groundwire_verifier.domain.tasks import retrieve as ignore_result

Vectors = npt.NDArray[np.float32]

MAX_PASSAGE_CHARACTERS = 20_000
"""Most characters of one passage; a chunk of 512 tokens has about 2,500."""

_ROUNDING = 1e-3


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


class RetrievalFailedError(VerifierError):
    """A corpus gave no evidence that can be used; its text says why, without any text of others."""


async def retrieved(provider: EvidenceProvider, claim: str, top_k: int) -> tuple[Passage, ...]:
    """The passages for a claim, best first, at most `top_k`. The provider says what is near enough.

    Whatever a provider raises is a RetrievalFailedError, and so is what it gives that is none.
    """
    asking = asyncio.ensure_future(_asked(provider, claim, top_k))
    asking.add_done_callback(ignore_result)
    try:
        await asyncio.wait((asking,))
    finally:
        asking.cancel()
    if asking.cancelled():
        raise RetrievalFailedError("the corpus gave no evidence: it gave up")
    error = asking.exception()
    if error is not None:
        words = str(error) if isinstance(error, VerifierError) else type(error).__name__
        raise RetrievalFailedError(f"the corpus gave no evidence: {words}") from error
    return asking.result()


async def _asked(provider: EvidenceProvider, claim: str, top_k: int) -> tuple[Passage, ...]:
    found = tuple(await provider.retrieve(claim, top_k))[:top_k]
    for place, passage in enumerate(found):
        if wrong := _what_is_wrong(passage):
            raise RetrievalFailedError(f"passage {place} {wrong}")
    return found


def _what_is_wrong(passage: object) -> str:
    """Why something that a provider gave is no passage; empty if it is one."""
    if not isinstance(passage, Passage):
        return f"is of the type {type(passage).__name__}"
    if not all(isinstance(text, str) for text in (passage.document, passage.text, passage.title)):
        return "holds something else than text"
    rules = (
        (checks.has_visible_character(passage.text), "has no visible character"),
        (passage.document != "", "names no document"),
        (
            len(passage.text) <= MAX_PASSAGE_CHARACTERS,
            f"has {len(passage.text):,} characters; the limit is {MAX_PASSAGE_CHARACTERS:,}",
        ),
        (0 <= passage.start <= passage.end, "has no place in its document"),
        (_is_cosine(passage.similarity), "has a similarity outside [-1, 1]"),
    )
    return next((wrong for holds, wrong in rules if not holds), "")


def _is_cosine(similarity: float | None) -> bool:
    # Written so that NaN is refused, too.
    return similarity is None or abs(similarity) <= 1.0 + _ROUNDING
