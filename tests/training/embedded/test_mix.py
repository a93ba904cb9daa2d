"""The mix: each set as often as its table says, and no context early again."""

from collections import Counter
from pathlib import Path

import pytest

from groundwire_training.data.mix import ROUNDS, round_rows
from groundwire_training.data.rows import Row
from groundwire_training.embedded.rows import read_rows
from groundwire_training.embedded.sets import (
    BASE,
    DATA_SETS,
    HEBNLI_ENGLISH,
    SMALL,
    WRITTEN_SETS,
    passes_of,
)
from tests.training.embedded.shared import write_data

PASSES = passes_of(SMALL)


@pytest.fixture
def rows(tmp_path: Path) -> list[Row]:
    """Train rows, one a context."""
    write_data(tmp_path, 96, rows_of_a_context=1)
    return read_rows(tmp_path, "train")


@pytest.mark.parametrize("model", [SMALL, BASE])
def test_once_through_the_mix_each_set_comes_as_often_as_its_table_says(
    rows: list[Row], model: str
) -> None:
    passes = passes_of(model)
    learnt = Counter(row.source for n in range(ROUNDS) for row in round_rows(rows, n, 1, passes))
    there = Counter(row.source for row in rows)
    for data_set in (*DATA_SETS, HEBNLI_ENGLISH):
        wanted = there[data_set.name] * passes[data_set.name]
        assert learnt[data_set.name] == pytest.approx(wanted, abs=1)


def test_a_beginner_has_fewer_written_rows_and_as_many_of_people() -> None:
    whole, fewer = passes_of(BASE), passes_of(BASE, 0.25)
    written = {data_set.name for data_set in WRITTEN_SETS}
    assert all(fewer[name] == whole[name] * (0.25 if name in written else 1) for name in whole)


def test_no_context_comes_again_before_all_others_of_its_set(rows: list[Row]) -> None:
    seen: dict[str, Counter[str]] = {row.source: Counter() for row in rows}
    for row in rows:
        seen[row.source][row.context] = 0
    for number in range(20):
        for row in round_rows(rows, number, 1, PASSES):
            seen[row.source][row.context] += 1
        for counts in seen.values():
            assert max(counts.values()) - min(counts.values()) <= 1


def test_a_round_is_the_same_for_the_same_seed_and_another_for_another(rows: list[Row]) -> None:
    assert round_rows(rows, 3, 1, PASSES) == round_rows(rows, 3, 1, PASSES)
    assert round_rows(rows, 3, 1, PASSES) != round_rows(rows, 3, 2, PASSES)
