"""Readings as estimates: P(YES), label mass, and whether there is a probability at all.

Knows the floor of the label mass and calibrations. Does not know where a reading comes from.
"""

from collections.abc import Sequence

import numpy as np

from groundwire_verifier.domain.labels import probability_and_mass
from groundwire_verifier.domain.types import Estimate, NoProbabilityReason, Reading
from groundwire_verifier.numbers.calibration import Calibration


def estimates_of(
    readings: Sequence[Reading], label_mass_floor: float, calibration: Calibration | None
) -> list[Estimate]:
    """What readings say, one estimate each: no probability below the floor of the label mass."""
    label_nats = np.array([(r.yes_nats, r.no_nats) for r in readings], dtype=np.float64)
    raw, masses = probability_and_mass(label_nats)
    probabilities = raw if calibration is None else calibration.curve.apply(raw)
    estimates = []
    for i, (reading, mass) in enumerate(zip(readings, masses, strict=True)):
        # A NaN probability comes with a mass of 0; "not >=" holds for it at a floor of 0 too.
        answered = bool(mass >= label_mass_floor) and not np.isnan(raw[i])
        estimates.append(
            Estimate(
                probability=float(probabilities[i]) if answered else None,
                raw_probability=float(raw[i]) if answered else None,
                calibrated=answered and calibration is not None,
                label_mass=float(mass),
                yes_nats=reading.yes_nats,
                no_nats=reading.no_nats,
                source=reading.source,
                reason=None if answered else NoProbabilityReason.LABEL_MASS_BELOW_FLOOR,
                chunk=reading.chunk,
            )
        )
    return estimates
