"""The weighted mean of the weights that two adapters make.

What each adds to the base's weights is averaged, and kept in the directions that carry most of it:
a singular value decomposition of each layer's mean. A mean of two runs forgets less of what the
first one knew (Wortsman et al., "Robust fine-tuning of zero-shot models", 2022).
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from groundwire_server.models.convert import ADAPTER_CONFIG, ADAPTER_WEIGHTS

DOWN, UP = "lora_A", "lora_B"


def main() -> int:
    """Average and write."""
    parser = argparse.ArgumentParser(
        prog="python -m groundwire_training.embedded.average", description=__doc__
    )
    parser.add_argument("--adapters", type=Path, nargs=2, required=True, metavar="DIR")
    parser.add_argument("--share", type=float, required=True, help="of the second, from 0 to 1")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the mean's folder")
    arguments = parser.parse_args()
    if not 0.0 <= arguments.share <= 1.0:
        parser.error("--share is from 0 to 1")
    first, second = arguments.adapters
    average(first, second, arguments.share, arguments.out)
    return 0


def average(first: Path, second: Path, share: float, out: Path) -> None:
    """Write the mean of two adapters of the same base, as wide as the second one.

    `share` is that of the second. Raises OSError, or ValueError if they are not of the same layers.
    """
    scaled = [(_weights(first), 1.0 - share), (_weights(second), share)]
    scales = [_config(folder)["lora_alpha"] / _config(folder)["r"] for folder in (first, second)]
    rank, names = int(_config(second)["r"]), scaled[1][0].keys()
    if scaled[0][0].keys() != names:
        raise ValueError("the adapters are not of the same layers")
    found: dict[str, torch.Tensor] = {}
    for name in names:
        if DOWN not in name:
            continue
        up_name = name.replace(DOWN, UP)
        down = torch.cat([weights[name].float() for weights, _ in scaled])
        up = torch.cat(
            [
                weights[up_name].float() * part * scale / scales[1]
                for (weights, part), scale in zip(scaled, scales, strict=True)
            ],
            dim=1,
        )
        found[name], found[up_name] = narrowed(down, up, rank)
    out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(second / ADAPTER_CONFIG, out / ADAPTER_CONFIG)
    kept = {name: weight.to(torch.bfloat16).contiguous() for name, weight in found.items()}
    save_file(kept, out / ADAPTER_WEIGHTS, metadata={"format": "pt"})


def narrowed(down: torch.Tensor, up: torch.Tensor, rank: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The nearest product of `rank` directions to `up @ down`, by least squares.

    `down` (directions, in) and `up` (out, directions) become (rank, in) and (out, rank). The
    singular values are shared out between both (Eckart and Young, 1936).
    """
    up_basis, up_part = torch.linalg.qr(up)
    down_basis, down_part = torch.linalg.qr(down.T)
    left, values, right = torch.linalg.svd(up_part @ down_part.T)
    roots = values[:rank].sqrt()
    return (
        roots[:, None] * (right[:rank] @ down_basis.T),
        (up_basis @ left[:, :rank]) * roots,
    )


def _config(folder: Path) -> dict[str, float]:
    return dict(json.loads((folder / ADAPTER_CONFIG).read_text(encoding="utf-8")))


def _weights(folder: Path) -> dict[str, torch.Tensor]:
    return dict(load_file(folder / ADAPTER_WEIGHTS))


if __name__ == "__main__":
    sys.exit(main())
