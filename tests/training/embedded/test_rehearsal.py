"""The rows that ship are train rows of the shared data, chosen anew as they were."""

from pathlib import Path

from groundwire_training.data.rehearsal import read_rehearsal
from groundwire_training.embedded.rehearsal import chosen
from groundwire_training.embedded.rows import read_rows


def test_the_file_that_ships_is_what_the_command_makes_of_the_train_rows(shared: Path) -> None:
    made = chosen(shared / "data")
    rehearsal = read_rehearsal()
    shipped = {(row.context, row.claim) for row in (*rehearsal.train, *rehearsal.kept)}
    assert shipped == {(row["context"], row["claim"]) for row in made}
    assert shipped <= {(row.context, row.claim) for row in read_rows(shared / "data", "train")}
