"""`python -m training.train`: train the adapter of the embedded verifier.

Reads the shared data's train split, goes on where a killed run stopped, and writes the adapter
with its curve. It stops at a limit of minutes, or of tokens where runs are to be compared, which
the schedule of the learning rate follows.
Knows the loop. Does not know what examples are made of.
"""

import argparse
import contextlib
import ctypes
import json
import math
import sys
import time
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import torch

from bench.common import data_file
from training.embedded import base_model, prompts_of, say
from training.learner import Learner
from training.packing import Batch, Packed, batches, pack
from training.recipe import INGREDIENTS, Recipe, epoch
from training.rows import Row, read_rows

MAX_TOKENS, LEARNING_RATE, SEED = 2500, 5e-4, 1
GRADIENT_NORM = 1.0
WARM_UP_SHARE = 0.03
LOG_EVERY_S = 30.0
SAVE_EVERY_S = 300.0
# M_TRIM_THRESHOLD, M_MMAP_THRESHOLD and M_ARENA_MAX of glibc's malloc.h.
_MALLOC_OPTIONS = {-1: 2**31 - 1, -3: 32 << 20, -8: 1}
STATE, CURVE = "state.pt", "curve.jsonl"


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train.

    `minutes` is the length of the whole run, interruptions left out; `tokens`, where given, is its
    length instead. `without` names the ingredients that are left out. `start` is the folder of an
    adapter to go on from; None begins with a new one.
    """

    minutes: float
    tokens: int | None = None
    max_tokens: int = MAX_TOKENS
    learning_rate: float = LEARNING_RATE
    seed: int = SEED
    without: Collection[str] = ()
    start: Path | None = None


@dataclass(slots=True)
class Progress:
    """Where a run is: what a killed one goes on from."""

    epoch: int = 0
    batch: int = 0
    step: int = 0
    trained_s: float = 0.0
    tokens: int = 0
    questions: int = 0


def main() -> int:
    """Train until the limit."""
    keep_memory()
    arguments = _parser().parse_args()
    plan = Plan(
        arguments.minutes,
        arguments.tokens,
        arguments.max_tokens,
        arguments.learning_rate,
        arguments.seed,
        arguments.without,
        arguments.start,
    )
    folder: Path = arguments.out
    folder.mkdir(parents=True, exist_ok=True)
    run = Run(plan, folder)
    run.train()
    return 0


class Run:
    """One training run in its folder."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        """Load data, base model, and what an earlier run left."""
        self.plan, self.folder = plan, folder
        self.rows: list[Row] = read_rows(data_file("fm2.jsonl").parent, "train")
        self.recipe = Recipe().without(plan.without)
        base = base_model()
        self.encoder, forms = prompts_of(base)
        saved = folder / STATE
        torch.manual_seed(plan.seed)
        self.learner = Learner(base, forms, folder / "adapter" if saved.exists() else plan.start)
        self.progress = Progress()
        self.optimiser = torch.optim.AdamW(
            self.learner.parameters(), lr=plan.learning_rate, weight_decay=0.01
        )
        if saved.exists():
            state = torch.load(saved, weights_only=True)
            self.progress = Progress(**state["progress"])
            self.optimiser.load_state_dict(state["optimiser"])
            say(f"going on after {self.progress.step} steps")

    def train(self) -> None:
        """Train until the plan's length is reached, and save."""
        progress = self.progress
        began_s = logged_s = saved_s = time.monotonic()
        before_s = progress.trained_s
        losses: dict[str, list[float]] = defaultdict(list)
        for batch in self._batches():
            progress.trained_s = before_s + time.monotonic() - began_s
            share = self._share()
            if share >= 1.0:
                break
            self._step(batch, share, losses)
            now_s = time.monotonic()
            if now_s - logged_s > LOG_EVERY_S:
                logged_s = now_s
                self._log(share, losses)
                losses.clear()
            if now_s - saved_s > SAVE_EVERY_S:
                saved_s = now_s
                self._save()
        self._save()
        say(f"trained {progress.step} steps on {progress.tokens} tokens: {self.folder}/adapter")

    def _share(self) -> float:
        """How much of the plan's length is behind the run, from 0."""
        if self.plan.tokens is not None:
            return self.progress.tokens / self.plan.tokens
        return self.progress.trained_s / (self.plan.minutes * 60)

    def _step(self, batch: Batch, share: float, losses: dict[str, list[float]]) -> None:
        rate = self.plan.learning_rate * _schedule(share)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        loss, each = self.learner.loss(batch)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.learner.parameters(), GRADIENT_NORM)
        self.optimiser.step()
        self.progress.step += 1
        self.progress.batch += 1
        self.progress.tokens += batch.tokens
        self.progress.questions += len(batch.answers)
        for name, value in zip(batch.ingredients, each.tolist(), strict=True):
            losses[name].append(value)

    def _batches(self) -> Iterator[Batch]:
        progress = self.progress
        while True:
            made = batches(self._packed(progress.epoch), self.plan.max_tokens)
            yield from islice(made, progress.batch, None)
            progress.epoch, progress.batch = progress.epoch + 1, 0

    def _packed(self, number: int) -> list[Packed]:
        trees = epoch(self.rows, self.recipe, self.plan.seed * 1000 + number)
        packed = [pack(tree, self.encoder) for tree in trees]
        return [tree for tree in packed if tree is not None]

    def _log(self, share: float, losses: dict[str, list[float]]) -> None:
        means = {name: round(sum(v) / len(v), 4) for name, v in sorted(losses.items())}
        entry = {**asdict(self.progress), "share": round(share, 4), "loss_nats": means}
        with (self.folder / CURVE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        say(f"{share:.0%} step {self.progress.step} tokens {self.progress.tokens}: {means}")

    def _save(self) -> None:
        self.learner.save(self.folder / "adapter")
        state = {"progress": asdict(self.progress), "optimiser": self.optimiser.state_dict()}
        partial = self.folder / f"{STATE}.part"
        torch.save(state, partial)
        partial.replace(self.folder / STATE)


def keep_memory() -> None:
    """Have glibc keep what is freed: the page faults of large buffers cost a CPU a fifth.

    In one arena, and the largest buffers apart, or its gaps would take many times the memory.
    """
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL("libc.so.6")
        for option, value in _MALLOC_OPTIONS.items():
            libc.mallopt(option, value)


def _schedule(share: float) -> float:
    """The learning rate's share: a linear warm-up, then a cosine down to a twentieth."""
    if share < WARM_UP_SHARE:
        return max(share / WARM_UP_SHARE, 0.05)
    return 0.05 + 0.95 * 0.5 * (1.0 + math.cos(math.pi * share))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training.train", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the run's folder")
    parser.add_argument("--minutes", type=float, default=110.0, help="length of the whole run")
    parser.add_argument("--tokens", type=int, help="length in tokens, instead")
    parser.add_argument("--max-tokens", type=int, default=MAX_TOKENS, help="tokens of a batch")
    parser.add_argument("--learning-rate", type=float, default=LEARNING_RATE)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--start", type=Path, metavar="DIR", help="an adapter to go on from")
    parser.add_argument(
        "--without", nargs="+", choices=INGREDIENTS, default=(), help="ingredients to leave out"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
