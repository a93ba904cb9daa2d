"""How well an adapter answers the recipe's questions, and what it loses against another."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench.tools.labelled import MEAN_SETS
from groundwire_training.learning.packing import LABELS
from groundwire_verifier.domain.types import Label
from groundwire_verifier.numbers import metrics
from groundwire_verifier.numbers.metrics import Bools, Figure, Floats, auroc

GOLD = "gold"
RESAMPLES, SEED = 1000, 6


@dataclass(frozen=True, slots=True)
class Answers:
    """What an adapter said to each question, in their order.

    `nats` (questions, labels) is ln P of each of LABELS; all others are (questions,): `right` the
    index of the right label, `ingredients` and `sources` names, `contexts` a number for each
    context.
    """

    nats: Floats
    right: npt.NDArray[np.int64]
    ingredients: npt.NDArray[np.str_]
    sources: npt.NDArray[np.str_]
    contexts: npt.NDArray[np.int64]

    @property
    def correct(self) -> Bools:
        """Where the likeliest label is the right one."""
        return np.asarray(self.nats.argmax(axis=1) == self.right)

    @property
    def loss_nats(self) -> Floats:
        """Minus ln P of each question's right label, in nats."""
        return np.asarray(-self.nats[np.arange(len(self.right)), self.right])

    @property
    def families(self) -> npt.NDArray[np.str_]:
        """The ingredient that each question is of, or follows from."""
        return np.array([name.partition("-")[0] for name in self.ingredients.tolist()])

    def of(self, ingredient: str) -> Bools:
        """Where the ingredient, or what follows from it, is asked about."""
        return np.asarray(self.families == ingredient)

    def sets(self) -> list[str]:
        """The data sets of the gold rows, in their order."""
        return list(dict.fromkeys(self.sources[self.of(GOLD)].tolist()))


@dataclass(frozen=True, slots=True)
class Scores:
    """AUROC and rows of each set's gold rows, their mean over MEAN_SETS, and the mean loss in nats.

    `right` is the share that was answered right of each ingredient, `asked` their number.
    """

    auroc: Mapping[str, float]
    mean_auroc: float
    loss_nats: float
    right: Mapping[str, float]
    asked: Mapping[str, int]
    rows: Mapping[str, int]
    label_mass: float


@dataclass(frozen=True, slots=True)
class Lost:
    """What answers have less than others to the same questions, with 95 % intervals over contexts.

    Of the mean AUROC, and of the share right of each ingredient that is asked about and left out.
    `loss_nats` is what the gold rows cost more.
    """

    mean_auroc: Figure
    loss_nats: Figure
    right: Mapping[str, Figure]


def scores(answers: Answers) -> Scores:
    """The scores of these answers."""
    gold = answers.of(GOLD)
    yes, no = (np.exp(answers.nats[gold, LABELS.index(x)]) for x in (Label.YES, Label.NO))
    asked = {name: answers.of(name) for name in sorted(set(answers.families.tolist()))}
    return Scores(
        auroc={name: float(_auroc(answers, name)) for name in answers.sets()},
        mean_auroc=float(_mean_auroc(answers, None)),
        loss_nats=float(answers.loss_nats[gold].mean()),
        right={name: float(answers.correct[at].mean()) for name, at in asked.items()},
        asked={name: int(at.sum()) for name, at in asked.items()},
        rows={s: int((gold & (answers.sources == s)).sum()) for s in answers.sets()},
        label_mass=float((yes + no).mean()),
    )


def lost(answers: Answers, than: Answers, without: Collection[str]) -> Lost:
    """What `answers` have less than `than`, to the same questions on the same resamples.

    `without` names the ingredients that `answers` were not taught.
    """
    weights = metrics.cluster_weights(answers.contexts, RESAMPLES, SEED)
    of_mean = metrics.interval(
        _mean_auroc(than, None) - _mean_auroc(answers, None),
        _mean_auroc(than, weights) - _mean_auroc(answers, weights),
    )
    dearer = _mean(answers.loss_nats - than.loss_nats, answers.of(GOLD), weights)
    less = than.correct.astype(np.float64) - answers.correct
    own = {name: answers.of(name) for name in without}
    right = {name: _mean(less, at, weights) for name, at in own.items() if at.any()}
    return Lost(of_mean, dearer, right)


def _mean(values: Floats, at: Bools, weights: Floats) -> Figure:
    """The mean of the values that are `at` some places, and its interval."""
    return metrics.interval(metrics.mean(values[at]), metrics.mean(values[at], weights[:, at]))


def _auroc(answers: Answers, name: str, weights: Floats | None = None) -> Floats:
    at = answers.of(GOLD) & (answers.sources == name)
    log_odds = answers.nats[:, LABELS.index(Label.YES)] - answers.nats[:, LABELS.index(Label.NO)]
    supported = answers.right == LABELS.index(Label.YES)
    return auroc(log_odds[at], supported[at], None if weights is None else weights[:, at])


def _mean_auroc(answers: Answers, weights: Floats | None) -> Floats:
    return np.asarray(np.mean([_auroc(answers, name, weights) for name in MEAN_SETS], axis=0))
