"""An int8 copy of a model's folder, for vLLM: weights by output channel, activations by token.

The form is that of compressed-tensors, W8A8, which vLLM reads on the CPU and on GPUs. What stays
as it was: the embedding, the norms, the output head, and the layer that leads back out of each
MLP, whose inputs reach too far for eight bits. Knows folders of safetensors. Does not know prompts.
"""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from server.model_convert import MANIFEST_NAME, ModelStoreError

CONFIG_NAME = "config.json"
_WEIGHTS_SUFFIX = ".safetensors"
_LARGEST, _MATRIX_DIMENSIONS = 127, 2
_LAYERS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj")
_SCHEME = {"num_bits": 8, "type": "int", "symmetric": True}


class QuantizeError(ModelStoreError):
    """The copy cannot be made; the message says why."""


def quantize(source: Path, target: Path) -> int:
    """Write an int8 copy of the model in the folder `source` to the new folder `target`.

    Returns how many layers are int8 now. Raises QuantizeError, and leaves nothing behind then.
    """
    if not (source / CONFIG_NAME).is_file():
        raise QuantizeError(f"{source} is no folder of a model: it holds no {CONFIG_NAME}")
    config = json.loads((source / CONFIG_NAME).read_text(encoding="utf-8"))
    if "quantization_config" in config:
        raise QuantizeError(f"{source} is quantised already; start from its original")
    if target.exists():
        raise QuantizeError(f"{target} is there already; name a new folder")
    target.mkdir(parents=True)
    try:
        layers = _write(source, target, config)
    except BaseException:
        shutil.rmtree(target)
        raise
    return layers


def _write(source: Path, target: Path, config: dict[str, Any]) -> int:
    layers, kept = 0, set[str]()
    for path in sorted(p for p in source.iterdir() if p.is_file()):
        if path.suffix == _WEIGHTS_SUFFIX:
            weights = load_file(path)
            layers += _quantize_all(weights, kept)
            save_file(weights, target / path.name, metadata={"format": "pt"})
        elif path.name not in {CONFIG_NAME, MANIFEST_NAME}:
            shutil.copy(path, target)
    if not layers:
        raise QuantizeError(f"{source} has no layers named {', '.join(_LAYERS)} in safetensors")
    config["quantization_config"] = _described(kept)
    (target / CONFIG_NAME).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    return layers


def _quantize_all(weights: dict[str, torch.Tensor], kept: set[str]) -> int:
    """Quantise in place; adds the names of the matrices that are kept to `kept`."""
    layers = 0
    for name in [name for name in weights if name.endswith(".weight")]:
        layer = name.removesuffix(".weight")
        if weights[name].dim() != _MATRIX_DIMENSIONS:
            continue
        if layer.endswith(_LAYERS):
            weights[name], weights[f"{layer}.weight_scale"] = rounded(weights[name])
            layers += 1
        else:
            kept.add(layer.rpartition(".")[2])
    return layers


def rounded(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The nearest int8 matrix, shape (outputs, inputs), and its scales, float32 (outputs, 1).

    The product of the two is the weight to within half a scale.
    """
    values = weight.float()
    scale = values.abs().amax(dim=1, keepdim=True).clamp_min(torch.finfo(torch.float32).tiny)
    scale /= _LARGEST
    return (values / scale).round().clamp(-_LARGEST, _LARGEST).to(torch.int8), scale


def _described(kept: Iterable[str]) -> dict[str, Any]:
    group = {
        "targets": ["Linear"],
        "weights": {**_SCHEME, "strategy": "channel", "dynamic": False},
        "input_activations": {**_SCHEME, "strategy": "token", "dynamic": True},
    }
    return {
        "quant_method": "compressed-tensors",
        "format": "int-quantized",
        "quantization_status": "compressed",
        "ignore": ["lm_head", *(f"re:.*{name}" for name in sorted(kept))],
        "config_groups": {"group_0": group},
    }
