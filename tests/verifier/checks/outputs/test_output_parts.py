"""What of a conversation is evidence, how a form differs, what a risk is, what an agent is told."""

from dataclasses import replace

import pytest

from groundwire_verifier.checks.outputs.conversation import Conversation, Role, Turn
from groundwire_verifier.checks.outputs.formats import (
    FormatViolation,
    JsonFormat,
    ListFormat,
    StatedFormat,
    count_items,
    differences,
)
from groundwire_verifier.checks.outputs.instructions import WORDS, instruction
from groundwire_verifier.checks.outputs.review import missing_bits, risk_of
from groundwire_verifier.domain.claims import Claim, ConfidenceSource, Span
from groundwire_verifier.domain.evidence import Document
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.numbers.budget import budget
from groundwire_verifier.verdicts.types import (
    AnswerClaim,
    BudgetNumbers,
    CitationStatus,
    ClaimVerdict,
    OtherSource,
    Reason,
    Verdict,
)

LIMITS = Limits(claims=10, claim_tokens=100, text_characters=600)


def verdict_of(
    verdict: Verdict,
    reason: Reason,
    p1: float | None = None,
    p0: float | None = None,
    confidence: float = 0.9,
) -> ClaimVerdict:
    numbers, use = None, None
    if p1 is not None and p0 is not None:
        bits = budget(p1, p0, confidence)
        required, observed = float(bits.required_bits), float(bits.observed_bits)
        numbers = BudgetNumbers(0, 0, 0, required, observed, required - observed, False)
        use = p1 - p0
    return ClaimVerdict(
        verdict=verdict,
        reason=reason,
        reason_text="",
        grounded=verdict is Verdict.SUPPORTED,
        warning="",
        citation_status=CitationStatus.NONE,
        cited_ids=(),
        unknown_ids=("S9",) if reason is Reason.UNKNOWN_CITATION else (),
        confidence=confidence,
        confidence_source=ConfidenceSource.DEFAULT,
        budget=numbers,
        evidence_use=use,
    )


def claim_of(verdict: ClaimVerdict, text: str = "It is tall.") -> AnswerClaim:
    return AnswerClaim(Claim(text, Span(0, 1), (), None, None, "en"), verdict)


LOW = verdict_of(Verdict.UNSUPPORTED, Reason.LOW_POSTERIOR, 0.3, 0.2)
AGAINST = verdict_of(Verdict.CONTRADICTED, Reason.MODEL_SAYS_NO, 0.02, 0.5)
GOOD = verdict_of(Verdict.SUPPORTED, Reason.BUDGET_COVERED, 0.99, 0.2)
NOBODY = verdict_of(Verdict.NOT_VERIFIED, Reason.OUT_OF_TIME)
UNKNOWN = verdict_of(Verdict.NOT_VERIFIED, Reason.UNKNOWN_CITATION)


def test_all_but_the_agents_own_turns_are_evidence_behind_the_documents() -> None:
    conversation = Conversation(
        (
            Turn(Role.SYSTEM, "one"),
            Turn(Role.USER, "two"),
            Turn(Role.ASSISTANT, "three"),
            Turn(Role.TOOL, "four", "call-7", "search"),
            Turn(Role.TOOL, " \n"),
        ),
        (Document("D", "zero", "title"),),
    )
    assert conversation.evidence.sources == (
        Document("D", "zero", "title"),
        Document("turn-1", "one", "system"),
        Document("turn-2", "two", "user"),
        Document("call-7", "four", "search"),
    )
    assert conversation.check(LIMITS) == []


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("- one\n- two\n  - more\n- three", 3),
        ("1. one\n2) two", 2),
        ("Here:\n\n* one\n* two", 2),
        ("א. ראשון\nב. שני", 2),
        ("No list. It is - not one.", 0),
        ("-5 degrees", 0),
    ],
)
def test_items_are_those_of_the_outermost_list(text: str, items: int) -> None:
    assert count_items(text) == items


