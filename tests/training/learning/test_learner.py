"""What of a learner learns, on a tiny random Llama."""

from pathlib import Path

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from groundwire_training.learning.learner import Learner
from groundwire_verifier.domain.types import Label, LabelForm

FORMS = [LabelForm(Label.YES, "Yes", 3), LabelForm(Label.NO, "No", 4)]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> str:
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=32, hidden_size=32, intermediate_size=64, num_hidden_layers=3,
        num_attention_heads=4, num_key_value_heads=2,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("base")
    LlamaForCausalLM(config).save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize("frozen", [0, 2])
def test_frozen_layers_get_no_gradient_and_all_others_do(base: str, frozen: int) -> None:
    learner = Learner(base, FORMS, frozen_layers=frozen)
    layers = learner.model.get_base_model().model.layers
    learning = [any(p.requires_grad for p in layer.parameters()) for layer in layers]
    assert learning == [False] * frozen + [True] * (3 - frozen)
    assert len(list(learner.parameters())) == (3 - frozen) * 7 * 2


def test_the_adapter_has_its_frozen_layers_as_well(base: str, tmp_path: Path) -> None:
    learner = Learner(base, FORMS, frozen_layers=2)
    learner.save(tmp_path)
    again = Learner(base, FORMS, tmp_path)
    assert again.weights().keys() == learner.weights().keys()
    assert len(learner.weights()) == 3 * 7 * 2
