"""The largest cosine of each sentence, and the score, from vectors that a test makes."""

import numpy as np
import pytest

from groundwire_verifier.corpus.passages import Vectors
from groundwire_verifier.domain.errors import ImplausibleAnswerError
from groundwire_verifier.similarity import support
from groundwire_verifier.similarity.support import nearest, report_on_similarity
from groundwire_verifier.similarity.texts import comparison_texts

ANSWER = "It rained all day. It snowed at night."


def at_angles(*degrees: float) -> Vectors:
    """Vectors of length 1 in a plane: the cosine of two is that of the angle between them."""
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_the_nearest_context_decides_and_is_named() -> None:
    similarities, rows = nearest(at_angles(0, 90), at_angles(60, 100, 180))
    assert rows.tolist() == [0, 1]
    assert similarities == pytest.approx([0.5, np.cos(np.radians(10))], abs=1e-6)


def test_blocks_give_what_one_product_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(50, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    whole, rows = nearest(vectors[:37], vectors[37:])
    monkeypatch.setattr(support, "BLOCK_ROWS", 7)
    blocks, rows_by_blocks = nearest(vectors[:37], vectors[37:])
    assert blocks == pytest.approx(whole, abs=1e-6)
    assert rows_by_blocks.tolist() == rows.tolist()


def test_a_cosine_is_never_beyond_one() -> None:
    longer = at_angles(0) * np.float32(1.0001)
    similarities, _ = nearest(longer, at_angles(0, 180))
    assert similarities.max() <= 1.0


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_vector_that_is_none_is_refused(bad: float) -> None:
    broken = at_angles(0, 90)
    broken[1, 0] = bad
    with pytest.raises(ImplausibleAnswerError):
        nearest(broken, at_angles(0))
    with pytest.raises(ImplausibleAnswerError):
        nearest(at_angles(0), broken)


def test_the_score_is_the_share_that_is_not_supported() -> None:
    texts = comparison_texts(ANSWER, ["far", "near"])
    report = report_on_similarity(texts, at_angles(0, 90, 85, 30), 0.6)
    assert [each.supported for each in report.sentences] == [True, True]
    assert report.hallucination_score == 0.0
    report = report_on_similarity(texts, at_angles(0, 90, 30, 200), 0.6)
    assert [each.sentence.text for each in report.unsupported] == ["It snowed at night."]
    assert report.hallucination_score == 0.5
    assert report.sentences[0].context_index == 0


@pytest.mark.parametrize("threshold", [0.55, 0.6, 0.65, 0.7])
def test_a_cosine_at_the_threshold_is_supported(threshold: float) -> None:
    texts = comparison_texts("It rained all day.", ["context"])
    exact = np.array([[1, 0], [threshold, 0]], np.float32)
    found = report_on_similarity(texts, exact, threshold).sentences[0]
    # float32 has no .7: what is told is what was compared.
    assert found.supported == (found.similarity >= threshold)
    assert report_on_similarity(texts, exact, found.similarity).sentences[0].supported


def test_the_score_of_no_sentence_is_no_number() -> None:
    texts = comparison_texts("Yes. No.", ["context"])
    report = report_on_similarity(texts, at_angles(0), 0.6)
    assert report.hallucination_score is None
    assert (report.sentences, report.short) == ((), 2)


def test_vectors_of_another_number_are_refused() -> None:
    with pytest.raises(ImplausibleAnswerError, match="2 vectors came for 3"):
        report_on_similarity(comparison_texts(ANSWER, ["a"]), at_angles(0, 1), 0.6)


def test_sentences_that_are_equal_have_equal_numbers() -> None:
    texts = comparison_texts("It rained all day. It rained all day.", ["x", "x"])
    report = report_on_similarity(texts, at_angles(0, 60), 0.6)
    assert [round(each.similarity, 6) for each in report.sentences] == [0.5, 0.5]
