"""The detector for notebooks, on the real MiniLM and with an embedder of a caller's own."""

from collections.abc import Sequence

import numpy as np
import pytest

from groundwire_server.config.sources import ConfigError
from groundwire_server.similarity import EmbeddingHallucinationDetector
from groundwire_verifier.checks.corpus.passages import Vectors

CONTEXTS = [
    "The Harbour Inn stands next to the clinic, and its guests get a discount.",
    "A room at the Harbour Inn costs 60 dollars a night.",
]


class LetterEmbedder:
    """Texts are alike where the same letters are in them."""

    name = "letters"
    size = 26

    def embed(self, texts: Sequence[str]) -> Vectors:
        letters = list(map(chr, range(97, 123)))
        counts = np.array([[1e-6 + text.count(letter) for letter in letters] for text in texts])
        vectors: Vectors = counts.astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


@pytest.fixture(scope="module")
def detector() -> EmbeddingHallucinationDetector:
    return EmbeddingHallucinationDetector()


def test_what_is_like_no_text_is_unsupported(detector: EmbeddingHallucinationDetector) -> None:
    answer = "A room at the Harbour Inn costs 60 dollars a night. Whales sing in the deep sea."
    unsupported, score = detector.detect(answer, CONTEXTS, threshold=0.60)
    assert [text for text, _ in unsupported] == ["Whales sing in the deep sea."]
    assert unsupported[0].similarity < 0.3
    assert score == 0.5


def test_another_number_is_as_near_and_so_supported(
    detector: EmbeddingHallucinationDetector,
) -> None:
    """What similarity cannot see; the docs say so, and this holds them to it."""
    wrong = "A room at the Harbour Inn costs 40 dollars a night."
    assert detector.detect(wrong, CONTEXTS).hallucination_score == 0.0


def test_a_claim_is_supported_by_the_nearest_context(
    detector: EmbeddingHallucinationDetector,
) -> None:
    vectors = detector.encode(CONTEXTS)
    supported, similarity = detector.is_claim_supported(CONTEXTS[1], vectors, 0.60)
    assert supported
    assert similarity == pytest.approx(1.0, abs=0.02)


def test_no_claim_has_no_score(detector: EmbeddingHallucinationDetector) -> None:
    findings = detector.detect("Yes. No.", CONTEXTS)
    assert findings.unsupported_claims == ()
    assert findings.hallucination_score is None


def test_no_vectors_to_compare_with_are_refused() -> None:
    detector = EmbeddingHallucinationDetector(embedder=LetterEmbedder())
    with pytest.raises(ValueError, match="context_embeddings is empty"):
        detector.is_claim_supported("It rained.", np.empty((0, 26), np.float32))


def test_one_text_where_many_are_meant_is_a_type_error() -> None:
    detector = EmbeddingHallucinationDetector(embedder=LetterEmbedder())
    with pytest.raises(TypeError, match="many texts"):
        detector.detect("It rained all day.", "context")
    with pytest.raises(TypeError, match="many texts"):
        detector.encode("context")


@pytest.mark.parametrize("name", ["minilm", "sentence-transformers/all-MiniLM-L6-v2"])
def test_the_model_answers_to_the_name_that_it_is_known_by(
    detector: EmbeddingHallucinationDetector, name: str
) -> None:
    assert EmbeddingHallucinationDetector(name).embedder.name == detector.embedder.name


def test_a_model_that_is_not_here_is_named() -> None:
    with pytest.raises(ConfigError, match="'all-mpnet-base-v2' is neither minilm nor a folder"):
        EmbeddingHallucinationDetector("all-mpnet-base-v2")
