"""The files of an adapter: as peft writes them, and as they are kept."""

import json
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from groundwire_server.models.convert import ADAPTER_CONFIG, ADAPTER_WEIGHTS

KEPT = ("peft_type", "task_type", "r", "lora_alpha", "target_modules", "bias")


def write_exported(adapter: Path, out: Path, base_name: str) -> None:
    """Write `adapter`, a folder of peft's, to `out` in bfloat16 and without paths.

    That is half of its size, and the part of peft's configuration that says what the weights are.
    """
    out.mkdir(parents=True, exist_ok=True)
    weights = load_file(adapter / ADAPTER_WEIGHTS)
    halved = {name: weight.to(torch.bfloat16).contiguous() for name, weight in weights.items()}
    save_file(halved, out / ADAPTER_WEIGHTS, metadata={"format": "pt"})
    config = json.loads((adapter / ADAPTER_CONFIG).read_text(encoding="utf-8"))
    kept = {key: config[key] for key in KEPT}
    kept["target_modules"] = sorted(kept["target_modules"])
    kept["base_model_name_or_path"] = base_name
    (out / ADAPTER_CONFIG).write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def widen(weights: Mapping[str, torch.Tensor], adapter: Path, scale: float) -> None:
    """Fill the first directions of new weights with those of a saved adapter of a lower rank.

    `weights` are new ones of LoRA: what goes up, B (out, rank), is 0, so that the other directions
    say nothing yet. `scale` is that of the new adapter. Raises ValueError if it has fewer.
    """
    config = json.loads((adapter / ADAPTER_CONFIG).read_text(encoding="utf-8"))
    rank, times = config["r"], config["lora_alpha"] / config["r"] / scale
    for name, narrow in load_file(adapter / ADAPTER_WEIGHTS).items():
        wide = weights[name]
        if rank > wide.shape[0 if "lora_A" in name else 1]:
            raise ValueError(f"an adapter of rank {rank} cannot go on with a lower one")
        if "lora_A" in name:
            wide[:rank] = narrow
        else:
            wide[:, :rank] = narrow * times
