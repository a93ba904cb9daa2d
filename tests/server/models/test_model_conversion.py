"""The process that converts a model: its end, its words, and what it makes of the weights."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch
from gguf import GGMLQuantizationType, ReaderField, ReaderTensor, quantize
from safetensors.torch import save_file
from transformers import LlamaConfig, Qwen2Config

from groundwire_server.models.conversion import (
    ORPHANED_STATUS,
    drop_twin,
    merge,
    without_layers,
)
from groundwire_server.models.convert import (
    ADAPTER_WEIGHTS,
    SCRIPT,
    ConversionError,
    convert_in_child,
)
from groundwire_server.models.store import EMBEDDED_MODELS

EMBEDDING, HEAD = "token_embd.weight", "output.weight"
LAYER = "model.layers.0.mlp.up_proj"
FULL, SLIDING = "full_attention", "sliding_attention"


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    """An adapter of rank 1 and alpha 2 for one layer of two inputs and two outputs."""
    parts = {
        f"base_model.model.{LAYER}.lora_A.weight": torch.tensor([[1.0, 2.0]]),
        f"base_model.model.{LAYER}.lora_B.weight": torch.tensor([[0.5], [0.0]]),
    }
    save_file(parts, tmp_path / ADAPTER_WEIGHTS)
    (tmp_path / "adapter_config.json").write_text(json.dumps({"r": 1, "lora_alpha": 2}))
    return tmp_path


class TestMerge:
    def test_the_scaled_product_is_added_to_the_weight(self, adapter: Path) -> None:
        weights = {f"{LAYER}.weight": torch.ones(2, 2)}
        merge(weights, adapter)
        torch.testing.assert_close(
            weights[f"{LAYER}.weight"], torch.tensor([[2.0, 3.0], [1.0, 1.0]])
        )

    def test_the_data_type_of_the_weight_stays(self, adapter: Path) -> None:
        weights = {f"{LAYER}.weight": torch.ones(2, 2, dtype=torch.bfloat16)}
        merge(weights, adapter)
        assert weights[f"{LAYER}.weight"].dtype == torch.bfloat16

    def test_an_adapter_of_another_model_is_refused(self, adapter: Path) -> None:
        with pytest.raises(KeyError, match="up_proj"):
            merge({"model.layers.0.mlp.down_proj.weight": torch.ones(2, 2)}, adapter)

    def test_what_is_no_lora_layer_is_refused(self, adapter: Path) -> None:
        save_file({"base_model.model.lm_head.weight": torch.ones(1)}, adapter / ADAPTER_WEIGHTS)
        with pytest.raises(KeyError, match="lm_head"):
            merge({}, adapter)


def tensor(name: str, matrix: npt.NDArray[np.float32], kind: GGMLQuantizationType) -> ReaderTensor:
    """A matrix in a quantisation, as the reader of a GGUF file gives it."""
    data = quantize(matrix, kind)
    shape = np.array(matrix.shape[::-1], dtype=np.uint32)
    field = ReaderField(0, name)
    return ReaderTensor(name, kind, shape, matrix.size, data.nbytes, 0, data, field)


class TestTwins:
    """A GGUF file can hold one matrix as embedding and as head, in two quantisations."""

    MATRIX = np.random.default_rng(1).normal(size=(64, 64)).astype(np.float32)
    EXACT, COARSE = GGMLQuantizationType.Q8_0, GGMLQuantizationType.Q5_0

    @pytest.mark.parametrize(("embedding", "head"), [(COARSE, EXACT), (EXACT, COARSE)])
    def test_the_more_exact_one_is_kept(
        self, embedding: GGMLQuantizationType, head: GGMLQuantizationType
    ) -> None:
        tensors = {
            EMBEDDING: tensor(EMBEDDING, self.MATRIX, embedding),
            HEAD: tensor(HEAD, self.MATRIX, head),
        }
        assert drop_twin(tensors)
        assert [(name, kept.tensor_type) for name, kept in tensors.items()] == [
            (EMBEDDING, self.EXACT)
        ]

    def test_two_matrices_stay_two(self) -> None:
        tensors = {
            EMBEDDING: tensor(EMBEDDING, self.MATRIX, self.EXACT),
            HEAD: tensor(HEAD, self.MATRIX[::-1].copy(), self.EXACT),
        }
        assert not drop_twin(tensors)
        assert set(tensors) == {EMBEDDING, HEAD}


class TestLeftOutLayers:
    """A model can do without some layers of the file that it is made from."""

    def test_the_layers_behind_them_move_up(self) -> None:
        weights = {f"model.layers.{layer}.w": torch.tensor([float(layer)]) for layer in range(5)}
        config = LlamaConfig(num_hidden_layers=5)
        kept = without_layers(weights | {"model.norm.weight": torch.ones(1)}, config, {1, 2})
        assert {name: weight.item() for name, weight in kept.items()} == {
            "model.layers.0.w": 0.0,
            "model.layers.1.w": 3.0,
            "model.layers.2.w": 4.0,
            "model.norm.weight": 1.0,
        }
        assert config.num_hidden_layers == 3

    def test_each_layer_keeps_its_kind_of_attention(self) -> None:
        config = Qwen2Config(num_hidden_layers=4, layer_types=[SLIDING, FULL, SLIDING, SLIDING])
        without_layers({}, config, {0, 3})
        assert config.layer_types == [FULL, SLIDING]

    def test_a_layer_that_is_not_there_is_refused(self) -> None:
        with pytest.raises(ValueError, match="no layers"):
            without_layers({}, LlamaConfig(num_hidden_layers=3), {7})

    def test_it_is_another_model_in_the_store(self) -> None:
        whole = EMBEDDED_MODELS["small"]
        assert replace(whole, left_out_layers=(3,)).key != whole.key


class TestConversionProcess:
    def test_a_failure_carries_the_last_words_of_the_process(self, tmp_path: Path) -> None:
        script = tmp_path / "fails.py"
        script.write_text("raise SystemExit('the weights are upside down')")
        with pytest.raises(ConversionError, match="the weights are upside down"):
            convert_in_child(tmp_path / "a.gguf", tmp_path, None, script=script)

    def test_it_ends_when_the_process_that_started_it_ends(self, tmp_path: Path) -> None:
        with subprocess.Popen(
            [sys.executable, "-P", str(SCRIPT), str(tmp_path / "a.gguf"), str(tmp_path)],
            stdin=subprocess.PIPE,
        ) as process:
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait() == ORPHANED_STATUS
