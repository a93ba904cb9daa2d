"""Every kept input of the fuzz, and a few hundred that are made of them from a seed."""

import random
import warnings
from itertools import islice
from pathlib import Path

import pytest

from tests.soak.fuzz.corpus_files import CORPUS, read_corpus, write_corpus
from tests.soak.fuzz.mutation import mutated
from tests.soak.fuzz.request_targets import REQUEST_TARGETS
from tests.soak.fuzz.text_targets import TEXT_TARGETS

TARGETS = {**TEXT_TARGETS, **REQUEST_TARGETS}
MADE = 40


@pytest.mark.parametrize("target", TARGETS)
def test_no_input_is_at_fault(target: str) -> None:
    kept = read_corpus(target)
    assert kept
    with warnings.catch_warnings():
        # Libraries warn of what looks odd in hostile files.
        warnings.simplefilter("ignore")
        for data in (*kept, *islice(mutated(kept, random.Random(3)), MADE)):
            TARGETS[target](data)


def test_there_is_a_target_for_each_kept_file() -> None:
    assert {path.stem for path in CORPUS.iterdir()} == TARGETS.keys()


def test_inputs_are_kept_as_they_are(tmp_path: Path) -> None:
    inputs = [b"", "é\u202e".encode(), b"\xff\x00", b"\xff\x00"]
    write_corpus("x", inputs, tmp_path)
    assert sorted(read_corpus("x", tmp_path)) == sorted(set(inputs))
