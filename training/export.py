"""`python -m training.export --run DIR`: put a trained adapter where the server merges it from.

Writes bfloat16 weights, half a checkpoint's size, and the part of peft's configuration that says
what they are. Knows the adapter's files. Does not know how it was trained.
"""

import argparse
import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from groundwire_server.models.convert import ADAPTER_WEIGHTS
from groundwire_server.models.store import DEFAULT_MODEL, EMBEDDED_MODELS
from training.learning.learner import CONFIG

KEPT = ("peft_type", "task_type", "r", "lora_alpha", "target_modules", "bias")


def main() -> None:
    """Export a run's adapter."""
    parser = argparse.ArgumentParser(prog="python -m training.export", description=__doc__)
    parser.add_argument("--run", type=Path, required=True, metavar="DIR", help="a run's folder")
    target = EMBEDDED_MODELS[DEFAULT_MODEL].adapter
    assert target is not None  # noqa: S101 - the default model is the trained one
    parser.add_argument("--out", type=Path, default=target, metavar="DIR")
    arguments = parser.parse_args()
    export(arguments.run / "adapter", arguments.out)
    print(
        f"{arguments.out / ADAPTER_WEIGHTS}: {(arguments.out / ADAPTER_WEIGHTS).stat().st_size} B"
    )


def export(adapter: Path, out: Path) -> None:
    """Write `adapter`, a folder of peft's, to `out` in bfloat16 and without paths."""
    out.mkdir(parents=True, exist_ok=True)
    weights = load_file(adapter / ADAPTER_WEIGHTS)
    halved = {name: weight.to(torch.bfloat16).contiguous() for name, weight in weights.items()}
    save_file(halved, out / ADAPTER_WEIGHTS, metadata={"format": "pt"})
    config = json.loads((adapter / CONFIG).read_text(encoding="utf-8"))
    kept = {key: config[key] for key in KEPT}
    kept["target_modules"] = sorted(kept["target_modules"])
    kept["base_model_name_or_path"] = "HuggingFaceTB/SmolLM2-135M-Instruct"
    (out / CONFIG).write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
