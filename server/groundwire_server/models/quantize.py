"""An int8 copy of a model's folder, for vLLM: weights by output channel, activations by token.

The form is that of compressed-tensors, W8A8, which vLLM reads on the CPU and on GPUs. What stays as
it was: the embedding, the norms but for their smoothing, the output head, and the layer that leads
back out of each MLP, among whose inputs single values are 1,000 times the median.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from groundwire_server.models.convert import MANIFEST_NAME
from groundwire_server.models.smoothing import BUILT_ALIKE, is_known, largest_inputs, smooth
from groundwire_server.models.sources import ModelStoreError

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
        raise QuantizeError(f"{source / CONFIG_NAME} is no JSON: {error}") from error
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
