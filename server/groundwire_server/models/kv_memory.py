"""How much memory a model's prefix cache takes on a CPU, unless a setting says."""

import json
from pathlib import Path

GIB = 1 << 30
MOST_GIB = 2.0
TOKENS = 93_206
"""What 2 GiB hold of the smallest model that ships, with 16 bits a value."""
_BYTES_A_VALUE = 2
"""In float32, on a CPU that computes in it, a cache holds half as many tokens of any model."""


def cpu_kv_memory_gib(model: str, window_tokens: int | None) -> float:
    """GiB for TOKENS of the model in a folder, or for a whole window, but at most MOST_GIB.

    MOST_GIB for what is no folder, or has a configuration of another form.
    """
    try:
        config = json.loads(Path(model, "config.json").read_bytes())
        heads = config["num_attention_heads"]
        width = config.get("head_dim") or config["hidden_size"] // heads
        values = config["num_hidden_layers"] * config.get("num_key_value_heads", heads) * width
        tokens = max(TOKENS, window_tokens or config["max_position_embeddings"])
    except (OSError, ValueError, LookupError, TypeError):
        return MOST_GIB
    keys_and_values = 2
    return float(min(MOST_GIB, tokens * keys_and_values * values * _BYTES_A_VALUE / GIB))
