"""Which held-out rows a calibration is fitted on."""

from collections import Counter

from groundwire_training.data.rows import Row
from groundwire_training.embedded.held_out import some_of

ROWS = [
    Row(source, f"{source} context {i // 3}", f"Claim {i}.", i % 2 == 0, None, (), "en")
    for source in ("fm2", "boolq")
    for i in range(30)
]


def test_each_set_has_so_many_rows_with_their_contexts_whole() -> None:
    chosen = some_of(ROWS, 10)
    assert Counter(row.source for row in chosen) == {"fm2": 12, "boolq": 12}
    assert set(Counter((row.source, row.context) for row in chosen).values()) == {3}


def test_the_main_sets_may_have_more_rows_than_the_others() -> None:
    chosen = some_of(ROWS, 3, 20)
    assert Counter(row.source for row in chosen) == {"fm2": 21, "boolq": 3}


def test_the_same_rows_are_chosen_each_time() -> None:
    assert some_of(ROWS, 10) == some_of(ROWS, 10)


def test_without_a_number_all_are_chosen() -> None:
    assert Counter(some_of(ROWS, None)) == Counter(ROWS)
