"""`groundwire train` on a tiny random model: killed and gone on, its folder, what it refuses."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from groundwire_server.cli.main import main
from groundwire_server.models.calibrations import find, read
from groundwire_server.models.store import BASE_MODEL, QWEN_VERIFIER, SMALL_MODEL
from groundwire_server.models.weights_id import weights_id
from groundwire_training import run
from groundwire_training.base import prompts_of
from groundwire_training.command import is_shipped, start_of
from groundwire_training.data.rehearsal import SOURCE, Rehearsal
from groundwire_training.data.rows import Row
from groundwire_training.examples.recipe import INGREDIENTS
from groundwire_training.learning.packing import Batch
from groundwire_training.learning.reading import LabelReader
from groundwire_training.measuring import Measured, measure
from groundwire_training.run import Run
from groundwire_verifier.domain.prompts import PromptEncoder
from tests.training.tiny import write_base, write_rows

MADE = [name for name in INGREDIENTS if name != "gold"]
Command = Callable[..., int]


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("material")
    write_base(folder / "qwen3", "qwen3")
    write_base(folder / "llama", "llama", chat=False)
    write_rows(folder / "rows.jsonl", 150)
    return folder


@pytest.fixture
def command(material: Path, tmp_path: Path) -> Command:
    """Train a kind of model into a folder of this name."""

    def train(out: str, *flags: str, kind: str = "qwen3", tokens: int = 1500) -> int:
        given = ["--base", material / kind, "--data", material / "rows.jsonl"]
        given += ["--out", tmp_path / out, "--tokens", tokens, "--max-tokens", 600]
        given += ["--learning-rate", 1e-2, *flags]
        return main(["train", *map(str, given)])

    return train


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return dict(load_file(folder / "model.safetensors"))


@pytest.mark.parametrize("kind", ["qwen3", "llama"])
def test_a_run_that_is_killed_goes_on_and_makes_the_same_model(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    command("whole", kind=kind)
    step, done = Run._step, [0]

    def dying(self: Run, batch: Batch, share: float, losses: dict[str, list[float]]) -> None:
        if done[0] == 1:
            raise KeyboardInterrupt
        done[0] += 1
        step(self, batch, share, losses)

    monkeypatch.setattr(run, "SAVE_EVERY_S", -1.0)
    monkeypatch.setattr(Run, "_step", dying)
    assert command("killed", kind=kind) == 130
    assert not (tmp_path / "killed" / "config.json").exists()
    monkeypatch.setattr(Run, "_step", step)
    command("killed", kind=kind)
    torch.testing.assert_close(
        weights(tmp_path / "killed"), weights(tmp_path / "whole"), rtol=0, atol=0
    )


def test_a_verifier_has_its_card_and_a_calibration_that_the_server_finds(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("verifier", "--without", *MADE, tokens=40_000) == 0
    folder = tmp_path / "verifier"
    printed = capsys.readouterr().out
    assert "Label check passed" in printed
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "| rows | 274 | 137 | 137 | 26 | 0 |" in card
    assert "| AUROC | 1.000 (1.000 to 1.000) |" in card
    assert "YES: `YES`, `yes`" in card
    assert "- your rows: from 0." in card
    assert not (folder / "run" / "merged").exists()
    assert str(tmp_path) not in card
    encoder, _ = prompts_of(str(folder))
    identity = encoder.identity(weights_id(str(folder), None))
    found = find(identity, "auto", tmp_path / "cache", folder)
    assert found == read(folder / "calibration.json").calibration


def test_a_model_that_is_worse_than_its_base_is_refused_and_its_adapter_kept(
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def read_upside_down(
        reader: LabelReader, encoder: PromptEncoder, rows: Sequence[Row], most: int
    ) -> Measured:
        """The base says what is right, and the merged model the opposite."""
        found, sign = measure(reader, encoder, rows, most), -1 if reads else 1
        reads.append(reader)
        return replace(found, log_odds=sign * np.where(found.labels, 1.0, -1.0))

    reads: list[LabelReader] = []
    monkeypatch.setattr("groundwire_training.command.measure", read_upside_down)
    assert command("worse") == 1
    assert (
        "REFUSED, no model is written: on your rows that were not learnt (26) AUROC fell from "
        "1.000 to 0.000 (-1.000, -1.000 to -1.000)."
    ) in capsys.readouterr().err
    assert (tmp_path / "worse" / "run" / "adapter" / "adapter_model.safetensors").exists()
    assert [path.name for path in (tmp_path / "worse").iterdir()] == ["run"]


def test_only_a_verifier_that_ships_goes_on_from_its_adapter() -> None:
    assert is_shipped(SMALL_MODEL)
    assert not is_shipped(BASE_MODEL)
    assert not is_shipped("org/name")


@pytest.mark.parametrize(
    ("base", "start"),
    [
        ("base", QWEN_VERIFIER),
        (f"{QWEN_VERIFIER}-int8", QWEN_VERIFIER),
        ("small", SMALL_MODEL),
        ("org/name", "org/name"),
    ],
)
def test_int8_weights_do_not_learn_but_their_originals(base: str, start: str) -> None:
    assert start_of(base) == start


def test_rows_of_the_shipped_mix_are_learnt_and_measured_where_they_are_asked_for(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        Row(SOURCE, f"Rain {i}.", f"It rains{end}", end == "!", None, (), "en")
        for i in range(20)
        for end in "!?"
    ]
    few = Rehearsal(tuple(rows[:20]), tuple(rows[20:]))
    monkeypatch.setattr("groundwire_training.command.read_rehearsal", lambda: few)
    command("mixed", "--rehearsal", "0.2", "--learning-rate", "1e-9")
    card = (tmp_path / "mixed" / "README.md").read_text(encoding="utf-8")
    assert "20% at most were of the mix that ships with Groundwire" in card
    assert "- shipped mix: from " in card


def test_a_model_that_does_not_answer_fails_the_label_check(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("early", "--learning-rate", "1e-9") == 1
    assert "Label check FAILED" in capsys.readouterr().out
    assert "Label check FAILED" in (tmp_path / "early" / "README.md").read_text(encoding="utf-8")


def test_a_run_goes_on_with_its_own_options_only(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    command("run")
    assert command("run", "--seed", "2") == 2
    assert "was begun with another seed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--base", "org/name"], "org/name is no folder"),
        (["--without", "nothing"], "nothing is none of gold, edit"),
        (["--data", "/nowhere"], "/nowhere cannot be read"),
    ],
)
def test_what_cannot_be_trained_is_refused(
    command: Command, capsys: pytest.CaptureFixture[str], flags: list[str], told: str
) -> None:
    assert command("refused", *flags) == 2
    assert told in capsys.readouterr().err
