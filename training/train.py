"""`python -m training.train`: train the adapter of the embedded verifier.

Reads the shared data's train split, goes on where a killed run stopped, and writes the adapter
with its curve, checkpoints and their dev scores. It stops at a limit of minutes, or of tokens,
which the schedule of the learning rate follows. SIGSTOP and SIGCONT pause it; SIGTERM has it save
and end.
Knows the loop. Does not know what examples are made of.
"""

import argparse
import contextlib
import ctypes
import json
import math
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from bench.tools.common import data_file
from training.clock import RunClock
from training.data.mix import round_rows
from training.data.rows import Row, read_rows
from training.embedded import base_model, prompts_of, say
from training.examples.recipe import EXCHANGES, INGREDIENTS, Recipe, epoch
from training.export import export
from training.learning.learner import Learner
from training.learning.packing import Batch, Packed, batches, pack
from training.learning.progress import Dev
from training.run_folder import ADAPTER, CHECKPOINTS, CURVE, RunFolder

MAX_TOKENS, LEARNING_RATE, SEED = 2500, 5e-4, 1
GRADIENT_NORM = 1.0
WARM_UP_SHARE = 0.02
LOG_EVERY_S = 30.0
SAVE_EVERY_S = 300.0
# M_TRIM_THRESHOLD, M_MMAP_THRESHOLD and M_ARENA_MAX of glibc's malloc.h.
_MALLOC_OPTIONS = {-1: 2**31 - 1, -3: 32 << 20, -8: 1}


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train.

    `minutes` is the length of the whole run, interruptions left out; `tokens`, where given, is its
    length instead. `without` names the ingredients that are left out. `start` is the folder of an
    adapter to go on from; None begins with a new one. `rank` widens it. The learning rate is held
    until `decay_share` of the length is left, and then falls to 0 by a cosine: so a run can be
    made longer or shorter until then. `score_every_tokens` is how often the adapter is kept and
    asked dev rows; None for never. `compiled` takes a minute more and makes each step cheaper.
    `exchanges` are those to assess for each context of the rows. The first `frozen_layers` do not
    learn.
    """

    minutes: float
    tokens: int | None = None
    max_tokens: int = MAX_TOKENS
    learning_rate: float = LEARNING_RATE
    seed: int = SEED
    without: Collection[str] = ()
    start: Path | None = None
    rank: int | None = None
    decay_share: float = 1.0
    score_every_tokens: int | None = None
    compiled: bool = False
    exchanges: float = EXCHANGES
    frozen_layers: int = 0


@dataclass(slots=True)
class Progress:
    """Where a run is: what a killed one goes on from."""

    round: int = 0
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
        arguments.rank,
        arguments.decay_share,
        arguments.score_every,
        arguments.compile,
        arguments.exchanges,
        arguments.frozen_layers,
    )
    Run(plan, arguments.out).train()
    return 0


class Run:
    """One training run in its folder."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        """Load data, base model, and what an earlier run left."""
        self.plan, self.folder = plan, RunFolder(folder)
        shared = data_file("fm2.jsonl").parent
        self.rows: list[Row] = read_rows(shared, "train")
        self.recipe = Recipe(exchanges=plan.exchanges).without(plan.without)
        base = base_model()
        self.encoder, forms = prompts_of(base)
        torch.manual_seed(plan.seed)
        self.learner = Learner(base, forms, plan.start, plan.rank, plan.frozen_layers)
        if plan.compiled:
            self.learner.compile()
        self.progress = Progress()
        self.optimiser = torch.optim.AdamW(
            self.learner.parameters(), lr=plan.learning_rate, weight_decay=0.01, fused=True
        )
        self.dev = Dev(read_rows(shared, "dev"), self.encoder, folder)
        state = self.folder.load()
        if state is not None:
            self._restore(state)
            say(f"going on after {self.progress.step} steps")

    def train(self) -> bool:
        """Train until the plan's length is reached or the process is asked to end, and save.

        Whether the length was reached.
        """
        with RunClock() as clock:
            self._score(clock)
            clock.lap_s()
            self._go_through(self._batches(), clock)
            self._save()
            self._write_adapter(ADAPTER)
            if not clock.ended:
                self._score(clock, last=True)
        progress = self.progress
        say(f"trained {progress.step} steps on {progress.tokens} tokens: {self.folder.path}")
        return self._share() >= 1.0

    def _go_through(self, made: Iterator[Batch], clock: RunClock) -> None:
        progress = self.progress
        logged_s = saved_s = progress.trained_s
        losses: dict[str, list[float]] = defaultdict(list)
        for batch in made:
            share = self._share()
            if share >= 1.0 or clock.ended:
                return
            self._step(batch, share, losses)
            progress.trained_s += clock.lap_s()
            if progress.trained_s - logged_s > LOG_EVERY_S:
                logged_s = progress.trained_s
                self._log(share, losses)
                losses.clear()
                return_gaps()
            if progress.trained_s - saved_s > SAVE_EVERY_S:
                saved_s = progress.trained_s
                self._save()
            if self._is_due():
                self._save()
                self._score(clock)
                clock.lap_s()

    def _share(self) -> float:
        """How much of the plan's length is behind the run, from 0."""
        if self.plan.tokens is not None:
            return self.progress.tokens / self.plan.tokens
        return self.progress.trained_s / (self.plan.minutes * 60)

    def _is_due(self) -> bool:
        every, scored = self.plan.score_every_tokens, self.dev.tokens_scored()
        if every is None:
            return False
        return scored is None or self.progress.tokens // every > scored // every

    def _score(self, clock: RunClock, *, last: bool = False) -> None:
        """Keep the adapter and ask it the dev rows, if that is due."""
        tokens = self.progress.tokens
        is_new = last and self.dev.tokens_scored() != tokens
        if self.plan.score_every_tokens is None or not (is_new or self._is_due()):
            return
        self._write_adapter(f"{CHECKPOINTS}/{tokens:09d}")
        say(f"dev rows after {tokens} tokens")
        found = self.dev.score(self.learner, tokens, self.progress.trained_s, lambda: clock.ended)
        if found is not None:
            say(f"dev rows: {json.dumps(found)}")

    def _write_adapter(self, name: str) -> None:
        """As the product has it, in bfloat16."""

        def fill(folder: Path) -> None:
            self.learner.save(folder)
            export(folder, folder)

        self.folder.write(name, fill)

    def _step(self, batch: Batch, share: float, losses: dict[str, list[float]]) -> None:
        rate = self.plan.learning_rate * schedule(share, self.plan.decay_share)
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
            made = batches(self._packed(progress.round), self.plan.max_tokens)
            yield from islice(made, progress.batch, None)
            progress.round, progress.batch = progress.round + 1, 0

    def _packed(self, number: int) -> Iterator[Packed]:
        seed = self.plan.seed
        trees = epoch(round_rows(self.rows, number, seed), self.recipe, seed * 1000 + number)
        for tree in trees:
            packed = pack(tree, self.encoder)
            if packed is not None:
                yield packed

    def _log(self, share: float, losses: dict[str, list[float]]) -> None:
        means = {name: round(sum(v) / len(v), 4) for name, v in sorted(losses.items())}
        entry = {**asdict(self.progress), "share": round(share, 4), "loss_nats": means}
        with (self.folder.path / CURVE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        say(f"{share:.0%} step {self.progress.step} tokens {self.progress.tokens}: {means}")

    def _save(self) -> None:
        self.folder.save(
            {
                "progress": asdict(self.progress),
                "optimiser": self.optimiser.state_dict(),
                "weights": self.learner.weights(),
            }
        )

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.progress = Progress(**state["progress"])
        self.optimiser.load_state_dict(state["optimiser"])
        for name, weight in self.learner.weights().items():
            weight.copy_(state["weights"][name])


def keep_memory() -> None:
    """Have glibc keep what is freed: the page faults of large buffers cost a CPU a fifth.

    In one arena, and the largest buffers apart, or its gaps would take many times the memory.
    """
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL("libc.so.6")
        for option, value in _MALLOC_OPTIONS.items():
            libc.mallopt(option, value)


def return_gaps() -> None:
    """Give the pages back that lie free between kept ones: over hours they become gigabytes."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def schedule(share: float, decay_share: float) -> float:
    """The learning rate's share: a linear warm-up, then 1, then a cosine down to 0."""
    if share < WARM_UP_SHARE:
        return max(share / WARM_UP_SHARE, 0.05)
    left = min(1.0, (1.0 - share) / decay_share)
    return 0.5 * (1.0 - math.cos(math.pi * left))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training.train", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the run's folder")
    parser.add_argument("--minutes", type=float, default=110.0, help="length of the whole run")
    parser.add_argument("--tokens", type=int, help="length in tokens, instead")
    parser.add_argument("--max-tokens", type=int, default=MAX_TOKENS, help="tokens of a batch")
    parser.add_argument("--learning-rate", type=float, default=LEARNING_RATE)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--start", type=Path, metavar="DIR", help="an adapter to go on from")
    parser.add_argument("--rank", type=int, help="of the adapter; the one to go on from is widened")
    parser.add_argument(
        "--decay-share", type=float, default=1.0, help="the last part, where the rate falls to 0"
    )
    parser.add_argument(
        "--score-every", type=int, metavar="TOKENS", help="keep and score the adapter so often"
    )
    parser.add_argument("--compile", action="store_true", help="for a run of more than minutes")
    parser.add_argument(
        "--exchanges", type=float, default=EXCHANGES, help="for each context of the rows"
    )
    parser.add_argument(
        "--frozen-layers", type=int, default=0, metavar="N", help="so many first ones do not learn"
    )
    parser.add_argument(
        "--without", nargs="+", choices=INGREDIENTS, default=(), help="ingredients to leave out"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
