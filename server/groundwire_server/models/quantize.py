"""An int8 copy of a model's folder, for vLLM: weights by output channel, activations by token.

The form is that of compressed-tensors, W8A8, which vLLM reads on the CPU and on GPUs. What stays as
it was: the embedding, the norms but for their smoothing, the output head, and the layer that leads
back out of each MLP, among whose inputs single values are 1,000 times the median.
"""

import json
import shutil
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from groundwire_server.models.conversion import leave_with_parent
from groundwire_server.models.convert import MANIFEST_NAME
from groundwire_server.models.sources import ModelStoreError

BUILT_ALIKE = (
    "LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM",
)  # fmt: skip
"""Architectures with a plain RMS norm right before the layers that READERS names."""
READERS = {
    "input_layernorm": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "post_attention_layernorm": ("mlp.gate_proj", "mlp.up_proj"),
}
SHARE = 0.5
"""How much of the unevenness moves into the weights, in exponents: the paper's alpha."""
_LEAST = 1e-5

SAMPLES = (
    (
        "The museum opened in 1908 and moved to its present hall in 1975. It shows 4,200 coins, "
        "most of them Roman, and is closed on Mondays.",
        "The museum has been open since 1908.",
    ),
    (
        "In the trial 312 patients took the drug and 298 a placebo. After twelve weeks pain had "
        "fallen by 31 % and by 28 %; the difference was not significant.",
        "The drug worked far better than the placebo.",
    ),
    (
        "def retry(call, times=3):\n    for _ in range(times):\n        try:\n            return "
        "call()\n        except OSError:\n            continue\n",
        "By default the call is tried three times.",
    ),
    (
        "Maria Keller (born 4 May 1951 in Graz) is an Austrian chemist. She left the University "
        "of Bern in 1990 and has led a company in Lyon since.",
        "Keller was born in Switzerland.",
    ),
    (
        "העיר נוסדה בשנת 1909 על ידי שישים ושש משפחות. היום חיים בה יותר מארבע מאות אלף איש.",
        "העיר נוסדה בתחילת המאה העשרים.",
    ),
    (
        "Q3 revenue rose 7.5% to $1.2bn, while operating costs fell to $310m (Q2: $355m). The "
        "board did not change its outlook for 2024.",
        "Operating costs rose in the third quarter.",
    ),
)
"""Contexts with a claim each. The largest channels hardly depend on the text."""

CONFIG_NAME = "config.json"
_WEIGHTS_SUFFIX = ".safetensors"
_INDEX_NAME = "model.safetensors.index.json"
_LARGEST = 127
_LAYERS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj")
_SCHEME = {"num_bits": 8, "type": "int", "symmetric": True}
_DESCRIBED = {
    "quant_method": "compressed-tensors",
    "format": "int-quantized",
    "quantization_status": "compressed",
    "ignore": ["lm_head", "re:.*down_proj"],
    "config_groups": {
        "group_0": {
            "targets": ["Linear"],
            "weights": {**_SCHEME, "strategy": "channel", "dynamic": False},
            "input_activations": {**_SCHEME, "strategy": "token", "dynamic": True},
        }
    },
}


