"""What the written sets and the whole answers bring to training, and what must stay out of it."""

import json
from collections import Counter
from pathlib import Path

import pytest

from bench.tools.written.twins import HEADED, PLAIN, twin_records
from groundwire_training.data.rows import Row
from groundwire_training.embedded.rows import PARTS, read_rows
from groundwire_training.embedded.sets import WRITTEN_SETS
from groundwire_training.examples.recipe import Recipe, epoch
from groundwire_training.examples.trees import Tree
from groundwire_verifier.domain.types import Label, Template
from tests.training.embedded.shared import write_answers

NAMES = {data_set.name for data_set in WRITTEN_SETS}


@pytest.fixture(scope="module")
def train(shared: Path) -> list[Row]:
    """The train rows of the shared data."""
    return read_rows(shared / "data", "train")


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Forty answers with two pairs each."""
    write_answers(tmp_path, 40, 4)
    return tmp_path


def test_no_answer_that_is_measured_by_is_among_the_train_rows(
    shared: Path, train: list[Row]
) -> None:
    file = shared / "data/answers/answers.jsonl"
    kept = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    texts = [source["text"] for answer in kept for source in answer["sources"]]
    learnt = {line for row in train for line in row.context.split("\n")}
    assert texts
    # Wherever a text stands in a context, its lines are lines of it.
    assert not any(max(text.split("\n"), key=len) in learnt for text in texts)


def test_rows_have_the_language_that_they_are_in(train: list[Row]) -> None:
    languages = {name: Counter(r.language for r in train if r.source == name) for name in NAMES}
    assert set(languages["written_en"]) == {"en"}
    assert set(languages["written_he"]) == {"he"}
    assert not {"en", "he"} & {*languages["written_eu"], *languages["written_world"]}
    assert "en-he" in languages["written_cross"]
    assert {"en", "he", "de", "ja"} <= set(languages[HEADED])


def test_written_rows_and_twins_are_asked_for_their_stance(train: list[Row]) -> None:
    of_written = [row for row in train if row.source in NAMES]
    assert all(row.contradicted is not None for row in of_written)
    chosen = [row for name in sorted(NAMES) for row in of_written if row.source == name][::40]
    asked = _stances(epoch(chosen, Recipe().without(["neighbour", "edit", "scrubbed"]), 1))
    assert set(asked) == {(name, label) for name in NAMES for label in Label}


def _stances(trees: list[Tree]) -> Counter[tuple[str, Label]]:
    return Counter(
        (tree.source, leaf.answer)
        for tree in trees
        for leaf in tree.leaves
        if leaf.template is Template.YES_NO_UNSURE and tree.source in NAMES
    )


def test_sources_stand_under_the_headings_of_the_server_or_bare(answers: Path) -> None:
    headed, plain = (next(twin_records(answers, name))["context"] for name in (HEADED, PLAIN))
    assert headed == ("[S0] Town 0\nThe tower of town 0.\n\n[S1]\nThe harbour of town 0.")
    assert "[S" not in plain
    assert "The tower of town 0." in plain
    assert "The harbour of town 0." in plain


def test_a_sentence_and_its_twin_are_asked_alike_without_their_citations(answers: Path) -> None:
    rows = list(twin_records(answers, HEADED))
    assert [(row["claim"], row["label"]) for row in rows[:2]] == [
        ("The tower of town 0 is 3 m tall.", 1),
        ("The tower of town 0 is 4 m tall.", 0),
    ]
    with_question = [row["claim"].startswith("Question: How tall is it? Answer:") for row in rows]
    assert with_question[0::2] == with_question[1::2]
    assert 0.1 < sum(with_question) / len(rows) < 0.4
    assert {row["meta"]["label3"] for row in rows} == {"entailment", "contradiction"}


def test_both_forms_of_an_answer_are_in_the_same_part(
    answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twins = tuple(each for each in WRITTEN_SETS if each.name in (HEADED, PLAIN))
    monkeypatch.setattr("groundwire_training.embedded.rows.DATA_SETS", twins)
    parts = {part: read_rows(answers, part) for part in PARTS}
    assert sum(map(len, parts.values())) == 2 * 40 * 4
    for rows in parts.values():
        towns = [
            {row.claim.split("town ")[1].split()[0] for row in rows if row.source == name}
            for name in (HEADED, PLAIN)
        ]
        assert towns[0] == towns[1]