@pytest.mark.parametrize(
    ("stated", "text", "said"),
    [
        (StatedFormat(JsonFormat()), '{"a": [1, 2]}\n', None),
        (StatedFormat(JsonFormat()), "{", "line 1, column 2"),
        (StatedFormat(JsonFormat()), "```json\n{}\n```", "code fence"),
        (StatedFormat(JsonFormat()), "NaN", "not JSON"),
        (StatedFormat(JsonFormat()), "[" * 100_000, "nested too deeply"),
        (StatedFormat(ListFormat(3, 3)), "- a\n- b\n- c", None),
        (StatedFormat(ListFormat(3, 3)), "- a\n- b", "at least 3"),
        (StatedFormat(ListFormat(1, 1)), "- a\n- b", "at most 1"),
        (StatedFormat(None, 3), "four", "at most 3"),
        (StatedFormat(), "anything", None),
    ],
)
def test_a_response_is_held_against_its_form(
    stated: StatedFormat, text: str, said: str | None
) -> None:
    found = [violation.description for violation in differences(text, stated)]
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


def test_the_risk_of_a_claim_is_what_its_evidence_lacks() -> None:
    low, against = LOW.budget, AGAINST.budget
    assert low is not None
    assert against is not None
    assert missing_bits(LOW) == low.required_bits - low.observed_bits
    assert missing_bits(AGAINST) == against.required_bits + against.observed_bits
    assert missing_bits(GOOD) == missing_bits(NOBODY) == 0.0
    assert missing_bits(UNKNOWN) == pytest.approx(1 - 0.469, abs=0.001)


def test_risks_add_up_and_what_nobody_read_is_counted() -> None:
    risk = risk_of([LOW, AGAINST, GOOD, NOBODY])
    assert risk.bits == pytest.approx(missing_bits(LOW) + missing_bits(AGAINST))
    assert risk.unread_claims == 1


def test_an_instruction_says_of_each_fault_what_to_do() -> None:
    miscited = replace(
        verdict_of(Verdict.MISCITED, Reason.OTHER_SOURCE),
        other_sources=(OtherSource("S2", 0.9, True), OtherSource("S3", 0.1, False)),
    )
    claims = [claim_of(v) for v in (GOOD, LOW, AGAINST, miscited, UNKNOWN, NOBODY)]
    lines = instruction(claims, [], "en").splitlines()
    assert len(lines) == 6
    assert [line[:2] for line in lines[1:5]] == ["1.", "2.", "3.", "4."]
    assert "Cite [S2]." in lines[3]
    assert "[S9]" in lines[4]


def test_a_form_alone_is_corrected_without_its_content() -> None:
    text = instruction([claim_of(GOOD)], [FormatViolation("/a", "it is no number")], "en")
    assert text.splitlines()[1] == "The form is not the one that was asked for: /a it is no number."


def test_a_long_statement_is_cut_and_many_are_counted() -> None:
    claims = [claim_of(LOW, "word " * 200)] * 60
    text = instruction(claims, [], "en")
    assert "(and 10 more)" in text
    assert len(text) < 51 * 500


@pytest.mark.parametrize("language", WORDS)
def test_every_language_has_words_for_every_fault(language: str) -> None:
    wanted = {each for each in Verdict if each is not Verdict.SUPPORTED}
    assert set(WORDS[language].faults) == wanted | {Reason.UNKNOWN_CITATION}
    assert instruction([claim_of(LOW)], [], language).startswith(WORDS[language].lead)


ELSEWHERE = {
    Reason.BUDGET_COVERED, Reason.SCORE_REACHED, Reason.BUDGET_EXCEEDED, Reason.LOW_POSTERIOR,
    Reason.SCORE_MISSED, Reason.EVIDENCE_AGAINST, Reason.EVIDENCE_UNUSED, Reason.MODEL_SAYS_NO,
    Reason.OTHER_SOURCE, Reason.HIGH_PRIOR, Reason.UNKNOWN_CITATION, Reason.NON_ASSERTIVE,
    Reason.TOO_SHORT, Reason.CORROBORATED,
}  # fmt: skip
"""Reasons of claims that were judged, or of which there is nothing to judge."""


@pytest.mark.parametrize("reason", [each for each in Reason if each not in ELSEWHERE])
def test_a_claim_that_was_not_verified_counts_as_unread_for_every_reason(reason: Reason) -> None:
    # Its point estimates cover the budget: only how far they may be off does not.
    risk = risk_of([verdict_of(Verdict.NOT_VERIFIED, reason, 0.99, 0.2)])
    assert (risk.bits, risk.unread_claims) == (0.0, 1)
