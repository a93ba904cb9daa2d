"""How well sentences are told apart, on labelled ones in both languages.

The held-out sentences were written before any rule and no rule was changed for them, but by the
same author: their score says how the rules carry over to sentences of the same kind, not to all.
When first measured, 46 of 47 were right; the one that was not (`Don't store passwords ...`, taken
for a question) was moved to the others together with its fix.

A second round came with a review: its sentences (`review`) and others like them (`variant`), all
written down before the rules were changed. When first measured, 14 of 79 and 80 of 161 were right.
The rules were then changed with both in sight, so neither score is one on unseen sentences.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from groundwire_verifier.domain.claims import NonAssertive
from groundwire_verifier.text.claims.extract import extract_claims

LABELS = ("assertion", "question", "instruction", "hedged", "code", "lead_in", "heading")
BANDS = {"likely": (0.6, 0.9), "high": (0.9, 1.0), "likely_or_high": (0.6, 1.0)}


@dataclass(frozen=True)
class Labelled:
    text: str
    label: str
    language: str
    confidence: float | str | None = None
    held_out: bool = False
    origin: str = ""
    """`review` or `variant` in the second round, empty in the first."""


SENTENCES = [
    Labelled(**json.loads(line))
    for line in (Path(__file__).parent / "sentences.jsonl").read_text("utf-8").splitlines()
]
TUNED_ON = [s for s in SENTENCES if not s.held_out]
HELD_OUT = [s for s in SENTENCES if s.held_out]
FIRST_ROUND = [s for s in HELD_OUT if not s.origin]
SECOND_ROUND = [s for s in HELD_OUT if s.origin]


def label_of(sentence: Labelled) -> str:
    """The label that is found, or `cut` where the sentence did not stay whole."""
    claims = extract_claims(sentence.text)
    if len(claims) != 1:
        return "cut"
    reason: NonAssertive | None = claims[0].non_assertive
    if reason is NonAssertive.ABSENCE:
        # Labelled before it was a kind of its own.
        return "lead_in"
    return "assertion" if reason is None else reason.name.lower()


def scores(sentences: Iterable[Labelled]) -> tuple[float, dict[str, tuple[float, float]]]:
    """The share that is right, and precision and recall of each label."""
    pairs = Counter((s.label, label_of(s)) for s in sentences)
    right = sum(n for (truth, found), n in pairs.items() if truth == found)
    of_label = {}
    for label in LABELS:
        found = sum(n for (_, f), n in pairs.items() if f == label)
        true = sum(n for (t, _), n in pairs.items() if t == label)
        hit = pairs[label, label]
        of_label[label] = (hit / found if found else 1.0, hit / true if true else 1.0)
    return right / pairs.total(), of_label


def test_the_set_covers_both_languages_and_holds_some_out() -> None:
    by_language = Counter(s.language for s in SENTENCES)
    assert by_language["en"] >= 110
    assert by_language["he"] >= 60
    assert len(FIRST_ROUND) >= 40
    assert len(SECOND_ROUND) >= 230
    assert {s.label for s in HELD_OUT} == set(LABELS)


@pytest.mark.parametrize("language", ["en", "he"])
def test_sentences_are_told_apart(language: str) -> None:
    share, of_label = scores(s for s in TUNED_ON if s.language == language)
    assert share >= 0.98
    assert min(min(pair) for pair in of_label.values()) >= 0.95, of_label


@pytest.mark.parametrize("language", ["en", "he"])
@pytest.mark.parametrize("held_out", [FIRST_ROUND, SECOND_ROUND], ids=["first", "second"])
def test_held_out_sentences_are_told_apart(held_out: list[Labelled], language: str) -> None:
    share, of_label = scores(s for s in held_out if s.language == language)
    assert share >= 0.9
    assert min(min(pair) for pair in of_label.values()) >= 0.8, of_label


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda s: s.text)
def test_the_language_is_told(sentence: Labelled) -> None:
    assert {claim.language for claim in extract_claims(sentence.text)} == {sentence.language}


@pytest.mark.parametrize(
    "sentence", [s for s in SENTENCES if s.label == "assertion"], ids=lambda s: s.text
)
def test_an_assertion_has_the_confidence_that_it_states(sentence: Labelled) -> None:
    (claim,) = extract_claims(sentence.text)
    found, expected = claim.confidence, sentence.confidence
    if expected is None:
        assert found is None
        return
    assert found is not None
    low, high = (expected, expected) if isinstance(expected, float) else BANDS[expected]
    assert low <= found.value <= high
