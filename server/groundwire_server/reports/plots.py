"""Dots of a reliability plot: what was said against what was true, a dot a bin."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from groundwire_verifier.numbers.metrics import Bin

SIZE = 300
"""Width and height of a plot's square, in pixels."""
_LARGEST_DOT, _SMALLEST_DOT = 12.0, 2.0


@dataclass(frozen=True, slots=True)
class Dot:
    """A dot of a plot, in pixels, and what it says."""

    x: float
    y: float
    radius: float
    text: str


def bin_dots(bins: Sequence[Bin], text_of: Callable[[Bin], str]) -> tuple[Dot, ...]:
    """A dot for each bin, the larger the more rows it has."""
    most = max(each.rows for each in bins)
    return tuple(
        Dot(
            round(each.mean_probability * SIZE, 1),
            round((1 - each.share_supported) * SIZE, 1),
            round(_SMALLEST_DOT + _LARGEST_DOT * (each.rows / most) ** 0.5, 1),
            text_of(each),
        )
        for each in bins
    )
