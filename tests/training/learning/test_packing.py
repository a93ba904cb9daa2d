"""Questions behind one context are read as if each were a prompt of its own."""

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from groundwire_training.examples.trees import Leaf, Tree
from groundwire_training.learning.attention import TREE_ATTENTION, Trees
from groundwire_training.learning.packing import LABELS, MAX_CONTEXT_TOKENS, batches, pack
from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.types import Label, Question, Template
from tests.scripted import CharacterTokenizer

ENCODER = PromptEncoder.for_tokenizer(CharacterTokenizer())
LEAVES = (
    Leaf("It rained.", Label.YES, "gold"),
    Leaf("It snowed for days.", Label.NO, "gold"),
    Leaf("It was cold.", Label.UNSURE, "stance", Template.YES_NO_UNSURE),
)
TREES = (Tree("Rain fell all night.", LEAVES, "a"), Tree("It was warm and wet.", LEAVES[:2], "b"))


@pytest.mark.parametrize("block_rows", [7, 10_000])
def test_packed_questions_are_read_as_prompts_of_their_own(
    block_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=256, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=1024,
    )  # fmt: skip
    model = LlamaForCausalLM(config).eval()
    packed = [tree for tree in (pack(tree, ENCODER) for tree in TREES) if tree is not None]
    (batch,) = batches(packed, 10_000)
    monkeypatch.setattr("groundwire_training.learning.attention.BLOCK_ROWS", block_rows)
    with torch.inference_mode():
        model.set_attn_implementation(TREE_ATTENTION)
        together = model(
            input_ids=batch.token_ids,
            position_ids=batch.positions,
            trees=Trees(batch.trees),
            use_cache=False,
        ).logits[0, batch.ends]
        model.set_attn_implementation("eager")
        questions = [Question(f.claim, t.context, f.template) for t in TREES for f in t.leaves]
        prompts = ENCODER.encode(questions)
        apart = torch.stack(
            [model(torch.tensor([list(p.token_ids)])).logits[0, -1] for p in prompts]
        )
    torch.testing.assert_close(together, apart, rtol=1e-4, atol=1e-5)


def test_what_prompts_share_is_there_once() -> None:
    packed = pack(TREES[0], ENCODER)
    assert packed is not None
    text = "".join(map(chr, packed.token_ids))
    assert text.count("Rain fell all night.") == 1
    assert text.count("Is the following claim true?") == 1
    (batch,) = batches([packed, packed], 10_000)
    assert batch.tokens == len(ENCODER.head) + 2 * len(packed.token_ids)


def test_answers_and_ingredients_stay_with_their_questions() -> None:
    packed = pack(TREES[0], ENCODER)
    assert packed is not None
    assert [LABELS[i] for i in packed.answers] == [leaf.answer for leaf in LEAVES]
    assert packed.ingredients == ("gold", "gold", "stance")
    assert [packed.token_ids[end] for end in packed.ends] == [ord(":")] * 3


def test_a_context_beyond_the_limit_is_left_out() -> None:
    assert pack(Tree("x" * (MAX_CONTEXT_TOKENS + 1), LEAVES, "a"), ENCODER) is None


def test_batches_keep_to_the_limit_and_lose_no_tree() -> None:
    packed = [pack(Tree("x" * size, LEAVES, "a"), ENCODER) for size in range(1, 300, 7)]
    trees = [tree for tree in packed if tree is not None]
    made = list(batches(trees, 2000))
    assert sum(len(batch.answers) for batch in made) == 3 * len(trees)
    assert all(batch.tokens <= 2000 or len(batch.trees) == 1 for batch in made)