def largest_inputs(folder: Path) -> dict[str, torch.Tensor]:
    """The largest value of each channel that enters the layers of READERS, by layer, over SAMPLES.

    Loads the model in the folder. Shapes (inputs,), float32.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.bfloat16, local_files_only=True
    )
    largest: dict[str, torch.Tensor] = {}

    def watch(name: str, values: torch.Tensor) -> None:
        found = values.detach().float().abs().flatten(0, -2).amax(dim=0)
        largest[name] = torch.maximum(largest.get(name, found), found)

    readers = tuple(names[0] for names in READERS.values())
    for name, module in model.named_modules():
        if name.endswith(readers):
            module.register_forward_pre_hook(lambda _, inputs, name=name: watch(name, inputs[0]))
    with torch.inference_mode():
        for context, claim in SAMPLES:
            ids = tokenizer(f"{context}\n\n{claim}")["input_ids"]
            model.model(torch.tensor([ids]))
    return largest


def smooth(weights: dict[str, torch.Tensor], largest: Mapping[str, torch.Tensor]) -> None:
    """Move the unevenness of inputs into the weights that read them, in place.

    A few channels of what enters a layer are many times larger than the others, and a token's
    largest value sets the step of all. Each channel is divided by a factor in the norm before it,
    and the weights that read it are multiplied by the same, which leaves the product as it was:
    Xiao et al., "SmoothQuant: Accurate and Efficient Post-Training Quantization for Large Language
    Models", 2022.
    """
    for norm, readers in READERS.items():
        first = readers[0]
        for name, inputs in largest.items():
            if not name.endswith(first):
                continue
            layer = name.removesuffix(first)
            names = [f"{layer}{reader}.weight" for reader in readers]
            outputs = torch.stack([weights[n].float().abs().amax(dim=0) for n in names])
            factor = inputs.clamp_min(_LEAST) ** SHARE
            factor /= outputs.amax(dim=0).clamp_min(_LEAST) ** (1.0 - SHARE)
            before = f"{layer}{norm}.weight"
            weights[before] = (weights[before].float() / factor).to(weights[before].dtype)
            for n in names:
                weights[n] = weights[n].float() * factor


def is_known(config: Mapping[str, Any]) -> bool:
    """Whether a model of this configuration is built as `smooth` expects."""
    return bool(set(config.get("architectures") or ()) & set(BUILT_ALIKE))


class QuantizeError(ModelStoreError):
    """The copy cannot be made; the message says why."""


def quantize(source: Path, target: Path) -> int:
    """Write an int8 copy of the model in the folder `source` to the new folder `target`.

    Loads the model. Returns how many layers are int8 now. Raises QuantizeError, and leaves nothing
    behind then.
    """
    if not (source / CONFIG_NAME).is_file():
        raise QuantizeError(f"{source} is no folder of a model: it holds no {CONFIG_NAME}")
    try:
        config = json.loads((source / CONFIG_NAME).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise QuantizeError(f"{source / CONFIG_NAME} is not JSON: {error}") from error
    if "quantization_config" in config:
        raise QuantizeError(f"{source} is quantised already; start from its original")
    if not is_known(config):
        raise QuantizeError(f"{source} is none of {', '.join(BUILT_ALIKE)}")
    if target.exists():
        raise QuantizeError(f"{target} is there already; name a new folder")
    target.mkdir(parents=True)
    try:
        return _write(source, target, config)
    except BaseException as error:
        shutil.rmtree(target)
        if isinstance(error, OSError | ValueError):
            raise QuantizeError(f"{source} could not be copied: {error}") from error
        raise


def _write(source: Path, target: Path, config: dict[str, Any]) -> int:
    weights: dict[str, torch.Tensor] = {}
    for path in sorted(p for p in source.iterdir() if p.is_file()):
        if path.suffix == _WEIGHTS_SUFFIX:
            weights |= load_file(path)
        elif path.name not in {CONFIG_NAME, MANIFEST_NAME, _INDEX_NAME}:
            shutil.copy(path, target)
    smooth(weights, largest_inputs(source))
    layers = [
        name.removesuffix(".weight")
        for name in weights
        if name.removesuffix(".weight").endswith(_LAYERS)
    ]
    for layer in layers:
        name = f"{layer}.weight"
        weights[name], weights[f"{layer}.weight_scale"] = rounded(weights[name])
    save_file(weights, target / f"model{_WEIGHTS_SUFFIX}", metadata={"format": "pt"})
    config["quantization_config"] = _DESCRIBED
    (target / CONFIG_NAME).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    return len(layers)


def rounded(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The nearest int8 matrix, shape (outputs, inputs), and its scales, float32 (outputs, 1).

    The product of the two is the weight to within half a scale.
    """
    values = weight.float()
    scale = values.abs().amax(dim=1, keepdim=True).clamp_min(torch.finfo(torch.float32).tiny)
    scale /= _LARGEST
    return (values / scale).round().clamp(-_LARGEST, _LARGEST).to(torch.int8), scale


if __name__ == "__main__":
    threading.Thread(target=leave_with_parent, daemon=True).start()
    quantize(Path(sys.argv[1]), Path(sys.argv[2]))
