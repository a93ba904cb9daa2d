"""A whole run on a tiny random model: killed, it goes on exactly; its table grows."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from transformers import LlamaConfig, LlamaForCausalLM

from groundwire_server.models.convert import ADAPTER_WEIGHTS
from groundwire_training import run
from groundwire_training.embedded.choice import Choice, run_in
from groundwire_training.embedded.sets import SMALL
from groundwire_training.examples.trees import Tree, ask
from groundwire_training.learning.learner import Learner
from groundwire_training.learning.packing import Batch, batches, pack
from groundwire_training.run import Plan, schedule
from groundwire_training.run_folder import ADAPTER, CHECKPOINTS, CURVE
from groundwire_verifier.domain.prompts import PromptEncoder
from tests.scripted import CharacterTokenizer
from tests.training.embedded.shared import write_data

ENCODER = PromptEncoder.for_tokenizer(CharacterTokenizer())
TOKENS = 12_000
CHOICE = "groundwire_training.embedded.choice"


@pytest.fixture
def choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Choice:
    """A tiny model in a folder, that every run here learns on, and data beside it."""
    write_data(tmp_path / "data", 12)
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=1600, hidden_size=16, intermediate_size=32, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=4096,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(tmp_path / "base")
    monkeypatch.setattr(f"{CHOICE}.prompts_of", lambda _: (ENCODER, ENCODER.label_forms()))
    monkeypatch.setattr(f"{CHOICE}.data_file", lambda name: tmp_path / "data" / name)
    return Choice(SMALL, tmp_path / "base")


def _weights(folder: Path) -> dict[str, torch.Tensor]:
    weights: dict[str, torch.Tensor] = load_file(folder / ADAPTER / ADAPTER_WEIGHTS)
    return weights


def test_a_run_that_is_killed_goes_on_exactly(
    choice: Choice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(minutes=0.0, tokens=TOKENS, rank=4)
    run_in(tmp_path / "whole", plan, choice).train()

    monkeypatch.setattr(run, "SAVE_EVERY_S", -1.0)
    killed = run_in(tmp_path / "killed", plan, choice)
    step = killed._step
    done: list[float] = []

    def dying(batch: Batch, share: float, losses: dict[str, list[float]]) -> None:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(share)
        step(batch, share, losses)

    monkeypatch.setattr(killed, "_step", dying)
    with pytest.raises(KeyboardInterrupt):
        killed.train()
    again = run_in(tmp_path / "killed", plan, choice)
    assert again.progress.step == 3
    again.train()

    assert again.progress.step > 3
    torch.testing.assert_close(
        _weights(tmp_path / "killed"), _weights(tmp_path / "whole"), rtol=0, atol=0
    )


def test_checkpoints_are_kept_and_scored_on_rows_of_all_sets(
    choice: Choice, tmp_path: Path
) -> None:
    run_in(
        tmp_path / "run", Plan(0.0, tokens=TOKENS, score_every_tokens=TOKENS // 2), choice
    ).train()
    lines = (tmp_path / "run" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    table = [json.loads(line) for line in lines]
    assert [entry["tokens"] for entry in table] == sorted({entry["tokens"] for entry in table})
    assert len(table) == 3
    assert table[0]["tokens"] == 0
    assert {"fm2", "heq", "condaqa"} <= set(table[0]["auroc"])
    kept = sorted(int(path.name) for path in (tmp_path / "run" / CHECKPOINTS).iterdir())
    assert kept == [entry["tokens"] for entry in table]


def test_the_adapter_can_be_used_while_the_run_goes_on(
    choice: Choice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "SAVE_EVERY_S", -1.0)
    going = run_in(tmp_path / "run", Plan(0.0, tokens=TOKENS), choice)

    def dying(*_: object) -> None:
        going.progress.tokens += 1
        if going.progress.tokens == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(going, "_step", dying)
    with pytest.raises(KeyboardInterrupt):
        going.train()
    assert _weights(tmp_path / "run")


def test_a_run_says_nothing_of_the_dev_rows_unless_asked(choice: Choice, tmp_path: Path) -> None:
    run_in(tmp_path / "run", Plan(0.0, tokens=3000), choice).train()
    assert not (tmp_path / "run" / "dev.jsonl").exists()
    assert not (tmp_path / "run" / CURVE).exists()


def test_a_widened_adapter_says_the_same(choice: Choice, tmp_path: Path) -> None:
    run_in(tmp_path / "run", Plan(0.0, tokens=3000, rank=2), choice).train()
    leaves = tuple(ask(f"It rained {i} times.", i % 2 == 0, "gold") for i in range(4))
    packed = pack(Tree("Rain fell.", leaves, "made"), ENCODER)
    assert packed is not None
    (batch,) = batches([packed], 10_000)
    forms, adapter = ENCODER.label_forms(), tmp_path / "run" / ADAPTER
    with torch.inference_mode():
        narrow, wide = (
            Learner(choice.base(), forms, adapter, rank).label_nats(batch) for rank in (None, 5)
        )
    torch.testing.assert_close(wide, narrow, rtol=1e-3, atol=1e-3)
    with pytest.raises(ValueError, match="rank 2 cannot go on with a lower one"):
        Learner(choice.base(), forms, adapter, 1)


def test_the_rate_is_held_until_its_last_part_and_ends_at_nothing() -> None:
    assert schedule(0.3, 0.3) == schedule(0.7, 0.3) == 1.0
    assert schedule(0.85, 0.3) == pytest.approx(0.5)
    assert schedule(1.0, 0.3) == 0.0
    assert schedule(0.0, 0.3) < schedule(0.01, 0.3) < 1.0


@pytest.mark.filterwarnings("ignore")  # those of the compiler about itself
def test_a_compiled_learner_has_the_same_loss_and_gradients(choice: Choice) -> None:
    leaves = tuple(ask(f"It rained {i} times.", i % 2 == 0, "gold") for i in range(4))
    trees = [pack(Tree(text, leaves, "made"), ENCODER) for text in ("Rain fell.", "It was dry.")]
    (batch,) = batches([tree for tree in trees if tree is not None], 10_000)
    learnt = []
    for compiled in (False, True):
        torch.manual_seed(2)
        learner = Learner(choice.base(), ENCODER.label_forms(), None, 4)
        if compiled:
            learner.compile("aot_eager")  # all but the compiler itself, which takes half a minute
        loss, _ = learner.loss(batch)
        loss.backward()
        gradients = [p.grad for p in learner.parameters() if p.grad is not None]
        learnt.append([loss.detach(), *gradients])
    assert len(learnt[0]) == 15
    torch.testing.assert_close(learnt[1], learnt[0], rtol=1e-2, atol=1e-3)
