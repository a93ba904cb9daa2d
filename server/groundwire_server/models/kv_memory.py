"""How much memory a model's prefix cache takes on a CPU, unless a setting says."""

import json
from pathlib import Path

from groundwire_verifier.engine.native_dtype import emulates_half_precision

GIB = 1 << 30
MOST_GIB = 2.0
TOKENS = 93_206
"""What 2 GiB hold of the smallest model that ships, with 16 bits a value."""


def cpu_kv_memory_gib(model: str, window_tokens: int | None) -> float:
    """GiB for TOKENS of the model in a folder, or for a whole window, but at most MOST_GIB.

    MOST_GIB for what is no folder, or has a configuration of another form.
    """
    bytes_a_value = 4 if emulates_half_precision() else 2
    keys_and_values = 2
    try:
        config = json.loads(Path(model, "config.json").read_bytes())
        heads = config["num_attention_heads"]
        width = config.get("head_dim") or config["hidden_size"] // heads
        tokens = max(TOKENS, window_tokens or config["max_position_embeddings"])
        # A float comes first: a text times a number would be a longer text.
        a_layer = tokens / GIB * keys_and_values * bytes_a_value * width
        gib = a_layer * config["num_hidden_layers"] * config.get("num_key_value_heads", heads)
        return float(gib) if 0.0 < gib < MOST_GIB else MOST_GIB
    except (OSError, ValueError, LookupError, TypeError, ArithmeticError, RecursionError):
        return MOST_GIB
