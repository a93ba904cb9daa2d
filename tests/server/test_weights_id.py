"""What tells weights apart."""

from pathlib import Path

from server.model_store import BASE_MODEL, EMBEDDED_MODELS
from server.weights_id import weights_id


def folder(path: Path, weights: bytes) -> str:
    path.mkdir()
    (path / "model.safetensors").write_bytes(weights)
    (path / "config.json").write_text("{}")
    return str(path)


def test_an_embedded_model_is_known_by_what_it_is_made_from() -> None:
    assert EMBEDDED_MODELS[BASE_MODEL].key in weights_id(BASE_MODEL, None)


def test_equal_folders_are_the_same_wherever_they_are(tmp_path: Path) -> None:
    first, second = folder(tmp_path / "a", b"one"), folder(tmp_path / "b", b"one")
    assert weights_id(first, None) == weights_id(second, None)


def test_other_weights_are_others(tmp_path: Path) -> None:
    first, second = folder(tmp_path / "a", b"one"), folder(tmp_path / "b", b"two")
    assert weights_id(first, None) != weights_id(second, None)


def test_quantised_weights_are_others(tmp_path: Path) -> None:
    path = folder(tmp_path / "a", b"one")
    assert weights_id(path, "fp8") != weights_id(path, None)
