"""Attention over trees laid end to end: a context causally, each question over it and itself.

No padding and no tokens of another tree. Short trees are computed as plain products, which on a CPU
take two thirds of the fused kernel's time; long contexts by the fused causal kernel, which needs no
memory for pairs. Knows torch. Does not know prompts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

TREE_ATTENTION = "groundwire_tree"
DENSE_TOKENS = 900


@dataclass(frozen=True, slots=True)
class TreeSpan:
    """Where a tree lies in the flat batch, half-open, and what its tokens see.

    The context is [start, shared), its questions are [shared, end); `sees` (length, length) is 0
    where a token sees another and -inf where it does not.
    """

    start: int
    shared: int
    end: int
    sees: torch.Tensor


def tree_attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    scaling: float,
    trees: Sequence[TreeSpan],
    **_: object,
) -> tuple[torch.Tensor, None]:
    """Queries, keys and values (1, heads, tokens, size) to (1, tokens, heads, size)."""
    query = query * scaling
    parts: list[torch.Tensor] = []
    for tree in trees:
        at = slice(tree.start, tree.end)
        q, k, v = query[0, :, at], key[0, :, at], value[0, :, at]
        if tree.end - tree.start <= DENSE_TOKENS:
            parts.append(_dense(q, k, v, tree.sees))
        else:
            shared = tree.shared - tree.start
            parts.append(_causal(q[:, :shared], k[:, :shared], v[:, :shared]))
            parts.append(_dense(q[:, shared:], k, v, tree.sees[shared:]))
    return torch.cat(parts, dim=1).transpose(0, 1)[None], None


def _dense(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, sees: torch.Tensor) -> torch.Tensor:
    """Queries (heads, n, size) over keys (key heads, m, size), all pairs; heads share keys."""
    heads, length, size = q.shape
    grouped = (k.shape[0], heads // k.shape[0] * length, size)
    scores = torch.bmm(q.reshape(grouped), k.transpose(1, 2))
    seen = scores.view(heads, length, -1) + sees.to(scores.dtype)
    weights = torch.softmax(seen, dim=-1).view(scores.shape)
    return torch.bmm(weights, v).view(heads, length, size)


def _causal(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    groups = q.shape[0] // k.shape[0]
    k, v = k.repeat_interleave(groups, dim=0), v.repeat_interleave(groups, dim=0)
    return scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True, scale=1.0)[0]


AttentionInterface.register(TREE_ATTENTION, tree_attention)
