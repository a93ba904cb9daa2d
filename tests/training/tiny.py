"""A tiny causal model with random weights in a folder, and labelled claims to train it on."""

import json
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

CHAT = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SHAPE = {
    "vocab_size": 320,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 4096,
}


def model(kind: str, seed: int = 1) -> PreTrainedModel:
    """One of qwen3 (norms of queries and keys), llama, qwen2 (biases), or windowed (a window)."""
    torch.manual_seed(seed)
    made = {
        "qwen3": lambda: Qwen3ForCausalLM(Qwen3Config(**SHAPE, head_dim=8)),
        "llama": lambda: LlamaForCausalLM(LlamaConfig(**SHAPE)),
        "qwen2": lambda: Qwen2ForCausalLM(Qwen2Config(**SHAPE)),
        "windowed": lambda: MistralForCausalLM(MistralConfig(**SHAPE, sliding_window=8)),
    }[kind]()
    for name, parameter in made.named_parameters():
        # New biases and norms are 0 and 1, as if there were none; the rest is small.
        if name.endswith("bias") or "norm" in name:
            torch.nn.init.normal_(parameter, mean=float("norm" in name), std=0.3)
        else:
            torch.nn.init.normal_(parameter, std=0.15)
    return made


def write_base(folder: Path, kind: str, *, chat: bool = True) -> Path:
    """The model with a tokeniser that has a token for each byte."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: i for i, letter in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>")
    fast.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    fast.chat_template = CHAT if chat else None
    fast.save_pretrained(folder)
    model(kind).save_pretrained(folder)
    return folder


def write_rows(path: Path, contexts: int) -> Path:
    """Two rows a context: claims that end with ! are supported, with ? are not."""
    with path.open("w", encoding="utf-8") as file:
        for i in range(contexts):
            for label, end in ((1, "!"), (0, "?")):
                row = {"context": f"Text {i}.", "claim": f"It is {i}{end}", "label": label}
                file.write(json.dumps(row) + "\n")
    return path
