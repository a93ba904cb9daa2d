"""The verifier words a reason in the chosen language, with the same numbers in each."""

import re
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.checks.traces.trace import PostHocReason
from groundwire_verifier.checks.traces.trace_words import WORDS
from groundwire_verifier.domain.claims import ConfidenceSource, NonAssertive
from groundwire_verifier.verdicts.explanations import (
    FACT_REASONS,
    REASONS,
    WARNINGS,
    reason_text,
    unread_text,
)
from groundwire_verifier.verdicts.facts import GateReason, GateRules, decide_fact, leave_unverified
from groundwire_verifier.verdicts.judging import unread_verdict
from groundwire_verifier.verdicts.policy import Decision, Observation, Policy, Thresholds, decide
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import OtherSource, Reason, Stance, Verdict

THRESHOLDS = Thresholds(max_gap_bits=0.5)
OTHERS = (OtherSource("S1", 0.94, True), OtherSource("S2", 0.1, False))
NUMBER = re.compile(r"\d+\.\d+")
LETTERS = re.compile(r"[A-Za-z]+")
SAID_AS_THEY_ARE = {"YES", "NO", "UNSURE", "S"}
"""What the model is asked to answer, and ids of sources."""


def numbers_of(text: str) -> list[str]:
    return sorted(NUMBER.findall(text))


def is_in(language: str, text: str) -> bool:
    """Whether a text is in English or in Hebrew, and each of its places is filled in."""
    is_hebrew = set(LETTERS.findall(text)) <= SAID_AS_THEY_ARE
    return is_hebrew == (language == "he") and not re.search(r"[{}]", text)


def seen(p1: float = 0.62, p0: float = 0.21) -> Observation:
    stance = Stance(0.1, 0.8, 0.1, 0.9)
    return Observation(p1, p0, 0.9, True, stance, 0.05, closed_book=0.3, cited_alone=0.4)


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(Policy))
def test_every_decision_is_told_with_the_same_numbers_in_each_language(
    p1: float, p0: float, policy: Policy
) -> None:
    observed = seen(p1, p0)
    decision = decide(observed, policy, Thresholds())
    english, hebrew = (
        reason_text(observed, decision, policy, Thresholds(), OTHERS, language=language)
        for language in ("en", "he")
    )
    assert english != hebrew
    assert numbers_of(english) == numbers_of(hebrew)
    assert set(LETTERS.findall(hebrew)) <= SAID_AS_THEY_ARE


@pytest.mark.parametrize("language", REASONS)
@pytest.mark.parametrize("reason", REASONS["en"].decided)
@pytest.mark.parametrize("verdict", [Verdict.SUPPORTED, Verdict.UNCERTAIN])
def test_each_reason_of_a_reading_has_words_of_its_language(
    reason: Reason, verdict: Verdict, language: str
) -> None:
    observed = seen()
    made = decide(observed, Policy.BUDGET, THRESHOLDS)
    decision = Decision(verdict, reason, made.budget, made.score)
    text = reason_text(observed, decision, Policy.BUDGET, THRESHOLDS, OTHERS, language=language)
    assert NUMBER.search(text)
    assert is_in(language, text)


@pytest.mark.parametrize("language", REASONS)
@pytest.mark.parametrize("reason", REASONS["en"].unread)
def test_each_reason_of_a_claim_that_nobody_read_has_words_of_its_language(
    reason: Reason, language: str
) -> None:
    kinds = NonAssertive if reason is Reason.NON_ASSERTIVE else ()
    for detail in [kind.value for kind in kinds] or ["12"]:
        assert is_in(language, unread_text(reason, detail, language))


def test_every_language_has_words_for_the_same() -> None:
    assert WARNINGS.keys() == REASONS.keys() == FACT_REASONS.keys() == WORDS.keys()
    for words in REASONS.values():
        assert words.decided.keys() == REASONS["en"].decided.keys()
        assert words.decided.keys() | words.unread.keys() == set(Reason)
        assert words.kinds.keys() == set(NonAssertive)
    for trace_words in WORDS.values():
        assert trace_words.answers.keys() == WORDS["en"].answers.keys() < set(PostHocReason)
        assert trace_words.steps.keys() == WORDS["en"].steps.keys()


def test_a_language_without_words_gets_english_ones() -> None:
    assert unread_text(Reason.TOO_SHORT, "8", "fi") == unread_text(Reason.TOO_SHORT, "8", "en")


def test_a_claim_that_nobody_read_says_so_in_its_own_language() -> None:
    def told(language: str) -> str:
        task = ClaimTask("the text", (), 0.9, ConfidenceSource.DEFAULT, language)
        return unread_verdict(task, Reason.OUT_OF_TIME, "").reason_text

    assert told("he") == "לא נקראה לפני המועד שבו היה צריך להשיב"
    assert told("en") == "not read before the call had to be answered"


def test_a_decision_on_a_fact_is_told_in_its_language_whatever_it_is() -> None:
    task = ClaimTask("השער נפתח ב־1931.", (), 0.9, ConfidenceSource.DEFAULT, "he")
    unknown = unread_verdict(task, Reason.UNKNOWN_CITATION, "S9")
    texts = [
        decide_fact(unknown, GateRules(), "he").reason_text,
        decide_fact(unknown, GateRules(reject_unsupported=False), "he").reason_text,
        *(leave_unverified(task, reason).reason_text for reason in (
            GateReason.OUT_OF_TIME, GateReason.OVERLOADED, GateReason.BACKEND_UNAVAILABLE,
        )),
    ]  # fmt: skip
    for text in texts:
        assert set(LETTERS.findall(text)) <= SAID_AS_THEY_ARE
    assert len(set(texts)) == len(texts)
    for words in FACT_REASONS.values():
        assert all(getattr(words, each.name) for each in fields(words))
