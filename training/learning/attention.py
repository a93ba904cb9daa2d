"""Attention over trees laid end to end behind one head that all of them share.

The head is the start of every prompt. A context sees the head and itself, causally; a question
sees the head, the context, its template's lead and itself. No padding and no token of another tree.
Short trees are computed as plain products, which on a CPU take two thirds of the fused kernel's
time; long contexts by the fused causal kernel, which needs no memory for pairs. Knows torch. Does
not know prompts.
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

    The context is [start, shared), its questions are [shared, end); `sees` (end - start,
    head + end - start) is 0 where a token sees another, -inf where it does not, the head's first.
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
    q_all, k_all, v_all = query[0] * scaling, key[0], value[0]
    head = trees[0].start
    parts = [_causal(q_all[:, :head], k_all[:, :head], v_all[:, :head])] if head else []
    for tree in trees:
        q = q_all[:, tree.start : tree.end]
        k, v = (
            torch.cat((x[:, :head], x[:, tree.start : tree.end]), dim=1) for x in (k_all, v_all)
        )
        if q.shape[1] <= DENSE_TOKENS:
            parts.append(_dense(q, k, v, tree.sees))
            continue
        context, seen = tree.shared - tree.start, head + tree.shared - tree.start
        # The head again, only so that the fused kernel's mask is the square one it knows.
        square = torch.cat((q_all[:, :head], q[:, :context]), dim=1)
        parts.append(_causal(square, k[:, :seen], v[:, :seen])[:, head:])
        parts.append(_dense(q[:, context:], k, v, tree.sees[context:]))
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
