"""The largest cosine of each sentence, and the score, from vectors that a test makes."""

import numpy as np
import pytest

from groundwire_verifier.checks.corpus.passages import Vectors
from groundwire_verifier.checks.similarity import texts
from groundwire_verifier.checks.similarity.texts import (
    comparison_texts,
    nearest,
    report_on_similarity,
)

ANSWER = "It rained all day. It snowed at night."


def at_angles(*degrees: float) -> Vectors:
    """Vectors of length 1 in a plane: the cosine of two is that of the angle between them."""
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_blocks_give_what_one_product_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(50, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    whole, rows = nearest(vectors[:37], vectors[37:])
    monkeypatch.setattr(texts, "BLOCK_ROWS", 7)
    blocks, rows_by_blocks = nearest(vectors[:37], vectors[37:])
    assert blocks == pytest.approx(whole, abs=1e-6)
    assert rows_by_blocks.tolist() == rows.tolist()


def test_a_cosine_is_never_beyond_one() -> None:
    longer = at_angles(0) * np.float32(1.0001)
    similarities, _ = nearest(longer, at_angles(0, 180))
    assert similarities.max() <= 1.0


def test_the_score_is_the_share_that_is_not_supported() -> None:
    texts = comparison_texts(ANSWER, ["far", "near"])
    report = report_on_similarity(texts, at_angles(0, 90, 85, 30), 0.6)
    assert [each.supported for each in report.sentences] == [True, True]
    assert report.hallucination_score == 0.0
    report = report_on_similarity(texts, at_angles(0, 90, 30, 200), 0.6)
    assert [each.sentence.text for each in report.unsupported] == ["It snowed at night."]
    assert report.hallucination_score == 0.5
    assert report.sentences[0].context_index == 0
