"""Models of the usual shapes without their weights: what speed depends on.

A folder with a configuration and the embedded model's tokeniser, to be served with random weights
(`--load-format dummy`), and the operations that a shape takes.

A token takes two operations a weight of the linear layers (one product, one sum), and attention
four a dimension of every head and token that it looks back on (Hoffmann et al., "Training
Compute-Optimal Large Language Models", 2022, appendix F, without what is small).
"""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from groundwire_server.config.settings import ServerSettings
from groundwire_server.models.store import SMALL_MODEL, resolve


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


@dataclass(frozen=True, slots=True)
class Work:
    """Tokens that are computed, how many each looks back on in the mean, and prompts."""

    tokens: int
    looks_back: float
    reads: int


def layer_operations(shape: Shape, work: Work) -> float:
    attention = 4.0 * shape.heads * shape.head_width * work.looks_back * shape.layers
    return work.tokens * (2.0 * layer_weights(shape) + attention)


def layer_weights(shape: Shape) -> int:
    return shape.layers * sum(rows * columns for rows, columns in matrices(shape))


def matrices(shape: Shape) -> list[tuple[int, int]]:
    """Outputs and inputs of one layer's matrices, as vLLM has them joined."""
    attended = shape.heads * shape.head_width
    joined = attended + 2 * shape.kv_heads * shape.head_width
    return [
        (joined, shape.hidden),
        (shape.hidden, attended),
        (2 * shape.inner, shape.hidden),
        (shape.hidden, shape.inner),
    ]


def write_shape(name: str, folder: Path) -> Path:
    """Write a model of that shape below a folder; returns the model's folder."""
    source = Path(resolve(SMALL_MODEL, ServerSettings().cache_dir.expanduser(), print))
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
