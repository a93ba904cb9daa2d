"""What a run keeps in its folder, so that a kill at any time loses minutes at most.

The state is one file that is replaced as a whole; checkpoints and the adapter are folders that
appear finished.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import torch

STATE, CURVE, ADAPTER, CHECKPOINTS, PID, COMMIT = (
    "state.pt", "curve.jsonl", "adapter", "checkpoints", "pid", "commit",
)  # fmt: skip


class RunFolder:
    """A run's folder, made if need be."""

    def __init__(self, path: Path, made_by: str) -> None:
        """Record which process runs here, and what it was `made_by`: a commit, or a version."""
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        (path / PID).write_text(f"{os.getpid()}\n", encoding="ascii")
        with (path / COMMIT).open("a", encoding="ascii") as file:
            file.write(f"{made_by}\n")

    def load(self) -> dict[str, object] | None:
        """The state that an earlier process left; None where there is none."""
        saved = self.path / STATE
        if not saved.exists():
            return None
        state: dict[str, object] = torch.load(saved, weights_only=True)
        return state

    def save(self, state: dict[str, object]) -> None:
        """Replace the state; a kill leaves the old or the new one."""
        partial = self.path / f"{STATE}.part"
        with partial.open("wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self.path / STATE)

    def write(self, name: str, fill: Callable[[Path], None]) -> None:
        """A folder of this name that `fill` has filled; one that was there is replaced."""
        target, partial = self.path / name, self.path / f"{name}.part"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        fill(partial)
        shutil.rmtree(target, ignore_errors=True)
        partial.rename(target)
