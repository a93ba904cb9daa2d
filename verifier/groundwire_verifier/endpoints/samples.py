"""Sampled answers as a reading, for models that tell no log-probabilities."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from groundwire_verifier.domain.types import Bounds, Label, LabelNats
from groundwire_verifier.numbers.intervals import wilson

_FIRST_WORD = re.compile(r"[^\W\d_]+")


def label_of(answer: str) -> Label | None:
    """The label that an answer begins with, whatever its case and its marks; None for any other."""
    word = _FIRST_WORD.search(answer)
    found = word.group().upper() if word else ""
    return next((label for label in Label if label.value == found), None)


def count_labels(answers: Sequence[str]) -> tuple[LabelNats, Bounds]:
    """What these answers, at least one, say of the labels, and in which range the truth lies.

    The probability is the center of its Wilson interval of 95 %, so it is never 0 or 1. An answer
    that is no label takes part of the label mass.
    """
    counts = Counter(label_of(answer) for answer in answers)
    total, yes, no = len(answers), counts[Label.YES], counts[Label.NO]
    probability = wilson(yes, yes + no)
    mass = (yes + no) / total
    nats = LabelNats(
        _ln(mass * probability.center),
        _ln(mass * (1.0 - probability.center)),
        _ln(counts[Label.UNSURE] / total),
    )
    return nats, Bounds(probability, wilson(yes + no, total), samples=total)


def _ln(share: float) -> float:
    return math.log(share) if share > 0.0 else -math.inf
