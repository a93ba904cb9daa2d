"""The loop: an adapter learns from rows until a limit, and goes on where a killed run stopped.

It stops at a limit of minutes, or of tokens, which the schedule of the learning rate follows.
SIGSTOP and SIGCONT pause it; SIGTERM has it save and end.
"""

import json
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import torch

from groundwire_training.clock import RunClock
from groundwire_training.data.mix import ROUNDS, round_rows
from groundwire_training.data.rows import Row
from groundwire_training.examples.recipe import EXCHANGES, Recipe, epoch
from groundwire_training.learning.adapter import write_exported
from groundwire_training.learning.learner import Learner
from groundwire_training.learning.packing import (
    MAX_CONTEXT_TOKENS,
    Batch,
    Packed,
    batches,
    pack,
)
from groundwire_training.memory import return_gaps
from groundwire_training.run_folder import ADAPTER, CHECKPOINTS, CURVE, RunFolder
from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.types import LabelForm

MAX_TOKENS, LEARNING_RATE, SEED = 2500, 5e-4, 1
GRADIENT_NORM = 1.0
WARM_UP_SHARE = 0.02
LOG_EVERY_S = 30.0
SAVE_EVERY_S = 600.0

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train.

    `minutes` is the length of the whole run, interruptions left out; `tokens`, where given, is its
    length instead. `without` names the ingredients that are left out. `start` is the folder of an
    adapter to go on from; None begins with a new one. `rank` widens it. The learning rate is held
    until `decay_share` of the length is left, and then falls to 0 by a cosine: so a run can be
    made longer or shorter until then. `score_every_tokens` is how often the adapter is kept and
    scored; None for never. `compiled` takes a minute more and makes each step cheaper.
    `exchanges` are those to assess for each context of the rows. The first `frozen_layers` do not
    learn. `checkpointing` computes each layer twice, and keeps the memory of one instead of all.
    Contexts of more than `max_context_tokens` are not learnt from.
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
    checkpointing: bool = False
    max_context_tokens: int = MAX_CONTEXT_TOKENS


class Scorer(Protocol):
    """What checkpoints are scored by while the run goes on."""

    def tokens_scored(self) -> int | None:
        """The tokens that the last scored adapter had learnt from; None before the first."""

    def score(
        self, learner: Learner, tokens: int, trained_s: float, ended: Callable[[], bool]
    ) -> Mapping[str, object] | None:
        """Score and write it down; None if `ended` while reading."""


@dataclass(frozen=True, slots=True)
class Material:
    """What is learnt, and by which model.

    `base` is a folder or a hub name, and `base_name` what the adapter names as its base. `passes`
    says how often each source of the rows is learnt while the mix is gone through once; those that
    it does not name, once. `scorer` is asked where the plan says how often.
    """

    rows: Sequence[Row]
    base: str
    base_name: str
    encoder: PromptEncoder
    forms: Sequence[LabelForm]
    passes: Mapping[str, float] = field(default_factory=dict)
    scorer: Scorer | None = None


@dataclass(slots=True)
class Progress:
    """Where a run is: what a killed one goes on from."""

    round: int = 0
    batch: int = 0
    step: int = 0
    trained_s: float = 0.0
    tokens: int = 0
    questions: int = 0


class Run:
    """One training run in its folder."""

    def __init__(self, plan: Plan, folder: RunFolder, material: Material, say: Say) -> None:
        """Load the base model, and what an earlier run left. Raises UnusableModelError."""
        self.plan, self.folder, self.material, self.say = plan, folder, material, say
        torch.manual_seed(plan.seed)
        self.learner = Learner(
            material.base,
            material.forms,
            plan.start,
            plan.rank,
            plan.frozen_layers,
        )
        if plan.compiled:
            self.learner.compile()
        self.progress = Progress()
        self.optimiser = torch.optim.AdamW(
            self.learner.parameters(), lr=plan.learning_rate, weight_decay=0.01, fused=True
        )
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
            if not clock.ended:
                self._score(clock, last=True)
        progress = self.progress
        self.say(f"trained {progress.step} steps on {progress.tokens} tokens: {self.folder.path}")
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
        every, scorer = self.plan.score_every_tokens, self.material.scorer
        if every is None or scorer is None:
            return False
        scored = scorer.tokens_scored()
        return scored is None or self.progress.tokens // every > scored // every

    def _score(self, clock: RunClock, *, last: bool = False) -> None:
        """Keep the adapter and have it scored, if that is due."""
        tokens, scorer = self.progress.tokens, self.material.scorer
        if self.plan.score_every_tokens is None or scorer is None:
            return
        is_new = last and scorer.tokens_scored() != tokens
        if not (is_new or self._is_due()):
            return
        self._write_adapter(f"{CHECKPOINTS}/{tokens:09d}")
        self.say(f"dev rows after {tokens} tokens")
        found = scorer.score(self.learner, tokens, self.progress.trained_s, lambda: clock.ended)
        if found is not None:
            self.say(f"dev rows: {json.dumps(found)}")

    def _write_adapter(self, name: str) -> None:
        """As the product has it, in bfloat16."""

        def fill(folder: Path) -> None:
            self.learner.save(folder)
            write_exported(folder, folder, self.material.base_name)

        self.folder.write(name, fill)

    def _step(self, batch: Batch, share: float, losses: dict[str, list[float]]) -> None:
        rate = self.plan.learning_rate * schedule(share, self.plan.decay_share)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        # A tree that is a batch of its own may be larger: it takes no more memory than the others.
        checkpointing = self.plan.checkpointing or batch.tokens > self.plan.max_tokens
        loss, each = self.learner.loss(batch, checkpointing=checkpointing)
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
        progress, empty = self.progress, 0
        # Of few rows a round may have none.
        while empty < ROUNDS:
            made = batches(
                packed_round(self.plan, self.material, progress.round), self.plan.max_tokens
            )
            yield from islice(made, progress.batch, None)
            empty = 0 if progress.batch else empty + 1
            progress.round, progress.batch = progress.round + 1, 0
        raise ValueError("the rows give nothing to learn")

    def _log(self, share: float, losses: dict[str, list[float]]) -> None:
        means = {name: round(sum(v) / len(v), 4) for name, v in sorted(losses.items())}
        entry = {**asdict(self.progress), "share": round(share, 4), "loss_nats": means}
        with (self.folder.path / CURVE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        self.say(f"{share:.0%} step {self.progress.step} tokens {self.progress.tokens}: {means}")

    def _save(self) -> None:
        """Keep the state and the adapter: what was reached can be used while the run goes on."""
        self._write_adapter(ADAPTER)
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


def packed_round(plan: Plan, material: Material, number: int) -> Iterator[Packed]:
    """The trees of one round of a run, counted from 0, as tokens; the same for the same plan."""
    recipe = Recipe(exchanges=plan.exchanges).without(plan.without)
    rows = round_rows(material.rows, number, plan.seed, material.passes)
    for tree in epoch(rows, recipe, plan.seed * 1000 + number):
        packed = pack(tree, material.encoder, plan.max_context_tokens)
        if packed is not None:
            yield packed


def schedule(share: float, decay_share: float) -> float:
    """The learning rate's share: a linear warm-up, then 1, then a cosine down to 0."""
    if share < WARM_UP_SHARE:
        return max(share / WARM_UP_SHARE, 0.05)
    left = min(1.0, (1.0 - share) / decay_share)
    return 0.5 * (1.0 - math.cos(math.pi * left))
