"""Words for BM25: stems of English, Hebrew without its prefixes."""

import pytest

from groundwire_server.corpus.retrieval import word_share
from groundwire_server.corpus.search_words import WordEncoder


@pytest.fixture(scope="module")
def encoder() -> WordEncoder:
    return WordEncoder()


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("בית", "הבית"),
        ("בית", "ושבבית"),
        ("הבית", "לבית"),
        ("כשירושלים", "ירושלים"),
        ("שָׁלוֹם", "שלום"),
        ('צה"ל', "צה״ל"),
        ("houses", "House"),
        ("PEP 703", "In PEP 703,"),
        ("3.12", "Python 3.12 is"),
    ],
)
def test_forms_of_a_word_meet(encoder: WordEncoder, claim: str, passage: str) -> None:
    found = frozenset(encoder.document(passage).indices)
    assert word_share(encoder.terms(claim), found) == 1.0


@pytest.mark.parametrize(("claim", "passage"), [("בית", "מגדל"), ("1934", "1935"), ("cat", "car")])
def test_other_words_do_not(encoder: WordEncoder, claim: str, passage: str) -> None:
    found = frozenset(encoder.document(passage).indices)
    assert word_share(encoder.terms(claim), found) == 0.0


def test_frequent_words_count_for_nothing(encoder: WordEncoder) -> None:
    assert encoder.terms("the of and") == []
    assert word_share([], frozenset({1})) == 0.0
