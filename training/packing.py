"""Trees as batches: one row a tree, its context once, every question behind it on its own.

A question sees the context and itself, and no other question; its positions go on where the
context ends. So each question is computed exactly as the server's prompt for it is, at the cost
of its own tokens only. Knows prompts and masks. Does not know the model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

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
    """Trees side by side.

    `token_ids`, `positions` (rows, length) are int64; `mask` (rows, 1, length, length) is True
    where a token sees another; `ends` (questions, 2) are row and place of each question's last
    token; `answers` (questions,) are indexes into LABELS.
    """

    token_ids: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor
    ends: torch.Tensor
    answers: torch.Tensor
    ingredients: tuple[str, ...]

    @property
    def tokens(self) -> int:
        """Tokens to compute, padding included."""
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


def batches(trees: Sequence[Packed], max_tokens: int) -> Iterator[Batch]:
    """Trees of similar length together, at most `max_tokens` with padding but for single trees.

    From short to long: shuffle them before learning.
    """
    by_length = sorted(range(len(trees)), key=lambda i: len(trees[i].token_ids))
    groups: list[list[int]] = []
    for i in by_length:
        length = len(trees[i].token_ids)
        if groups and (len(groups[-1]) + 1) * length <= max_tokens:
            groups[-1].append(i)
        else:
            groups.append([i])
    for group in groups:
        yield _batch([trees[i] for i in group])


def _batch(rows: Sequence[Packed]) -> Batch:
    length = max(len(row.token_ids) for row in rows)
    shape = (len(rows), length)
    token_ids = torch.zeros(shape, dtype=torch.long)
    positions = torch.zeros(shape, dtype=torch.long)
    segments = torch.full(shape, -1)
    ends: list[tuple[int, int]] = []
    answers: list[int] = []
    names: list[str] = []
    for i, row in enumerate(rows):
        size = len(row.token_ids)
        token_ids[i, :size] = torch.tensor(row.token_ids)
        positions[i, :size] = torch.tensor(row.positions)
        segments[i, :size] = torch.tensor(row.segments)
        ends += [(i, end) for end in row.ends]
        answers += row.answers
        names += row.ingredients
    before = torch.ones(length, length, dtype=torch.bool).tril()
    same = segments[:, :, None] == segments[:, None, :]
    shared = segments[:, None, :] == 0
    mask = (same | shared) & before
    return Batch(
        token_ids, positions, mask[:, None], torch.tensor(ends), torch.tensor(answers), tuple(names)
    )
