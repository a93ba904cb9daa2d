"""When a verifier that has learnt more is refused, and what is rehearsed meanwhile."""

from pathlib import Path

import numpy as np
import pytest

from groundwire_server.models.fitting import ReadRows
from groundwire_training.data.rehearsal import (
    MOST_PASSES,
    SOURCE,
    read_rehearsal,
    rehearsal_passes,
)
from groundwire_training.data.rows import Row
from groundwire_training.gate import MOST_FORGOTTEN, refusal
from groundwire_training.measuring import Change, Measured, change
from groundwire_verifier.numbers.metrics import Figure, Floats
from groundwire_verifier.numbers.operating_point import LabelledReadings

LABELS = np.tile([True, False], 100)
CONTEXTS = np.repeat(np.arange(100), 2)
ROOT = Path(__file__).parents[2]


def measured(log_odds: Floats) -> Measured:
    """Rows of which only the log odds are asked."""
    empty = np.empty(0)
    rows = LabelledReadings(empty, LABELS[:0], CONTEXTS[:0])
    readings = ReadRows(rows, empty, CONTEXTS[:0])
    return Measured(readings, empty, empty, log_odds, LABELS, CONTEXTS)


def changed(gained: float, low: float, high: float) -> Change:
    return Change(
        200, Figure(0.8, 0.7, 0.9), Figure(0.8 + gained, 0.7, 0.9), Figure(gained, low, high)
    )


def test_a_change_is_that_of_the_same_rows_over_all_parts() -> None:
    good, bad = np.where(LABELS, 1.0, -1.0), np.where(LABELS, -1.0, 1.0)
    found = change([measured(good), measured(good)], [measured(good), measured(bad)])
    assert found.rows == 400
    assert found.before.value == 1.0
    assert found.after.value == pytest.approx(0.5)
    assert found.gained.value == pytest.approx(-0.5)
    assert found.gained.high is not None
    assert found.gained.high < -0.3


def test_a_fall_on_the_own_rows_beyond_its_interval_is_refused_with_the_figures() -> None:
    told = refusal(changed(-0.1, -0.15, -0.05), None)
    assert told == (
        "on your rows that were not learnt (200) AUROC fell from 0.800 to 0.700 "
        "(-0.100, -0.150 to -0.050)"
    )


def test_a_fall_that_can_be_chance_is_not_refused() -> None:
    assert refusal(changed(-0.1, -0.25, 0.05), changed(-0.02, -0.04, -0.01)) == ""


def test_what_forgets_more_of_the_shipped_mix_than_the_margin_is_refused() -> None:
    told = refusal(changed(0.1, 0.05, 0.15), changed(-0.05, -0.1, 0.0))
    assert "rows of the shipped mix" in told
    assert f"by more than {MOST_FORGOTTEN:g}" in told


def test_the_shipped_mix_has_both_labels_many_languages_and_two_parts() -> None:
    rehearsal = read_rehearsal()
    rows = (*rehearsal.train, *rehearsal.kept)
    assert 1200 <= len(rows) <= 1500
    assert {row.context for row in rehearsal.train}.isdisjoint(r.context for r in rehearsal.kept)
    for part in (rehearsal.train, rehearsal.kept):
        assert sum(row.supported for row in part) / len(part) == pytest.approx(0.5, abs=0.02)
        assert {"en", "he", "de", "ar", "ja", "en-he"} <= {row.language for row in part}
    assert {row.source for row in rows} == {SOURCE}


def test_a_share_of_the_contexts_is_rehearsed_and_none_too_often() -> None:
    own = [Row("a", f"Text {i}.", "Claim.", True, False, (), "en") for i in range(300)]
    shipped = [Row("b", f"Text {i}.", "Claim.", True, False, (), "en") for i in range(100)]
    assert rehearsal_passes(0.25, own, shipped) == pytest.approx(1.0)
    assert rehearsal_passes(0.0, own, shipped) == 0.0
    assert rehearsal_passes(0.9, own, shipped) == MOST_PASSES
