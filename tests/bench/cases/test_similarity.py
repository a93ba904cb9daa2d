"""What bench.cases.similarity compares a claim with, and how its figures come about."""

from collections.abc import Sequence

import numpy as np
import pytest

from bench.tools.similarity_figures import (
    PASSAGES,
    SENTENCES,
    WAYS,
    WHOLE,
    RememberedVectors,
    compare_set,
    largest_cosines,
)
from groundwire_verifier.checks.corpus.passages import Vectors
from tests.bench.labelled_rows import labelled


class DigitEmbedder:
    """The vector of a text points where its digits say; it counts the texts that it was given."""

    name = "digits"
    size = 2

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        angles = np.radians([float("".join(filter(str.isdigit, text)) or 0) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_a_claim_is_compared_with_its_own_context_only() -> None:
    vectors = RememberedVectors(DigitEmbedder())
    found = largest_cosines(vectors, ["a 0", "b 90"], ["c 0", "c 0"], PASSAGES)
    assert found == pytest.approx([1.0, 0.0], abs=1e-6)


def test_sentences_are_compared_one_by_one_and_the_whole_text_as_one() -> None:
    vectors, context = RememberedVectors(DigitEmbedder()), "It was 90 then. It was 0 later."
    by = {way: largest_cosines(vectors, [context], ["It is 90"], way)[0] for way in WAYS}
    assert by[SENTENCES] == pytest.approx(1.0, abs=1e-6)
    assert by[WHOLE] < 0.5


def test_figures_follow_from_cosines_and_labels() -> None:
    rows = [labelled(str(i), "claim", f"c{i}", i < 5) for i in range(10)]
    cosines = np.linspace(0.9, 0.1, 10)
    p1 = {row.name: None if row.name == "0" else float(row.supported) for row in rows}
    found = compare_set("set", rows, p1, dict.fromkeys(WAYS, cosines), 50)
    assert found.cosine[PASSAGES].value == 1.0
    assert found.supported_told == 0.8
    assert found.unsupported_told == 0.0
    assert found.best_balanced_accuracy == 1.0
    # What was not read counts as .5.
    assert found.p1.value == 1.0
