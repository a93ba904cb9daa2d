"""Readings as estimates: P(YES), label mass, and whether there is a probability at all."""

from collections.abc import Sequence

import numpy as np

from groundwire_verifier.domain.labels import probability_and_mass
from groundwire_verifier.domain.types import Estimate, NoProbabilityReason, Reading
from groundwire_verifier.numbers.calibration import Calibration
from groundwire_verifier.numbers.intervals import Interval

LABEL_MASS_FLOOR = 0.05
"""Label mass, in [0, 1], below which a server's estimates have no probability."""


def estimates_of(
    readings: Sequence[Reading],
    label_mass_floor: float,
    calibration: Calibration | None,
) -> list[Estimate]:
    """What readings say, one estimate each: no probability below the floor of the label mass."""
    label_nats = np.array([(r.yes_nats, r.no_nats) for r in readings], dtype=np.float64)
    raw, masses = probability_and_mass(label_nats)
    probabilities = raw if calibration is None else calibration.curve.apply(raw)
    estimates = []
    for i, (reading, read_mass) in enumerate(zip(readings, masses, strict=True)):
        bounds = reading.bounds
        # What cannot be told is not taken for an answer: only the least mass counts.
        mass = read_mass if bounds is None else bounds.label_mass.low
        reason = reading.reason
        # A NaN probability comes with a mass of 0; "not >=" holds for it at a floor of 0 too.
        if reason is None and not (mass >= label_mass_floor and not np.isnan(raw[i])):
            reason = NoProbabilityReason.LABEL_MASS_BELOW_FLOOR
        answered = reason is None
        sampled = bounds is not None and bounds.samples > 0
        estimates.append(
            Estimate(
                probability=float(probabilities[i]) if answered else None,
                raw_probability=float(raw[i]) if answered else None,
                calibrated=answered and calibration is not None,
                label_mass=float(mass),
                yes_nats=None if sampled else reading.yes_nats,
                no_nats=None if sampled else reading.no_nats,
                source=reading.source,
                reason=reason,
                chunk=reading.chunk,
                interval=_calibrated(bounds.probability, calibration)
                if answered and bounds is not None
                else None,
                max_label_mass=None if bounds is None else bounds.label_mass.high,
                samples=0 if bounds is None else bounds.samples,
            )
        )
    return estimates


def _calibrated(interval: Interval, calibration: Calibration | None) -> Interval:
    """A curve never falls, so ends are mapped to ends."""
    if calibration is None:
        return interval
    low, high = calibration.curve.apply(np.array([interval.low, interval.high]))
    return Interval(float(low), float(high))
