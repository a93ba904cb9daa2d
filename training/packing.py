"""Trees as batches, end to end: a context once, every question behind it on its own.

A question sees the context and itself, and no other question; its positions go on where the
context ends. So each question is computed exactly as the server's prompt for it is, at the cost
of its own tokens only. Knows prompts and masks. Does not know the model.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch

from training.attention import TreeSpan
from training.trees import Tree
from verifier.prompts import PromptEncoder
from verifier.types import Label, Question

MAX_CONTEXT_TOKENS = 1536
LABELS = tuple(Label)


@dataclass(frozen=True, slots=True)
class Packed:
    """One tree as tokens. `segments` is 0 in the context and n in the nth question."""

    token_ids: list[int]
    positions: list[int]
    segments: list[int]
    ends: list[int]
    answers: list[int]
    ingredients: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """Trees end to end.

    `token_ids` and `positions` (1, tokens) are int64; `trees` say where each lies; `ends`
    (questions,) are the places of each question's last token; `answers` (questions,) are indexes
    into LABELS.
    """

    token_ids: torch.Tensor
    positions: torch.Tensor
    trees: tuple[TreeSpan, ...]
    ends: torch.Tensor
    answers: torch.Tensor
    ingredients: tuple[str, ...]

    @property
    def tokens(self) -> int:
        """Tokens to compute."""
        return int(self.token_ids.numel())


def pack(tree: Tree, encoder: PromptEncoder) -> Packed | None:
    """The tokens of a tree; None if its context is too long to learn from."""
    prompts = encoder.encode(
        [Question(leaf.claim, tree.context, leaf.template) for leaf in tree.leaves]
    )
    shared = len(encoder.head) + prompts[0].context_tokens
    if prompts[0].context_tokens > MAX_CONTEXT_TOKENS:
        return None
    token_ids = list(prompts[0].token_ids[:shared])
    positions = list(range(shared))
    segments = [0] * shared
    ends = []
    for number, prompt in enumerate(prompts, start=1):
        own = prompt.token_ids[shared:]
        token_ids += own
        positions += range(shared, shared + len(own))
        segments += [number] * len(own)
        ends.append(len(token_ids) - 1)
    answers = [LABELS.index(leaf.answer) for leaf in tree.leaves]
    names = tuple(leaf.ingredient.partition(":")[0] for leaf in tree.leaves)
    return Packed(token_ids, positions, segments, ends, answers, names)


def batches(trees: Iterable[Packed], max_tokens: int) -> Iterator[Batch]:
    """Trees in their order, at most `max_tokens` together but for single trees."""
    group: list[Packed] = []
    size = 0
    for tree in trees:
        if group and size + len(tree.token_ids) > max_tokens:
            yield _batch(group)
            group, size = [], 0
        group.append(tree)
        size += len(tree.token_ids)
    if group:
        yield _batch(group)


def _batch(group: Sequence[Packed]) -> Batch:
    spans: list[TreeSpan] = []
    ends: list[int] = []
    start = 0
    for tree in group:
        spans.append(_span(tree, start))
        ends += [start + end for end in tree.ends]
        start += len(tree.token_ids)
    return Batch(
        torch.tensor([[token for tree in group for token in tree.token_ids]]),
        torch.tensor([[position for tree in group for position in tree.positions]]),
        tuple(spans),
        torch.tensor(ends),
        torch.tensor([answer for tree in group for answer in tree.answers]),
        tuple(name for tree in group for name in tree.ingredients),
    )


def _span(tree: Packed, start: int) -> TreeSpan:
    segments = torch.tensor(tree.segments)
    shared = int((segments == 0).sum())
    length = len(segments)
    before = torch.ones(length, length, dtype=torch.bool).tril()
    seen = ((segments[:, None] == segments) | (segments == 0)) & before
    sees = torch.zeros(seen.shape).masked_fill(~seen, -torch.inf)
    return TreeSpan(start, start + shared, start + length, sees)
