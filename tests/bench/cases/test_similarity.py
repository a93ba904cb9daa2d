"""What bench.cases.similarity compares a claim with, and how its figures come about."""

from collections.abc import Sequence

import numpy as np
import pytest

from bench.cases.similarity import compare_set, largest_cosines
from groundwire_verifier.checks.corpus.passages import Vectors
from tests.bench.labelled_rows import labelled


class DigitEmbedder:
    """The vector of a text points where its digits say."""

    name = "digits"
    size = 2

    def embed(self, texts: Sequence[str]) -> Vectors:
        angles = np.radians([float("".join(filter(str.isdigit, text)) or 0) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_a_claim_is_compared_with_its_own_context_only() -> None:
    found = largest_cosines(DigitEmbedder(), ["a 0", "b 90"], ["c 0", "c 0"])
    assert found == pytest.approx([1.0, 0.0], abs=1e-6)


def test_figures_follow_from_cosines_and_labels() -> None:
    rows = [labelled(str(i), "claim", f"c{i}", i < 5) for i in range(10)]
    cosines = np.linspace(0.9, 0.1, 10)
    p1 = {row.name: None if row.name == "0" else float(row.supported) for row in rows}
    found = compare_set("set", rows, p1, cosines, 50)
    assert found.cosine.value == 1.0
    assert found.supported_told == 0.8
    assert found.unsupported_told == 0.0
    assert found.best_balanced_accuracy == 1.0
    # What was not read counts as .5.
    assert found.p1.value == 1.0
