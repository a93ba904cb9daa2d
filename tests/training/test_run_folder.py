"""A run's folder: what is there is whole, whenever the process is killed."""

import os
from pathlib import Path

import pytest
import torch

from groundwire_training.run_folder import COMMIT, PID, STATE, RunFolder


def test_it_says_which_process_runs_there_and_what_made_it(tmp_path: Path) -> None:
    RunFolder(tmp_path / "run", "abc")
    assert (tmp_path / "run" / PID).read_text() == f"{os.getpid()}\n"
    assert (tmp_path / "run" / COMMIT).read_text() == "abc\n"


def test_a_state_comes_back_as_it_was(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, "abc")
    assert folder.load() is None
    folder.save({"progress": {"step": 3}, "weights": {"a": torch.ones(2)}})
    state = RunFolder(tmp_path, "abc").load()
    assert state is not None
    assert state["progress"] == {"step": 3}


def test_a_kill_while_saving_leaves_the_state_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = RunFolder(tmp_path, "abc")
    folder.save({"step": 1})

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("groundwire_training.run_folder.os.fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        folder.save({"step": 2})
    assert folder.load() == {"step": 1}
    assert (tmp_path / STATE).exists()


def test_a_kill_while_writing_a_folder_leaves_none_that_is_unfinished(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, "abc")

    def killed(path: Path) -> None:
        (path / "half").touch()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        folder.write("checkpoints/1", killed)
    assert not (tmp_path / "checkpoints" / "1").exists()
    folder.write("checkpoints/1", lambda path: (path / "whole").touch())
    assert [p.name for p in (tmp_path / "checkpoints" / "1").iterdir()] == ["whole"]
