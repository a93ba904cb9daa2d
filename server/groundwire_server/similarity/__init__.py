"""Similarity for notebooks and scripts, without a server: a conversation, its context, a score.

from groundwire_server.similarity import EmbeddingHallucinationDetector

detector = EmbeddingHallucinationDetector()
unsupported, score = detector.detect(answer, context_texts, threshold=0.60)
"""

from groundwire_server.similarity.conversation import (
    ConversationError,
    extract_ai_answer,
    extract_context_texts,
    extract_last_user_question,
    load_json,
)
from groundwire_server.similarity.detector import (
    ClaimSupport,
    EmbeddingHallucinationDetector,
    SimilarityFindings,
    UnsupportedClaim,
)
from groundwire_verifier.checks.similarity.texts import split_into_sentences

__all__ = [
    "ClaimSupport",
    "ConversationError",
    "EmbeddingHallucinationDetector",
    "SimilarityFindings",
    "UnsupportedClaim",
    "extract_ai_answer",
    "extract_context_texts",
    "extract_last_user_question",
    "load_json",
    "split_into_sentences",
]
