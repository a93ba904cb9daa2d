"""The int8 copy of a model's folder, on a model of two layers."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedTokenizerFast, Qwen2Config

from groundwire_server.models.convert import EmbeddedModel
from groundwire_server.models.quantize import (
    QuantizeError,
    largest_inputs,
    quantize,
    rounded,
    smooth,
)
from groundwire_server.models.sources import InstalledPackage, Wheels, file_sha256
from groundwire_server.models.store import by_name, find, prepare

Q = "model.layers.0.self_attn.q_proj"
NORM = "model.layers.0.input_layernorm"
OUT = "model.layers.0.mlp.down_proj"


@pytest.fixture(scope="module", params=[LlamaConfig, Qwen2Config])
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    torch.manual_seed(1)
    letters = {chr(code): i for i, code in enumerate(range(32, 127))}
    tokenizer = Tokenizer(models.WordLevel({**letters, "?!": len(letters)}, unk_token="?!"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    config = request.param(
        vocab_size=len(letters) + 1,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    model = AutoModelForCausalLM.from_config(config)
    # Channels that differ as a trained model's do.
    for layer in model.model.layers:
        layer.input_layernorm.weight.data *= torch.logspace(-1, 1, 32)
        if (bias := layer.self_attn.q_proj.bias) is not None:
            torch.nn.init.normal_(bias)
    model.save_pretrained(folder)
    (folder / "manifest.json").write_text("{}")
    return folder


@pytest.fixture(scope="module")
def copy(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("target") / "copy"
    quantize(source, folder)
    return folder


def _logits(folder: Path, weights: dict[str, torch.Tensor]) -> torch.Tensor:
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    model.load_state_dict(weights, strict=False)
    with torch.inference_mode():
        return model(torch.arange(40)[None]).logits[0]


def test_a_rounded_weight_is_near_to_within_half_a_scale() -> None:
    weight = torch.randn(5, 300)
    values, scale = rounded(weight)
    assert values.dtype == torch.int8
    assert ((values.float() * scale - weight).abs() <= scale / 2 + 1e-6).all()


def test_a_row_of_zeros_stays_zero() -> None:
    values, scale = rounded(torch.zeros(2, 4))
    assert not values.any()
    assert torch.isfinite(scale).all()


def test_a_model_of_the_catalogue_can_be_the_int8_copy_of_another(
    source: Path, tmp_path: Path
) -> None:
    gguf = tmp_path / "tiny.gguf"
    gguf.write_bytes(b"weights")
    original = EmbeddedModel(
        name="tiny",
        source=InstalledPackage("nowhere", "nowhere==1"),
        file_name=gguf.name,
        source_sha256=file_sha256(gguf),
        prepared_size_bytes=1000,
        licence="Apache-2.0",
    )
    # Nothing is downloaded for the copy itself.
    download = Wheels(gguf, download_bytes=1 << 60)
    copied = replace(original, name="tiny-int8", source=download, int8_of=original)

    def convert(_: Path, target: Path, *__: object) -> None:
        shutil.copytree(source, target, dirs_exist_ok=True)
        (target / "manifest.json").unlink()

    catalogue = by_name((original, copied))
    made = prepare("tiny-int8", tmp_path, print, file=gguf, catalogue=catalogue, convert=convert)
    assert load_file(made.path / "model.safetensors")[f"{Q}.weight"].dtype == torch.int8
    # Its original is there, too, and is not taken for it.
    whole = find("tiny", tmp_path, catalogue=catalogue)
    assert whole is not None
    assert whole.path != made.path


def test_smoothing_leaves_what_the_model_says(source: Path) -> None:
    weights = load_file(source / "model.safetensors")
    before = _logits(source, weights)
    smooth(weights, largest_inputs(source))
    torch.testing.assert_close(_logits(source, weights), before, rtol=1e-3, atol=1e-4)


def test_smoothing_makes_inputs_more_even(source: Path) -> None:
    weights = load_file(source / "model.safetensors")
    smooth(weights, largest_inputs(source))
    norm = weights[f"{NORM}.weight"]
    assert norm.max() / norm.min() < 30  # 100 before


def test_layers_become_int8_and_the_rest_stays(source: Path, copy: Path) -> None:
    before, after = (load_file(p / "model.safetensors") for p in (source, copy))
    assert after[f"{Q}.weight"].dtype == torch.int8
    assert after[f"{Q}.weight_scale"].shape == (32, 1)
    for kept in ("model.embed_tokens", "lm_head", OUT):
        assert torch.equal(after[f"{kept}.weight"], before[f"{kept}.weight"])


def test_the_copy_says_nearly_what_the_model_says(source: Path, copy: Path) -> None:
    before = _logits(source, load_file(source / "model.safetensors"))
    stored = load_file(copy / "model.safetensors")
    scales = {name: stored.pop(name) for name in list(stored) if name.endswith("_scale")}
    for name, scale in scales.items():
        weight = name.removesuffix("_scale")
        stored[weight] = stored[weight].float() * scale
    assert (_logits(source, stored) - before).abs().max() < 0.05 * before.abs().max()


def test_the_configuration_says_how_it_was_made(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    assert config["hidden_size"] == 32
    assert config["quantization_config"]["ignore"] == ["lm_head", "re:.*down_proj"]


def test_the_manifest_of_the_original_does_not_come_along(copy: Path) -> None:
    names = {path.name for path in copy.iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= names
    assert "manifest.json" not in names


def test_a_folder_that_is_there_is_not_written_to(source: Path, tmp_path: Path) -> None:
    with pytest.raises(QuantizeError, match="there already"):
        quantize(source, tmp_path)


def test_a_quantised_model_is_not_quantised_again(copy: Path, tmp_path: Path) -> None:
    with pytest.raises(QuantizeError, match="quantised already"):
        quantize(copy, tmp_path / "second")


def test_a_model_of_other_layers_is_refused(tmp_path: Path) -> None:
    odd = tmp_path / "odd"
    odd.mkdir()
    (odd / "config.json").write_text('{"architectures": ["GemmaForCausalLM"]}')
    with pytest.raises(QuantizeError, match="LlamaForCausalLM"):
        quantize(odd, tmp_path / "copy")


def test_a_copy_that_fails_leaves_nothing(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}')
    with pytest.raises(QuantizeError, match="could not be copied"):
        quantize(bare, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QuantizeError, match=r"config\.json"):
        quantize(tmp_path, tmp_path / "copy")
