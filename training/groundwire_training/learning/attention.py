"""Attention over trees laid end to end behind one head that all of them share.

The head is the start of every prompt. A context sees the head and itself, causally; a question sees
the head, the context, its template's lead and itself. No padding and no token of another tree. All
pairs of a block of rows are computed as plain products, which a CPU with matrix units does in less
time than a fused kernel; the backward pass is written out, since the one that follows from slices
fills a zero tensor of the whole batch for each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import torch
from transformers import AttentionInterface

TREE_ATTENTION = "groundwire_tree"
BLOCK_ROWS = 256
"""Rows that are computed at once: they see no key behind the last of them."""


@dataclass(frozen=True, slots=True)
class TreeSpan:
    """Where a tree lies in the flat batch, half-open, and what its tokens see.

    `sees` (end - start, head + end - start) is 0 where a token sees another, -inf where it does
    not, the head's first. A token sees nothing that stands behind it.
    """

    start: int
    end: int
    sees: torch.Tensor


@dataclass(frozen=True, slots=True)
class Trees:
    """The trees of a batch, as one thing: what is compiled does not look into it."""

    spans: tuple[TreeSpan, ...]

    def to(self, device: torch.device, dtype: torch.dtype) -> "Trees":
        """The same, computed with there and in this type."""
        return Trees(tuple(replace(span, sees=span.sees.to(device, dtype)) for span in self.spans))


@dataclass(frozen=True, slots=True)
class _Block:
    """Rows [start, end) of the flat batch, which see the head and [first, end).

    `sees` is (end - start, head + end - first).
    """

    head: int
    first: int
    start: int
    end: int
    sees: torch.Tensor


class _Saved(Protocol):
    """What the forward pass leaves for the backward one."""

    saved_tensors: tuple[torch.Tensor, ...]
    blocks: Sequence[_Block]

    def save_for_backward(self, *tensors: torch.Tensor) -> None:
        """Keep tensors for the backward pass."""


def tree_attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    scaling: float,
    trees: Trees,
    **_: object,
) -> tuple[torch.Tensor, None]:
    """Queries, keys and values (1, heads, tokens, size) to (1, tokens, heads, size)."""
    read: torch.Tensor = _TreeAttention.apply(query[0] * scaling, key[0], value[0], trees)
    return read.transpose(0, 1)[None], None


class _TreeAttention(torch.autograd.Function):  # type: ignore[misc]
    """softmax(q k^T + sees) v for each block of rows; q scaled, (heads, tokens, size)."""

    @staticmethod
    def forward(
        ctx: _Saved,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        trees: Trees,
    ) -> torch.Tensor:
        out = torch.empty_like(q)
        blocks = list(_blocks(trees.spans))
        weights = []
        for block in blocks:
            weight = _weights(q, k, block)
            weights.append(weight)
            out[:, block.start : block.end] = torch.bmm(weight, _keys(v, block)).view(
                q.shape[0], -1, q.shape[2]
            )
        ctx.save_for_backward(q, k, v, *weights)
        ctx.blocks = blocks
        return out

    @staticmethod
    def backward(ctx: _Saved, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        q, k, v, *weights = ctx.saved_tensors
        for_q, for_k, for_v = (torch.zeros_like(x) for x in (q, k, v))
        for block, weight in zip(ctx.blocks, weights, strict=True):
            g = _rows(grad, k, block)
            _add(for_v, torch.bmm(weight.transpose(1, 2), g), block)
            for_scores = torch._softmax_backward_data(
                torch.bmm(g, _keys(v, block).transpose(1, 2)), weight, -1, weight.dtype
            )
            for_q[:, block.start : block.end] = torch.bmm(for_scores, _keys(k, block)).view(
                q.shape[0], -1, q.shape[2]
            )
            _add(for_k, torch.bmm(for_scores.transpose(1, 2), _rows(q, k, block)), block)
        return for_q, for_k, for_v, None


def _blocks(trees: Sequence[TreeSpan]) -> Iterator[_Block]:
    """The head, and the rows of each tree."""
    head = trees[0].start
    if head:
        hidden = trees[0].sees.new_full((head, head), -torch.inf)
        yield _Block(0, 0, 0, head, hidden.triu(1))
    for tree in trees:
        for start in range(tree.start, tree.end, BLOCK_ROWS):
            end = min(start + BLOCK_ROWS, tree.end)
            sees = tree.sees[start - tree.start : end - tree.start, : head + end - tree.start]
            yield _Block(head, tree.start, start, end, sees)


def _weights(q: torch.Tensor, k: torch.Tensor, block: _Block) -> torch.Tensor:
    """How much each row takes of each key, (key heads, heads of one x rows, keys)."""
    scores = torch.bmm(_rows(q, k, block), _keys(k, block).transpose(1, 2))
    scores.view(q.shape[0], *block.sees.shape).add_(block.sees)
    return torch.softmax(scores, dim=-1)


def _rows(x: torch.Tensor, k: torch.Tensor, block: _Block) -> torch.Tensor:
    """The block's rows; heads that share keys, as one."""
    return x[:, block.start : block.end].reshape(k.shape[0], -1, x.shape[2])


def _keys(x: torch.Tensor, block: _Block) -> torch.Tensor:
    return torch.cat((x[:, : block.head], x[:, block.first : block.end]), dim=1)


def _add(total: torch.Tensor, part: torch.Tensor, block: _Block) -> None:
    """Add the gradient of the block's keys to that of all."""
    total[:, : block.head] += part[:, : block.head]
    total[:, block.first : block.end] += part[:, block.head :]


# A compiled layer leaves it as it is: it would be compiled anew for each batch's trees.
AttentionInterface.register(TREE_ATTENTION, torch.compiler.disable(tree_attention))
