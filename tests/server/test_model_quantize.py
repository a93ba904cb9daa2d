"""The int8 copy of a model's folder, on small folders."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from server.model_quantize import QuantizeError, quantize, rounded

LAYER, OUT, NORM = (
    "model.layers.0.self_attn.q_proj",
    "model.layers.0.mlp.down_proj",
    "model.layers.0.input_layernorm",
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    torch.manual_seed(1)
    weights = {
        "model.embed_tokens.weight": torch.randn(32, 16).bfloat16(),
        f"{LAYER}.weight": torch.randn(8, 16).bfloat16(),
        f"{OUT}.weight": torch.randn(16, 8).bfloat16(),
        f"{NORM}.weight": torch.ones(16).bfloat16(),
    }
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps({"hidden_size": 16}))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "manifest.json").write_text("{}")
    return folder


def test_a_rounded_weight_is_near_to_within_half_a_scale() -> None:
    weight = torch.randn(5, 300)
    values, scale = rounded(weight)
    assert values.dtype == torch.int8
    assert ((values.float() * scale - weight).abs() <= scale / 2 + 1e-6).all()


def test_a_row_of_zeros_stays_zero() -> None:
    values, scale = rounded(torch.zeros(2, 4))
    assert not values.any()
    assert torch.isfinite(scale).all()


def test_layers_become_int8_and_the_rest_stays(source: Path, tmp_path: Path) -> None:
    assert quantize(source, tmp_path / "copy") == 1
    before = load_file(source / "model.safetensors")
    after = load_file(tmp_path / "copy" / "model.safetensors")
    assert after[f"{LAYER}.weight"].dtype == torch.int8
    assert after[f"{LAYER}.weight_scale"].shape == (8, 1)
    for kept in ("model.embed_tokens", OUT, NORM):
        assert torch.equal(after[f"{kept}.weight"], before[f"{kept}.weight"])


def test_the_configuration_names_what_was_kept(source: Path, tmp_path: Path) -> None:
    quantize(source, tmp_path / "copy")
    config = json.loads((tmp_path / "copy" / "config.json").read_text())
    assert config["hidden_size"] == 16
    assert "re:.*down_proj" in config["quantization_config"]["ignore"]


def test_the_manifest_of_the_original_does_not_come_along(source: Path, tmp_path: Path) -> None:
    quantize(source, tmp_path / "copy")
    names = {path.name for path in (tmp_path / "copy").iterdir()}
    assert names == {"config.json", "model.safetensors", "tokenizer.json"}


def test_a_folder_that_is_there_is_not_written_to(source: Path, tmp_path: Path) -> None:
    with pytest.raises(QuantizeError, match="there already"):
        quantize(source, tmp_path)


def test_a_quantised_model_is_not_quantised_again(source: Path, tmp_path: Path) -> None:
    quantize(source, tmp_path / "copy")
    with pytest.raises(QuantizeError, match="quantised already"):
        quantize(tmp_path / "copy", tmp_path / "second")


def test_a_model_of_other_layers_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    odd = tmp_path / "odd"
    odd.mkdir()
    (odd / "config.json").write_text("{}")
    save_file({"transformer.h.0.weight": torch.ones(2, 2)}, odd / "model.safetensors")
    with pytest.raises(QuantizeError, match="no layers named"):
        quantize(odd, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QuantizeError, match=r"config\.json"):
        quantize(tmp_path, tmp_path / "copy")
