"""How long the long contexts are in tokens, which their bounds in characters only guess."""

import random
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from groundwire_server.config.settings import ServerSettings
from groundwire_server.models.store import SMALL_MODEL, prepare
from groundwire_training.data.rows import by_context
from groundwire_training.embedded.rows import read_rows
from groundwire_training.examples.contexts import long_contexts
from groundwire_training.examples.trees import Tree
from groundwire_verifier.engine.hf_tokenizer import HfTokenizer

SHORTEST, LONG, LONGEST = 600, 1000, 3000


@pytest.fixture(scope="module")
def long_trees(shared: Path) -> list[Tree]:
    """Those of one pass over the train rows."""
    groups = by_context(read_rows(shared / "data", "train"))
    return long_contexts(groups, ("scrubbed",), random.Random(1))


def test_long_contexts_have_600_to_3000_tokens(long_trees: list[Tree]) -> None:
    folder = prepare(SMALL_MODEL, ServerSettings().cache_dir.expanduser(), print).path
    tokenizer = HfTokenizer(AutoTokenizer.from_pretrained(folder))
    read = tokenizer.encode_texts([tree.context for tree in long_trees])
    lengths = sorted(map(len, read))
    assert len(lengths) > 100
    assert lengths[0] >= SHORTEST
    assert lengths[-1] <= LONGEST
    assert sum(length >= LONG for length in lengths) > len(lengths) / 2
