"""The detector as a class, which needs no server: it embeds in the process that calls it."""

from collections.abc import Sequence
from typing import NamedTuple

from groundwire_server.config.settings import ServerSettings
from groundwire_server.embedding.choice import MINILM, make_embedder
from groundwire_verifier.checks.corpus.passages import Embedder, Vectors
from groundwire_verifier.checks.similarity.texts import (
    DEFAULT_THRESHOLD,
    SimilarityReport,
    comparison_texts,
    nearest,
    report_on_similarity,
)

MODEL_NAME = "all-MiniLM-L6-v2"
_MINILM_NAMES = (MODEL_NAME, f"sentence-transformers/{MODEL_NAME}", MINILM)


class ClaimSupport(NamedTuple):
    """Whether a claim is like one of the contexts, and its largest cosine, in [-1, 1]."""

    supported: bool
    similarity: float

    def __bool__(self) -> bool:
        """The first of the two: as any other pair this would be true whatever it says."""
        return self.supported


class UnsupportedClaim(NamedTuple):
    """A sentence below the threshold with its largest cosine, in [-1, 1]."""

    text: str
    similarity: float


class SimilarityFindings(NamedTuple):
    """What `detect` gives.

    `hallucination_score` is the share of the claims that is not supported, in [0, 1]; None where
    there was no claim, so that nothing is known.
    """

    unsupported_claims: tuple[UnsupportedClaim, ...]
    hallucination_score: float | None


class EmbeddingHallucinationDetector:
    """Tells which sentences of an answer are like none of the texts that it was given.

    `model_name` is all-MiniLM-L6-v2 (int8, for English), or a folder of sentence-transformers; an
    `embedder` of your own takes its place.
    """

    def __init__(self, model_name: str = MODEL_NAME, *, embedder: Embedder | None = None) -> None:
        """Load the model, in about a second. Raises ConfigError if something of it is missing."""
        if embedder is None:
            model = MINILM if model_name in _MINILM_NAMES else model_name
            embedder = make_embedder(ServerSettings(embedding_model=model))
        self.embedder = embedder

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, each of length 1, shape (texts, size), float32."""
        if isinstance(texts, str):
            raise TypeError("texts must be many texts, not one: pass a list with one text")
        return self.embedder.embed(texts)

    def is_claim_supported(
        self, claim: str, context_embeddings: Vectors, threshold: float = DEFAULT_THRESHOLD
    ) -> ClaimSupport:
        """Whether the largest cosine of a claim with a context is at least the threshold.

        `context_embeddings` are those of `encode`, shape (contexts, size). Raises ValueError where
        there is no context, or the threshold is outside of [0, 1].
        """
        _check_threshold(threshold)
        if len(context_embeddings) == 0:
            raise ValueError("context_embeddings is empty: give at least one text to compare with")
        similarities, _ = nearest(self.encode([claim]), context_embeddings)
        similarity = float(similarities[0])
        return ClaimSupport(similarity >= threshold, similarity)

    def detect(
        self, answer: str, context_texts: Sequence[str], threshold: float = DEFAULT_THRESHOLD
    ) -> SimilarityFindings:
        """The sentences of an answer that are like no text, and the score.

        Sentences under 10 characters are left out. Raises as `report`.
        """
        report = self.report(answer, context_texts, threshold)
        claims = (UnsupportedClaim(s.sentence.text, s.similarity) for s in report.unsupported)
        return SimilarityFindings(tuple(claims), report.hallucination_score)

    def report(
        self, answer: str, context_texts: Sequence[str], threshold: float = DEFAULT_THRESHOLD
    ) -> SimilarityReport:
        """The same with every sentence, its place and the context that is nearest to it.

        Raises ValueError where there is no context, or the threshold is outside of [0, 1].
        """
        _check_threshold(threshold)
        if isinstance(context_texts, str):
            raise TypeError("context_texts must be many texts, not one: pass a list with one text")
        if not any(text.strip() for text in context_texts):
            raise ValueError("context_texts holds no text: give at least one to compare with")
        texts = comparison_texts(answer, context_texts)
        return report_on_similarity(texts, self.encode(texts.texts), threshold)


def _check_threshold(threshold: float) -> None:
    # Written so that NaN is refused, too.
    if not 0.0 <= threshold <= 1.0:
        raise ValueError(f"threshold is {threshold:g}; it must be in [0, 1], sensibly .55 to .70")
