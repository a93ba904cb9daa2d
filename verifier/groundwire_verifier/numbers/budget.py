"""The information budget: what a claim's confidence asks of its evidence, and what it got.

Every function takes numbers or arrays that broadcast, float64, and gives arrays of the same shape.
Probabilities are in [0, 1] and clipped to [CLIP, 1 - CLIP], so 0 and 1 are exact limits, not
infinities. Names end in their unit.

For a claim stated with confidence t, with p1 the probability given the evidence and p0 without:

    required = KL(Ber(t) || Ber(p0))     observed = KL(Ber(p1) || Ber(p0))
    gap = required - observed = h(p1) - h(t) + (p1 - t) logit(p0)     (h: binary entropy, in nats)

The divergence is that of Kullback and Leibler, "On Information and Sufficiency", 1951.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CLIP = 1e-12
NATS_PER_BIT = float(np.log(2.0))

Array = npt.NDArray[np.float64]
Probabilities = npt.ArrayLike


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget of some claims; all arrays have the shape of the inputs.

    What is required and what is observed, in whichever direction, are at least 0. The gap is
    negative where the evidence gave more than was asked. `required_exceeds_observed` is where the
    bare rule flags a claim.
    """

    required_nats: Array
    observed_nats: Array
    gap_nats: Array
    required_bits: Array
    observed_bits: Array
    gap_bits: Array
    required_exceeds_observed: npt.NDArray[np.bool_]


def budget(p1: Probabilities, p0: Probabilities, confidence: Probabilities) -> Budget:
    """The budget of claims with these probabilities and confidences.

    Raises ValueError if a value is outside [0, 1] or not a number.
    """
    posterior, prior, stated = (_clipped(values) for values in (p1, p0, confidence))
    return _budget(posterior, prior, stated)


def gap_range_bits(
    p1_low: Probabilities,
    p1_high: Probabilities,
    p0_low: Probabilities,
    p0_high: Probabilities,
    confidence: Probabilities,
) -> tuple[Array, Array]:
    """The smallest and the largest gap, in bits, over p1 and p0 in these closed ranges.

    For a fixed p0 the gap falls as p1 leaves p0, and along p1 = p0 it is convex, so its minimum is
    at a corner and its maximum at a corner or at an end of the part of p1 = p0 inside the box.

    Raises ValueError if a value is outside [0, 1] or a range is empty.
    """
    a, b, c, d, t = (_clipped(v) for v in (p1_low, p1_high, p0_low, p0_high, confidence))
    if np.any(a > b) or np.any(c > d):
        raise ValueError("a range's low end must not be above its high end")
    corners = [_gap_bits(p1, p0, t) for p1 in (a, b) for p0 in (c, d)]
    # Where the diagonal misses the box, the ends are moved onto a corner that counts anyway.
    low, high = np.maximum(a, c), np.minimum(b, d)
    meets = low <= high
    diagonal = [np.where(meets, _gap_bits(end, end, t), corners[0]) for end in (low, high)]
    return np.minimum.reduce(corners), np.maximum.reduce([*corners, *diagonal])


def _gap_bits(p1: Array, p0: Array, confidence: Array) -> Array:
    return _budget(p1, p0, confidence).gap_bits


def _budget(p1: Array, p0: Array, confidence: Array) -> Budget:
    """The budget for probabilities that are clipped already."""
    required_nats, observed_nats = _kl_nats(confidence, p0), _kl_nats(p1, p0)
    required_bits, observed_bits = required_nats / NATS_PER_BIT, observed_nats / NATS_PER_BIT
    return Budget(
        required_nats=required_nats,
        observed_nats=observed_nats,
        gap_nats=required_nats - observed_nats,
        required_bits=required_bits,
        observed_bits=observed_bits,
        gap_bits=required_bits - observed_bits,
        required_exceeds_observed=np.asarray(required_nats > observed_nats),
    )


def _kl_nats(p: Array, q: Array) -> Array:
    """KL(Ber(p) || Ber(q)) for probabilities that are clipped already."""
    nats = p * np.log(p / q) + (1.0 - p) * np.log((1.0 - p) / (1.0 - q))
    # Rounding can leave a tiny negative number near p = q.
    return np.asarray(np.maximum(nats, 0.0))


def _clipped(values: Probabilities) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if not np.all((array >= 0.0) & (array <= 1.0)):
        raise ValueError("a probability or confidence is outside [0, 1]")
    return np.clip(array, CLIP, 1.0 - CLIP)
