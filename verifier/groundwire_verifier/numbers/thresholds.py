"""What a bar on a score would do, at every place where it could lie."""

from dataclasses import dataclass

import numpy as np

from groundwire_verifier.numbers.metrics import Bools, Floats


@dataclass(frozen=True, slots=True)
class Bars:
    """The bars from the highest score to the lowest, one for each distinct score.

    A row at or above a bar is accepted. All arrays have the shape (bars,); the shares are in
    [0, 1], and NaN where there is no row of the label.
    """

    at: Floats
    recall: Floats
    """The share of the supported rows that are accepted."""
    false_accepted: Floats
    """The share of the unsupported rows that are accepted."""
    precision: Floats
    """The share of the accepted rows that are supported."""


def bars(scores: Floats, labels: Bools) -> Bars:
    """Every bar on these scores, shape (rows,); labels are true where a row is supported."""
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last_of_level = np.append(np.diff(ordered) != 0, True)
    supported = np.cumsum(labels[order])[last_of_level]
    unsupported = np.cumsum(~labels[order])[last_of_level]
    with np.errstate(invalid="ignore"):
        return Bars(
            at=ordered[last_of_level],
            recall=supported / labels.sum(),
            false_accepted=unsupported / (~labels).sum(),
            precision=supported / (supported + unsupported),
        )
