"""An exported adapter: half the size, the same numbers, and no path of where it was made."""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from groundwire_server.models.convert import ADAPTER_CONFIG, ADAPTER_WEIGHTS
from groundwire_training.learning.adapter import write_exported

NAME = "base_model.model.model.layers.0.mlp.up_proj.lora_A.weight"


def test_weights_are_bfloat16_and_the_configuration_names_no_path(tmp_path: Path) -> None:
    run, out = tmp_path / "run", tmp_path / "out"
    run.mkdir()
    save_file({NAME: torch.tensor([[0.5, -0.25]])}, run / ADAPTER_WEIGHTS)
    config = {
        "peft_type": "LORA", "task_type": "CAUSAL_LM", "r": 16, "lora_alpha": 32, "bias": "none",
        "target_modules": ["up_proj", "down_proj"], "base_model_name_or_path": str(run),
    }  # fmt: skip
    (run / ADAPTER_CONFIG).write_text(json.dumps(config), encoding="utf-8")
    write_exported(run, out, "an/base")
    weight = load_file(out / ADAPTER_WEIGHTS)[NAME]
    assert weight.dtype == torch.bfloat16
    assert weight.tolist() == [[0.5, -0.25]]
    written = (out / ADAPTER_CONFIG).read_text(encoding="utf-8")
    assert json.loads(written)["target_modules"] == ["down_proj", "up_proj"]
    assert json.loads(written)["base_model_name_or_path"] == "an/base"
    assert str(tmp_path) not in written
