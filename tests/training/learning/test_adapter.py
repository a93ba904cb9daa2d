"""An exported adapter: half the size, the same numbers, and no path of where it was made."""

import json
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import LlamaConfig, LlamaForCausalLM

from groundwire_server.models.convert import ADAPTER_CONFIG, ADAPTER_WEIGHTS
from groundwire_training.learning.adapter import write_exported
from groundwire_training.learning.merged import merge_in_forward

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


TOKENS = torch.tensor([[5, 9, 2, 7, 7, 1]])


def _model() -> torch.nn.Module:
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=32, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2,
    )  # fmt: skip
    adapter = LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", init_lora_weights=False)
    return get_peft_model(LlamaForCausalLM(config), adapter)


def test_outputs_and_gradients_are_those_of_peft() -> None:
    ours, theirs = _model(), _model()
    ours.load_state_dict(theirs.state_dict())
    merge_in_forward(ours)
    outputs = [model(TOKENS).logits for model in (ours, theirs)]
    torch.testing.assert_close(*outputs, rtol=1e-4, atol=1e-5)
    for output in outputs:
        output.square().mean().backward()
    expected = dict(theirs.named_parameters())
    learnt = [(name, p) for name, p in ours.named_parameters() if p.requires_grad]
    assert len(learnt) == 28
    for name, parameter in learnt:
        torch.testing.assert_close(parameter.grad, expected[name].grad, rtol=1e-4, atol=1e-6)
