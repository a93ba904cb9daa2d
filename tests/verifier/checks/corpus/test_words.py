"""What an analysis says of a claim is in the claim's language, with the same numbers in each."""

import re

import pytest

from groundwire_verifier.checks.corpus.comparison import compare
from groundwire_verifier.checks.corpus.findings import (
    EvidenceReason,
    RawConfidenceSource,
    RiskNumbers,
)
from groundwire_verifier.checks.corpus.risk import RiskRules
from groundwire_verifier.checks.corpus.risk_words import WORDS, reason_text, unverified_text
from groundwire_verifier.numbers.intervals import Interval

LATIN = re.compile("[A-Za-z]")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
NUMBERS = RiskNumbers(0.42, Interval(0.3, 0.5), 0.8, RawConfidenceSource.PLAIN, (), 0.6, 0.5)


def detail_of(claim: str, passage: str) -> str:
    difference = compare(claim, passage).difference
    assert difference is not None
    return difference.detail


@pytest.mark.parametrize("reason", WORDS["en"].reasons)
def test_a_verdict_on_evidence_is_told_with_the_same_numbers(reason: EvidenceReason) -> None:
    english, hebrew = (
        reason_text(reason, (), NUMBERS, RiskRules(), language) for language in ("en", "he")
    )
    assert NUMBER.findall(english) == NUMBER.findall(hebrew) != []
    assert not LATIN.search(hebrew)


@pytest.mark.parametrize("reason", WORDS["en"].unverified)
def test_what_nobody_read_is_told_in_hebrew(reason: EvidenceReason) -> None:
    assert not LATIN.search(unverified_text(reason, "", "he"))
    assert unverified_text(reason, "", "fi") == unverified_text(reason, "", "en")


def test_what_differs_is_told_in_the_language_of_the_claim() -> None:
    assert detail_of("The bridge opened in 1931.", "The bridge opened in 1934.") == (
        "1931 in the claim, 1934 in the evidence"
    )
    assert detail_of("הגשר נפתח בשנת 1931.", "הגשר נפתח בשנת 1934.") == "1931 בטענה, 1934 בראיות"


def test_every_language_has_words_for_the_same() -> None:
    for words in WORDS.values():
        assert words.reasons.keys() == WORDS["en"].reasons.keys()
        assert words.unverified.keys() == WORDS["en"].unverified.keys()
        assert words.reasons.keys() | words.unverified.keys() == set(EvidenceReason)
        assert words.relations.keys() == WORDS["en"].relations.keys()
