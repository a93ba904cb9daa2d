"""Models of several architectures are read in packed batches as they are by themselves."""

from pathlib import Path

import pytest
import torch
from transformers import PreTrainedModel

from groundwire_training.base import prompts_of
from groundwire_training.examples.trees import Leaf, Tree
from groundwire_training.learning import reading
from groundwire_training.learning.adapter import write_exported
from groundwire_training.learning.learner import Learner, linear_layers
from groundwire_training.learning.packing import Batch, batches, pack
from groundwire_training.learning.reading import LabelReader, load_model
from groundwire_training.learning.sameness import require_sameness
from groundwire_training.merging import write_merged
from groundwire_verifier.domain.errors import UnusableModelError
from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.types import Label, LabelForm, Template
from tests.training.tiny import model, write_base

KINDS = ["qwen3", "llama", "qwen2"]
LEAVES = (
    Leaf("It rained.", Label.YES, "gold"),
    Leaf("It snowed for days.", Label.NO, "gold"),
    Leaf("It was cold.", Label.UNSURE, "stance", Template.YES_NO_UNSURE),
)
TREE = Tree("Rain fell all night, and the river rose by two metres.", LEAVES, "made")
LIMIT = 500


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one base of each kind."""
    folder = tmp_path_factory.mktemp("bases")
    for kind in (*KINDS, "windowed"):
        write_base(folder / kind, kind, chat=kind != "llama")
    return folder


def prepared(folder: Path) -> tuple[PromptEncoder, tuple[LabelForm, ...], Batch]:
    encoder, forms = prompts_of(str(folder))
    packed = pack(TREE, encoder, LIMIT)
    assert packed is not None
    (batch,) = batches([packed, packed], 10_000)
    return encoder, forms, batch


def in_float32(folder: Path) -> PreTrainedModel:
    return load_model(str(folder)).float()


@pytest.mark.parametrize("kind", KINDS)
def test_packed_questions_have_the_logits_of_prompts_of_their_own(bases: Path, kind: str) -> None:
    encoder, forms, _ = prepared(bases / kind)
    reader = LabelReader(in_float32(bases / kind).eval(), forms)
    assert require_sameness(reader, encoder, TREE, LIMIT) < 1e-5


def test_a_model_that_sees_a_window_only_is_refused(bases: Path) -> None:
    encoder, forms, _ = prepared(bases / "windowed")
    reader = LabelReader(in_float32(bases / "windowed").eval(), forms)
    with pytest.raises(UnusableModelError, match="reads packed questions otherwise"):
        require_sameness(reader, encoder, TREE, LIMIT)


@pytest.mark.parametrize("kind", KINDS)
def test_an_adapter_learns_in_every_linear_layer_but_the_head(kind: str) -> None:
    found = linear_layers(model(kind))
    assert found == sorted(
        ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_merged_folder_says_what_the_adapter_says_on_the_base(
    bases: Path, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A machine that computes in bfloat16 rounds base and merged weights, each for itself.
    monkeypatch.setattr(reading, "native_dtype", lambda: torch.float32)
    _, forms, batch = prepared(bases / kind)
    torch.manual_seed(3)
    learner = Learner(str(bases / kind), forms, rank=4)
    learner.model.float()
    for weight in learner.weights().values():
        # As the exported file has them.
        weight.copy_(torch.randn_like(weight).mul_(0.1).bfloat16())
    learner.save(tmp_path / "adapter")
    write_exported(tmp_path / "adapter", tmp_path / "adapter", kind)
    with torch.inference_mode():
        before = LabelReader(in_float32(bases / kind), forms).label_nats(batch)
        expected = learner.label_nats(batch)
        write_merged(str(bases / kind), tmp_path / "adapter", tmp_path / "merged")
        merged = LabelReader(in_float32(tmp_path / "merged"), forms).label_nats(batch)
    torch.testing.assert_close(merged, expected, rtol=1e-4, atol=1e-4)
    assert float((before - expected).abs().max()) > 0.01


def test_checkpointing_changes_neither_loss_nor_gradients(bases: Path) -> None:
    _, forms, batch = prepared(bases / "qwen3")
    learnt = []
    for checkpointing in (False, True):
        torch.manual_seed(2)
        learner = Learner(str(bases / "qwen3"), forms, rank=4)
        loss, _ = learner.loss(batch, checkpointing=checkpointing)
        loss.backward()
        gradients = [p.grad for p in learner.parameters() if p.grad is not None]
        learnt.append([loss.detach(), *gradients])
    assert len(learnt[0]) == 1 + 2 * 7 * 2
    torch.testing.assert_close(learnt[1], learnt[0])
