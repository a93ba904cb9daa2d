"""Every bar on a score, and what it would do."""

import numpy as np
import pytest

from groundwire_verifier.numbers.thresholds import bars


def test_rows_of_one_score_come_in_together() -> None:
    found = bars(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]))
    assert found.at.tolist() == [0.9, 0.5, 0.1]
    assert found.recall.tolist() == [0.5, 1.0, 1.0]
    assert found.false_accepted.tolist() == [0.0, 0.5, 1.0]
    assert found.precision.tolist() == pytest.approx([1.0, 2 / 3, 0.5])


def test_a_share_of_no_rows_is_no_number() -> None:
    found = bars(np.array([0.9, 0.1]), np.array([True, True]))
    assert np.isnan(found.false_accepted).all()
