"""How well an adapter answers the recipe's questions."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench.tools.labelled import MEAN_SETS
from groundwire_training.learning.packing import LABELS
from groundwire_verifier.domain.types import Label
from groundwire_verifier.numbers.metrics import Bools, Floats, auroc

GOLD = "gold"


@dataclass(frozen=True, slots=True)
class Answers:
    """What an adapter said to each question, in their order.

    `nats` (questions, labels) is ln P of each of LABELS; all others are (questions,): `right` the
    index of the right label, `ingredients` and `sources` names.
    """

    nats: Floats
    right: npt.NDArray[np.int64]
    ingredients: npt.NDArray[np.str_]
    sources: npt.NDArray[np.str_]

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


def scores(answers: Answers) -> Scores:
    """The scores of these answers."""
    gold = answers.of(GOLD)
    yes, no = (np.exp(answers.nats[gold, LABELS.index(x)]) for x in (Label.YES, Label.NO))
    asked = {name: answers.of(name) for name in sorted(set(answers.families.tolist()))}
    return Scores(
        auroc={name: _auroc(answers, name) for name in answers.sets()},
        mean_auroc=float(np.mean([_auroc(answers, name) for name in MEAN_SETS])),
        loss_nats=float(answers.loss_nats[gold].mean()),
        right={name: float(answers.correct[at].mean()) for name, at in asked.items()},
        asked={name: int(at.sum()) for name, at in asked.items()},
        rows={s: int((gold & (answers.sources == s)).sum()) for s in answers.sets()},
        label_mass=float((yes + no).mean()),
    )


def _auroc(answers: Answers, name: str) -> float:
    at = answers.of(GOLD) & (answers.sources == name)
    log_odds = answers.nats[:, LABELS.index(Label.YES)] - answers.nats[:, LABELS.index(Label.NO)]
    supported = answers.right == LABELS.index(Label.YES)
    return float(auroc(log_odds[at], supported[at]))
