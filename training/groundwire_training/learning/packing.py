"""Trees as batches, end to end: what prompts share is there once, as in the server's prefix cache.

All prompts of a batch share the head, all of a tree the context, and all of a tree with one
template its lead; only the claims stand for themselves. A token sees what stands before it in its
own prompt, and its position is the one there. So each question is computed exactly as the server's
prompt for it is, at the cost of its own tokens only.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch

from groundwire_training.examples.trees import Leaf, Tree
from groundwire_training.learning.attention import TreeSpan
from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.types import Label, Question, Template

MAX_CONTEXT_TOKENS = 3072
LABELS = tuple(Label)
_CONTEXT = 0


@dataclass(frozen=True, slots=True)
class Packed:
    """One tree as tokens, behind `head`, which they do not hold.

    `segments` is 0 in the context and another number in each lead and question; `parents` gives
    the segment that each one continues. `ends` are the places of the questions' last tokens.
    """

    head: tuple[int, ...]
    token_ids: list[int]
    positions: list[int]
    segments: list[int]
    parents: list[int]
    ends: list[int]
    answers: list[int]
    ingredients: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """A head and the trees behind it, end to end.

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


def pack(
    tree: Tree, encoder: PromptEncoder, max_context_tokens: int = MAX_CONTEXT_TOKENS
) -> Packed | None:
    """The tokens of a tree; None if its context is too long to learn from."""
    prompts = encoder.encode(
        [Question(leaf.claim, tree.context, leaf.template) for leaf in tree.leaves]
    )
    head, size = len(encoder.head), prompts[0].context_tokens
    if size > max_context_tokens:
        return None
    packed = Packed(encoder.head, [], [], [], [], [], [], _names(tree.leaves))
    _append(packed, prompts[0].token_ids[head : head + size], head, _CONTEXT)
    leads: dict[Template, int] = {}
    for leaf, prompt in zip(tree.leaves, prompts, strict=True):
        lead = encoder.middles[leaf.template]
        if leaf.template not in leads:
            leads[leaf.template] = _append(packed, lead, head + size, _CONTEXT)
        start = head + size + len(lead)
        _append(packed, prompt.token_ids[start:], start, leads[leaf.template])
        packed.ends.append(len(packed.token_ids) - 1)
        packed.answers.append(LABELS.index(leaf.answer))
    return packed


def _append(packed: Packed, token_ids: Sequence[int], position: int, parent: int) -> int:
    """Add a segment that continues `parent` at this position, and return its number."""
    number = len(packed.parents)
    packed.token_ids.extend(token_ids)
    packed.positions.extend(range(position, position + len(token_ids)))
    packed.segments.extend([number] * len(token_ids))
    packed.parents.append(parent)
    return number


def _names(leaves: Sequence[Leaf]) -> tuple[str, ...]:
    return tuple(leaf.ingredient.partition(":")[0] for leaf in leaves)


def batches(trees: Iterable[Packed], max_tokens: int) -> Iterator[Batch]:
    """Trees in their order, at most `max_tokens` with the head but for single trees."""
    group: list[Packed] = []
    size = 0
    for tree in trees:
        if group and len(tree.head) + size + len(tree.token_ids) > max_tokens:
            yield _batch(group)
            group, size = [], 0
        group.append(tree)
        size += len(tree.token_ids)
    if group:
        yield _batch(group)


def _batch(group: Sequence[Packed]) -> Batch:
    head = group[0].head
    token_ids, positions = list(head), list(range(len(head)))
    spans: list[TreeSpan] = []
    ends: list[int] = []
    for tree in group:
        spans.append(_span(tree, len(token_ids)))
        ends += [len(token_ids) + end for end in tree.ends]
        token_ids += tree.token_ids
        positions += tree.positions
    return Batch(
        torch.tensor([token_ids]),
        torch.tensor([positions]),
        tuple(spans),
        torch.tensor(ends),
        torch.tensor([answer for tree in group for answer in tree.answers]),
        tuple(name for tree in group for name in tree.ingredients),
    )


def _span(tree: Packed, start: int) -> TreeSpan:
    segments = torch.tensor(tree.segments)
    parents = torch.tensor(tree.parents)
    length = len(segments)
    mine = segments[:, None]
    # Itself, what it continues, and what that continues: no prompt has more parts.
    related = (mine == segments) | (parents[mine] == segments) | (segments == _CONTEXT)
    seen = related & torch.ones(length, length, dtype=torch.bool).tril()
    sees = torch.zeros(length, len(tree.head) + length)
    sees[:, len(tree.head) :].masked_fill_(~seen, -torch.inf)
    return TreeSpan(start, start + length, sees)
