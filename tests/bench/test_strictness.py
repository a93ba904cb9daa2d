"""Which rows the operating points are chosen on, and which they are measured on."""

import pytest

from bench.strictness import ALL, MORE, halves
from bench.tools.common import BenchError

Row = dict[str, object]


def rows(contexts: int, **changes: object) -> list[Row]:
    """Two rows on each context, one of each label."""
    return [
        {"context": i, "supported": supported, "p1": 0.75, "p0": 0.25} | changes
        for i in range(contexts)
        for supported in (True, False)
    ]


def test_the_halves_share_no_context() -> None:
    first, second = halves({"fm2": rows(20), "hebnli": rows(20)})
    assert not set(first.contexts) & set(second.contexts)
    assert len(first.of(ALL).sets) + len(second.of(ALL).sets) == 80


def test_no_point_is_chosen_on_further_sets() -> None:
    first, second = halves({"fm2": rows(20), "more/boolq": rows(5), "more/med": rows(5)})
    assert MORE not in first.sets
    assert len(second.of(MORE).sets) == 20
    assert MORE not in second.of(ALL).sets


def test_a_row_whose_evidence_is_not_used_is_supported_at_no_confidence() -> None:
    _, second = halves({"fm2": rows(20, p0=0.7)})
    assert not second.scores.any()


def test_rows_without_a_probability_are_left_out() -> None:
    first, second = halves({"fm2": rows(20), "hebnli": rows(20, p0=None)})
    assert set(first.sets) | set(second.sets) == {"fm2"}
    with pytest.raises(BenchError, match="no rows that were read"):
        halves({"fm2": rows(20, p1=None)})
