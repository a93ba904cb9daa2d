"""Asks an evidence provider, whoever wrote it, and accepts passages only."""

import asyncio

from groundwire_verifier.checks.corpus.passages import EvidenceProvider, Passage
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import VerifierError
from groundwire_verifier.domain.futures import retrieve as ignore_result

MAX_PASSAGE_CHARACTERS = 20_000
"""Most characters of one passage; a chunk of 512 tokens has about 2,500."""

_ROUNDING = 1e-3


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
