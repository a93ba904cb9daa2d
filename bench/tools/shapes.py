"""Models of the usual shapes without their weights: what speed depends on.

A folder with a configuration and the embedded model's tokeniser, to be served with random weights
(`--load-format dummy`). Knows configurations. Does not know engines.
"""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from groundwire_server.config.settings import ServerSettings
from groundwire_server.models.store import resolve


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a Qwen3: width, layers, heads, heads of keys and values, and the inner width."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    inner: int
    ties_head: bool
    head_width: int = 128
    vocabulary: int = 151_936


SHAPES = {
    "tiny": Shape(64, 2, 2, 1, 128, True, head_width=32, vocabulary=49_152),
    "0.6B": Shape(1024, 28, 16, 8, 3072, True),
    "4B": Shape(2560, 36, 32, 8, 9728, True),
    "8B": Shape(4096, 36, 32, 8, 12_288, False),
}
WINDOW_TOKENS = 8192


def write_shape(name: str, folder: Path) -> Path:
    """Write a model of that shape below a folder; returns the model's folder."""
    embedded = ServerSettings()
    source = Path(resolve(embedded.model, embedded.cache_dir.expanduser(), print))
    model = folder / f"shape-{name.lower()}"
    model.mkdir(parents=True, exist_ok=True)
    for file in source.iterdir():
        if file.suffix in {".json", ".jinja", ".txt"} and file.name != "config.json":
            shutil.copy(file, model / file.name)
    (model / "config.json").write_text(json.dumps(_config(SHAPES[name]), indent=1))
    return model


def _config(shape: Shape) -> dict[str, object]:
    return {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "hidden_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "head_dim": shape.head_width,
        "intermediate_size": shape.inner,
        "vocab_size": shape.vocabulary,
        "tie_word_embeddings": shape.ties_head,
        "max_position_embeddings": WINDOW_TOKENS,
        "rms_norm_eps": 1e-6,
        "rope_theta": 1_000_000,
        "hidden_act": "silu",
        "attention_bias": False,
        "torch_dtype": "bfloat16",
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
