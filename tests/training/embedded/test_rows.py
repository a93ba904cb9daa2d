"""The parts of the shared data: no context in two of them, no row lost, and what each is for."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from groundwire_training.data.rehearsal import read_rehearsal
from groundwire_training.data.rows import HELD_OUT_ONE_IN, Row
from groundwire_training.embedded.held_out import some_of
from groundwire_training.embedded.rehearsal import chosen
from groundwire_training.embedded.rows import PARTS, read_rows
from groundwire_training.embedded.sets import DATA_SETS
from tests.training.embedded.shared import write_data


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Each set with 240 rows on 120 contexts."""
    write_data(tmp_path, 240)
    return tmp_path


def test_no_two_parts_share_a_context_and_no_row_is_lost(folder: Path) -> None:
    parts = {part: read_rows(folder, part) for part in PARTS}
    assert sum(map(len, parts.values())) == 240 * (len(DATA_SETS) + 1)
    contexts = [{(row.source, row.context) for row in rows} for rows in parts.values()]
    assert sum(map(len, contexts)) == len(set.union(*contexts))


def test_a_small_part_of_the_train_split_is_held_out(folder: Path) -> None:
    train, held_out = (len(read_rows(folder, part)) for part in ("train", "held-out"))
    assert held_out / (train + held_out) == pytest.approx(1 / HELD_OUT_ONE_IN, abs=0.04)


def test_both_languages_of_a_pair_are_in_the_same_part(folder: Path) -> None:
    for part in PARTS:
        rows = read_rows(folder, part)
        hebrew = {row.context for row in rows if row.source == "hebnli"}
        english = {row.context for row in rows if row.source == "hebnli_en"}
        assert {f"en {context}" for context in hebrew} == english


def test_a_question_with_its_answer_is_told_from_a_statement(folder: Path) -> None:
    row = read_rows(folder, "train")[0]
    assert not row.is_answer
    assert replace(row, claim="Question: Who? Answer: Ada.").is_answer
    assert replace(row, claim="שאלה: מי? תשובה: עדה.").is_answer
    assert replace(row, claim="Вопрос: кто? Ответ: Ада.").is_answer
    assert not replace(row, claim="Note: it opens at 10:30.").is_answer


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


def test_the_file_that_ships_is_what_the_command_makes_of_the_train_rows(shared: Path) -> None:
    made = chosen(shared / "data")
    rehearsal = read_rehearsal()
    shipped = {(row.context, row.claim) for row in (*rehearsal.train, *rehearsal.kept)}
    assert shipped == {(row["context"], row["claim"]) for row in made}
    assert shipped <= {(row.context, row.claim) for row in read_rows(shared / "data", "train")}
