"""Attention over trees is the plain formula's, forwards and backwards, compiled or not."""

import pytest
import torch

from groundwire_training.examples.trees import Tree, ask
from groundwire_training.learning.attention import Trees, tree_attention
from groundwire_training.learning.packing import batches, pack
from groundwire_verifier.domain.prompts import PromptEncoder
from tests.scripted import CharacterTokenizer

ENCODER = PromptEncoder.for_tokenizer(CharacterTokenizer())
HEADS, KEY_HEADS, SIZE = 4, 2, 8


def _trees() -> tuple[int, Trees]:
    """Two trees of different lengths: tokens of the batch, and the trees."""
    leaves = tuple(ask(f"It rained {i} times.", i % 2 == 0, "gold") for i in range(3))
    packed = [
        pack(Tree(text, leaves, "made"), ENCODER) for text in ("Rain fell.", "It was dry." * 9)
    ]
    (batch,) = batches([tree for tree in packed if tree is not None], 10_000)
    return batch.tokens, Trees(batch.trees)


def _plain(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, trees: Trees) -> torch.Tensor:
    """All pairs of the whole batch, those that do not see each other at -inf."""
    tokens, head = q.shape[2], trees.spans[0].start
    sees = torch.full((tokens, tokens), -torch.inf).triu(1)
    sees[head:, head:] = -torch.inf
    for span in trees.spans:
        sees[span.start : span.end, :head] = span.sees[:, :head]
        sees[span.start : span.end, span.start : span.end] = span.sees[:, head:]
    keys, values = (x.repeat_interleave(HEADS // KEY_HEADS, dim=1) for x in (k, v))
    scores = q @ keys.transpose(2, 3) * SIZE**-0.5 + sees
    return (torch.softmax(scores, dim=-1) @ values).transpose(1, 2)


@pytest.mark.parametrize("block_rows", [50, 10_000])
def test_outputs_and_gradients_are_those_of_the_plain_formula(
    block_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire_training.learning.attention.BLOCK_ROWS", block_rows)
    torch.manual_seed(1)
    tokens, trees = _trees()
    made = [torch.randn(1, heads, tokens, SIZE) for heads in (HEADS, KEY_HEADS, KEY_HEADS)]
    ours, plain = ([x.clone().requires_grad_() for x in made] for _ in range(2))
    read, _ = tree_attention(
        torch.nn.Identity(), ours[0], ours[1], ours[2], None, scaling=SIZE**-0.5, trees=trees
    )
    expected = _plain(plain[0], plain[1], plain[2], trees)
    torch.testing.assert_close(read, expected, rtol=1e-4, atol=1e-5)
    weight = torch.randn_like(expected)
    for output in (read, expected):
        (output * weight).sum().backward()
    for x, y in zip(ours, plain, strict=True):
        torch.testing.assert_close(x.grad, y.grad, rtol=1e-4, atol=1e-5)
