"""What tells weights apart, and whether the calibration that ships is for the weights that do."""

import logging
from pathlib import Path

import huggingface_hub
import pytest

from groundwire_server.config.settings import ServerSettings
from groundwire_server.models import calibrations
from groundwire_server.models.convert import seal
from groundwire_server.models.store import (
    BASE_MODEL,
    EMBEDDED_MODELS,
    LARGE_VERIFIER,
    QWEN_VERIFIER,
    SMALL_MODEL,
    prepare,
)
from groundwire_server.models.weights_id import weights_id
from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.engine.hf_tokenizer import HfTokenizer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def folder(path: Path, weights: bytes) -> str:
    path.mkdir()
    (path / "model.safetensors").write_bytes(weights)
    (path / "config.json").write_text("{}")
    return str(path)


def test_an_embedded_model_is_known_by_what_it_is_made_from() -> None:
    assert EMBEDDED_MODELS[BASE_MODEL].key in weights_id(BASE_MODEL, None)


def test_a_copy_of_a_prepared_folder_is_the_embedded_model_until_it_is_changed(
    tmp_path: Path,
) -> None:
    path = Path(folder(tmp_path / "a", b"one"))
    seal(path, EMBEDDED_MODELS[BASE_MODEL])
    assert weights_id(str(path), None) == weights_id(BASE_MODEL, None)
    (path / calibrations.FILE_NAME).write_bytes(b"{}")
    assert weights_id(str(path), None) == weights_id(BASE_MODEL, None)
    (path / "model.safetensors").write_bytes(b"two")
    assert weights_id(str(path), None) != weights_id(BASE_MODEL, None)


def test_equal_folders_are_the_same_wherever_they_are(tmp_path: Path) -> None:
    first, second = folder(tmp_path / "a", b"one"), folder(tmp_path / "b", b"one")
    assert weights_id(first, None) == weights_id(second, None)


def test_other_weights_are_others(tmp_path: Path) -> None:
    first, second = folder(tmp_path / "a", b"one"), folder(tmp_path / "b", b"two")
    assert weights_id(first, None) != weights_id(second, None)


def test_quantised_weights_are_others(tmp_path: Path) -> None:
    path = folder(tmp_path / "a", b"one")
    assert weights_id(path, "fp8") != weights_id(path, None)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "adapter_config.json"])
def test_whatever_can_change_a_folders_weights_is_a_part_of_them(tmp_path: Path, name: str) -> None:
    path = folder(tmp_path / "a", b"one")
    before = weights_id(path, None)
    Path(path, name).write_bytes(b"{}")
    assert weights_id(path, None) != before


def test_a_calibration_beside_the_weights_is_no_part_of_them(tmp_path: Path) -> None:
    path = folder(tmp_path / "a", b"one")
    before = weights_id(path, None)
    Path(path, calibrations.FILE_NAME).write_bytes(b"{}")
    assert weights_id(path, None) == before


def test_a_hub_model_is_known_by_its_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    found = f"/hub/models--org--name/snapshots/{COMMIT}/config.json"
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda *_, revision: found)
    assert weights_id("org/name", None) == f"org/name@{COMMIT}:"


@pytest.mark.parametrize("found", [None, object(), "/elsewhere/config.json"])
def test_an_unknown_commit_is_that_of_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, found: object
) -> None:
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda *_, revision: found)
    with caplog.at_level(logging.WARNING):
        assert weights_id("org/name", None) != weights_id("org/name", None)
    assert "the commit of org/name cannot be told" in caplog.text


@pytest.mark.parametrize(
    ("name", "with_tokenizer"),
    [
        (SMALL_MODEL, SMALL_MODEL),
        (QWEN_VERIFIER, QWEN_VERIFIER),
        # A copy has the tokeniser of its original, and so has the larger one of its kind, which is
        # too large to be prepared for a test.
        (f"{QWEN_VERIFIER}-int8", QWEN_VERIFIER),
        (LARGE_VERIFIER, QWEN_VERIFIER),
    ],
)
def test_the_calibration_that_ships_is_for_the_model_that_ships(
    name: str, with_tokenizer: str
) -> None:
    """Where only what an identity is made of has changed, write the new one into the file.

    Where weights or prompt have, fit anew with `groundwire calibrate`: see CONTRIBUTING.md.
    """
    from transformers import AutoTokenizer

    model = EMBEDDED_MODELS[name]
    path = prepare(with_tokenizer, ServerSettings().cache_dir.expanduser(), print).path
    encoder = PromptEncoder.for_tokenizer(HfTokenizer(AutoTokenizer.from_pretrained(path)))
    shipped = calibrations.read(calibrations.SHIPPED / model.name / calibrations.FILE_NAME)
    assert shipped.identity == encoder.identity(weights_id(name, None))
