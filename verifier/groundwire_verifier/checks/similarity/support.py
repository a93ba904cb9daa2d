"""Which sentences are like one of the texts: the largest cosine of each, and the score.

A high cosine says that two texts are about the same, not that one carries the other.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from groundwire_verifier.checks.corpus.passages import Vectors
from groundwire_verifier.checks.similarity.texts import AnswerSentence, ComparisonTexts
from groundwire_verifier.domain.errors import ImplausibleAnswerError

DEFAULT_THRESHOLD = 0.60
"""The cosine from which a sentence counts as supported; sensible values are .55 to .70."""

BLOCK_ROWS = 1024
"""Sentences that are compared at once, so that 10,000 of them need 40 MB and no 400."""


@dataclass(frozen=True, slots=True)
class SentenceSupport:
    """A sentence with its largest cosine, in [-1, 1], and the index of the context that has it."""

    sentence: AnswerSentence
    similarity: float
    context_index: int
    supported: bool


@dataclass(frozen=True, slots=True)
class SimilarityReport:
    """What was found for the sentences of an answer. `short` counts those that were left out."""

    sentences: tuple[SentenceSupport, ...]
    short: int
    threshold: float

    @property
    def unsupported(self) -> tuple[SentenceSupport, ...]:
        """The sentences below the threshold."""
        return tuple(each for each in self.sentences if not each.supported)

    @property
    def hallucination_score(self) -> float | None:
        """The share of sentences that is not supported, in [0, 1]; None if none was compared."""
        return len(self.unsupported) / len(self.sentences) if self.sentences else None


def nearest(
    claims: Vectors, contexts: Vectors
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """For each claim its largest cosine, in [-1, 1], and the row of `contexts` that has it.

    Vectors have length 1 and the shapes (claims, size) and (contexts, size), with at least one
    context. Raises ImplausibleAnswerError for vectors that are none.
    """
    if not (np.isfinite(claims).all() and np.isfinite(contexts).all()):
        raise ImplausibleAnswerError("the embedder gave a vector with a number that is none")
    similarities = np.empty(len(claims), np.float32)
    rows = np.empty(len(claims), np.int64)
    for start in range(0, len(claims), BLOCK_ROWS):
        cosines = claims[start : start + BLOCK_ROWS] @ contexts.T
        best = cosines.argmax(axis=1)
        rows[start : start + len(best)] = best
        similarities[start : start + len(best)] = cosines[np.arange(len(best)), best]
    # The product of two vectors of length 1 may be 1.0000001.
    return similarities.clip(-1.0, 1.0), rows


def report_on_similarity(
    texts: ComparisonTexts, vectors: Vectors, threshold: float
) -> SimilarityReport:
    """The report on an answer. `vectors` are those of `texts.texts`, shape (texts, size).

    Raises ImplausibleAnswerError for vectors that are none.
    """
    place = {text: row for row, text in enumerate(texts.texts)}
    if len(vectors) != len(place):
        raise ImplausibleAnswerError(f"{len(vectors)} vectors came for {len(place)} texts")
    claims = vectors[[place[sentence.text] for sentence in texts.sentences]]
    similarities, rows = nearest(claims, vectors[[place[text] for text in texts.passages]])
    return SimilarityReport(
        sentences=tuple(
            # As Python compares them: NumPy would round the threshold to the cosine's precision.
            SentenceSupport(sentence, cosine, texts.context_of[row], cosine >= threshold)
            for sentence, cosine, row in zip(
                texts.sentences, similarities.tolist(), rows, strict=True
            )
        ),
        short=texts.short,
        threshold=threshold,
    )
