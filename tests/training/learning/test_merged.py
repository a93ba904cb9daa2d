"""A LoRA layer that merges first computes what peft's own layer computes."""

import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

from groundwire_training.learning.merged import merge_in_forward

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
