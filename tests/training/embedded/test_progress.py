"""Which dev rows a checkpoint is asked."""

from collections import Counter

from groundwire_training.data.rows import Row
from groundwire_training.embedded.progress import ROWS_OF_A_CONTEXT, ROWS_OF_A_SET, dev_rows
from groundwire_training.embedded.sets import DATA_SETS

ROWS = [
    Row(data_set.name, f"Context {i // 20}.", f"Claim {i}.", i % 3 == 0, None, (), "en")
    for data_set in DATA_SETS
    for i in range(600)
]


def test_every_set_has_as_many_rows_half_of_them_supported() -> None:
    chosen = dev_rows(ROWS)
    for supported in (True, False):
        counts = Counter(row.source for row in chosen if row.supported is supported)
        assert counts == {data_set.name: ROWS_OF_A_SET // 2 for data_set in DATA_SETS}


def test_no_context_stands_for_a_set() -> None:
    counts = Counter((row.source, row.context) for row in dev_rows(ROWS))
    assert max(counts.values()) <= ROWS_OF_A_CONTEXT


def test_the_choice_is_fixed() -> None:
    assert dev_rows(ROWS) == dev_rows(ROWS)
