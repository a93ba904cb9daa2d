"""The process that converts: a GGUF file, and perhaps an adapter, into the folder of a model.

Run as a script by `models.convert`. Imports nothing of this project, since it runs from its file.
"""

import argparse
import json
import os
import sys
import threading
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from gguf import GGUFReader, ReaderTensor, dequantize
from safetensors.torch import load_file
from transformers import PreTrainedConfig

# The exit status of a conversion whose parent died before it.
ORPHANED_STATUS = 3

_PREFIX, _DOWN, _UP = "base_model.model.", ".lora_A.weight", ".lora_B.weight"
_SPLITTING_RULE = "tokenizer.ggml.pre"
_EMBEDDING, _HEAD = "token_embd.weight", "output.weight"
_LAYERS = "model.layers."
_NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
"""What the parts of a model built as Llama or Qwen2 are called in a GGUF file, and here."""
_ROWS_AT_ONCE = 8192
_COMPARED_ROWS = 4096
_SAME_MATRIX = 0.1
"""How far two roundings of one matrix may be apart, as a share of its norm: 5 bits are .04 away."""


def convert(
    gguf: Path, target: Path, adapter: Path | None, left_out_layers: Collection[int]
) -> None:
    """Write the model in `gguf` to the folder `target` as bf16 safetensors with its tokenizer.

    The layers that are left out are counted from 0. An adapter, the folder that peft writes, is
    merged into the weights of the others, by the numbers that these have then.
    """
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.from_pretrained(
        str(gguf.parent), gguf_file=gguf.name, local_files_only=True
    )
    reader = GGUFReader(gguf)
    _save_tokenizer(gguf, target, reader.fields[_SPLITTING_RULE].contents(), config)
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    # Hundreds of megabytes of Python objects, one for each token and each merge.
    reader.fields.clear()
    config.tie_word_embeddings = drop_twin(tensors) or config.tie_word_embeddings
    weights = {}
    for name, tensor in tensors.items():
        weights[_name(name)] = _weight(tensor, config)
    weights = without_layers(weights, config, left_out_layers)
    if adapter is not None:
        merge(weights, adapter)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    missing = model.load_state_dict(weights, strict=False, assign=True).missing_keys
    model.tie_weights()
    if missing != (["lm_head.weight"] if config.tie_word_embeddings else []):
        raise KeyError(f"{gguf.name} lacks {missing[:3]}")
    model.save_pretrained(target)


def _save_tokenizer(
    gguf: Path, target: Path, splitting_rule: str, config: PreTrainedConfig
) -> None:
    from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(
        str(gguf.parent), gguf_file=gguf.name, local_files_only=True
    )
    if splitting_rule == "smollm":
        # The reader ignores SmolLM's splitting rule: it keeps only the byte-level half. The model
        # was trained with each digit cut off first. Without that step "\n\n1" becomes two newline
        # tokens instead of the one for a blank line. The rule of Qwen it knows.
        tokenizer.backend_tokenizer.pre_tokenizer = Sequence(
            [Digits(individual_digits=True), ByteLevel(add_prefix_space=False)]
        )
    tokenizer.model_max_length = config.max_position_embeddings
    tokenizer.save_pretrained(target)


