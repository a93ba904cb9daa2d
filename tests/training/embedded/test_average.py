"""The mean of two adapters is that of what they add to the base."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from groundwire_training.embedded.average import average, narrowed

NAME = "base_model.model.layer.{}.weight"
IN, OUT = 12, 10


def adapter(folder: Path, rank: int, alpha: float, seed: int) -> torch.Tensor:
    """Write one of a single layer; what it adds, (OUT, IN)."""
    generator = torch.Generator().manual_seed(seed)
    down, up = (torch.randn(*size, generator=generator) for size in ((rank, IN), (OUT, rank)))
    folder.mkdir()
    config = {"r": rank, "lora_alpha": alpha}
    (folder / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    weights = {NAME.format("lora_A"): down, NAME.format("lora_B"): up}
    save_file(weights, folder / "adapter_model.safetensors")
    return up @ down * alpha / rank


def added(folder: Path) -> torch.Tensor:
    weights = load_file(folder / "adapter_model.safetensors")
    config = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))
    up, down = (weights[NAME.format(part)].float() for part in ("lora_B", "lora_A"))
    return up @ down * config["lora_alpha"] / config["r"]


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_the_mean_is_that_of_what_both_add_whatever_their_scales(
    tmp_path: Path, share: float
) -> None:
    first = adapter(tmp_path / "first", 2, 8.0, 1)
    second = adapter(tmp_path / "second", 6, 6.0, 2)
    average(tmp_path / "first", tmp_path / "second", share, tmp_path / "mean")
    wanted = (1 - share) * first + share * second
    error = (added(tmp_path / "mean") - wanted).norm() / wanted.norm()
    lost = torch.linalg.svdvals(wanted)[6:].norm() / wanted.norm()
    assert error <= lost + 0.01  # bfloat16 keeps eight bits


def test_as_many_directions_as_there_are_lose_nothing() -> None:
    generator = torch.Generator().manual_seed(3)
    down, up = torch.randn(4, IN, generator=generator), torch.randn(OUT, 4, generator=generator)
    kept_down, kept_up = narrowed(down, up, 4)
    torch.testing.assert_close(kept_up @ kept_down, up @ down)


def test_adapters_of_other_layers_are_refused(tmp_path: Path) -> None:
    adapter(tmp_path / "first", 2, 4.0, 1)
    adapter(tmp_path / "second", 2, 4.0, 2)
    file = tmp_path / "second" / "adapter_model.safetensors"
    save_file({f"other.{name}": weight for name, weight in load_file(file).items()}, file)
    with pytest.raises(ValueError, match="same layers"):
        average(tmp_path / "first", tmp_path / "second", 0.5, tmp_path / "mean")
