"""The process that converts: a GGUF file, and perhaps an adapter, into the folder of a model.

Run as a script by `models.convert`, with the GGUF file, an empty folder, and the adapter's folder
if there is one. Knows Transformers and safetensors. Imports nothing of this project, since
it runs from its file.
"""

import json
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file

# The exit status of a conversion whose parent died before it.
ORPHANED_STATUS = 3

_PREFIX, _DOWN, _UP = "base_model.model.", ".lora_A.weight", ".lora_B.weight"


def convert(gguf: Path, target: Path, adapter: Path | None) -> None:
    """Write the model in `gguf` to the folder `target` as bf16 safetensors with its tokenizer.

    An adapter, the folder that peft writes, is merged into the weights.
    """
    from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    model = AutoModelForCausalLM.from_pretrained(
        str(gguf.parent),
        gguf_file=gguf.name,
        quantization_config=GgufConfig(dequantize=True),
        dtype=torch.bfloat16,
        local_files_only=True,
    )
    if adapter is not None:
        merge(model.state_dict(), adapter)
    tokenizer = AutoTokenizer.from_pretrained(
        str(gguf.parent), gguf_file=gguf.name, local_files_only=True
    )
    # The file names SmolLM's splitting rule ("smollm"), which the reader ignores: it keeps only
    # the byte-level half. The model was trained with each digit cut off first. Without that step
    # "\n\n1" becomes two newline tokens instead of the one for a blank line.
    tokenizer.backend_tokenizer.pre_tokenizer = Sequence(
        [Digits(individual_digits=True), ByteLevel(add_prefix_space=False)]
    )
    tokenizer.model_max_length = model.config.max_position_embeddings
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)


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


def _leave_with_parent() -> None:
    # The parent keeps our standard input open and writes nothing: the end of it is the parent's.
    os.read(sys.stdin.fileno(), 1)
    os._exit(ORPHANED_STATUS)


if __name__ == "__main__":
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    convert(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]) if sys.argv[3:] else None)