def drop_twin(tensors: dict[str, ReaderTensor]) -> bool:
    """Keep the more exact of embedding and head, where these are two roundings of one matrix.

    A GGUF file can hold a shared matrix twice, in two quantisations. Returns whether it does.
    """
    if _HEAD not in tensors:
        return False
    head, embedding = tensors[_HEAD], tensors[_EMBEDDING]
    step = max(1, len(head.data) // _COMPARED_ROWS)
    one, other = (torch.from_numpy(_values(t, slice(None, None, step))) for t in (head, embedding))
    if one.shape != other.shape or torch.linalg.norm(one - other) > _SAME_MATRIX * one.norm():
        return False
    del tensors[_HEAD]
    if head.n_bytes > embedding.n_bytes:
        tensors[_EMBEDDING] = head
    return True


def _name(name: str) -> str:
    """What a tensor of a GGUF file is called in Transformers. Raises KeyError for another kind."""
    *block, part, kind = name.split(".")
    layer = f"{_LAYERS}{block[1]}." if block else ""
    return f"{layer}{_NAMES[part]}.{kind}"


def _weight(tensor: ReaderTensor, config: PreTrainedConfig) -> torch.Tensor:
    """One tensor in bf16. Block by block, so that a large one never stands there in float32."""
    shape = tuple(int(size) for size in reversed(tensor.shape))
    weight = torch.empty(shape, dtype=torch.bfloat16)
    for start in range(0, len(weight), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        weight[rows] = torch.from_numpy(_values(tensor, rows))
    heads = {
        "attn_q.weight": config.num_attention_heads,
        "attn_k.weight": config.num_key_value_heads,
    }.get(tensor.name.partition(".")[2].partition(".")[2])
    if heads is not None and config.model_type == "llama":
        # For Llama the file has the two halves of each head's rotation by turns.
        weight = weight.reshape(heads, -1, 2, shape[1]).transpose(1, 2).reshape(shape)
    return weight


def _values(tensor: ReaderTensor, rows: slice) -> npt.NDArray[np.float32]:
    return dequantize(tensor.data[rows], tensor.tensor_type).copy()


def merge(weights: Mapping[str, torch.Tensor], adapter: Path) -> None:
    """Add a LoRA adapter's product, alpha / r times B A, to the weights that it names, in place.

    Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021. The sum is taken in
    float32 and rounded once. Raises KeyError if the adapter is for another model.
    """
    config = json.loads((adapter / "adapter_config.json").read_text(encoding="utf-8"))
    scale = config["lora_alpha"] / config["r"]
    parts = load_file(adapter / "adapter_model.safetensors")
    for name in [name.removesuffix(_DOWN) for name in parts if name.endswith(_DOWN)]:
        weight = weights[name.removeprefix(_PREFIX) + ".weight"]
        down, up = parts.pop(name + _DOWN).float(), parts.pop(name + _UP).float()
        weight.copy_((weight.float() + scale * (up @ down)).to(weight.dtype))
    if parts:
        raise KeyError(f"the adapter holds what is no LoRA layer: {sorted(parts)[:3]}")


def without_layers(
    weights: Mapping[str, torch.Tensor], config: PreTrainedConfig, left_out: Collection[int]
) -> dict[str, torch.Tensor]:
    """The weights of the other layers, numbered anew; `config` then has as many.

    A model can lose a few layers that hardly change what goes through them: Men et al., "ShortGPT:
    Layers in Large Language Models are More Redundant Than You Expect", 2024.
    """
    kept = [layer for layer in range(config.num_hidden_layers) if layer not in left_out]
    if len(kept) + len(set(left_out)) != config.num_hidden_layers:
        raise ValueError(f"the model has no layers {sorted(left_out)}")
    config.num_hidden_layers = len(kept)
    if getattr(config, "layer_types", None) is not None:
        config.layer_types = [config.layer_types[layer] for layer in kept]
    found = {}
    for name, weight in weights.items():
        if not name.startswith(_LAYERS):
            found[name] = weight
            continue
        layer, _, rest = name.removeprefix(_LAYERS).partition(".")
        if int(layer) in kept:
            found[f"{_LAYERS}{kept.index(int(layer))}.{rest}"] = weight
    return found


def leave_with_parent() -> None:
    """End this process when its parent has died."""
    # The parent keeps our standard input open and writes nothing: the end of it is the parent's.
    os.read(sys.stdin.fileno(), 1)
    os._exit(ORPHANED_STATUS)


if __name__ == "__main__":
    threading.Thread(target=leave_with_parent, daemon=True).start()
    parser = argparse.ArgumentParser()
    parser.add_argument("gguf", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--adapter", type=Path)
    parser.add_argument("--left-out-layers", type=int, nargs="+", default=())
    asked = parser.parse_args()
    convert(asked.gguf, asked.target, asked.adapter, asked.left_out_layers)
