"""An uncertain claim is told as such, and yet each gate takes it as an unsupported one."""

from dataclasses import replace

import pytest

from groundwire_verifier.checks.assessment.detailed import detailed_findings
from groundwire_verifier.checks.assessment.scores import detailed_score
from groundwire_verifier.checks.outputs.instructions import WORDS, instruction
from groundwire_verifier.checks.outputs.review import risk_of
from groundwire_verifier.checks.traces.post_hoc import read
from groundwire_verifier.checks.traces.trace_words import words_of
from groundwire_verifier.domain.claims import Claim, ConfidenceSource, Span
from groundwire_verifier.numbers.budget import budget
from groundwire_verifier.verdicts.facts import GateDecision, GateRules, decide_fact
from groundwire_verifier.verdicts.types import (
    AnswerClaim,
    BudgetNumbers,
    CitationStatus,
    ClaimVerdict,
    Reason,
    Verdict,
)

_BITS = budget(0.9, 0.05, 0.95)
UNCERTAIN = ClaimVerdict(
    verdict=Verdict.UNCERTAIN,
    reason=Reason.BUDGET_EXCEEDED,
    reason_text="the numbers",
    grounded=False,
    warning="",
    citation_status=CitationStatus.NONE,
    cited_ids=(),
    unknown_ids=(),
    confidence=0.95,
    confidence_source=ConfidenceSource.DEFAULT,
    budget=BudgetNumbers(
        0.0,
        0.0,
        0.0,
        float(_BITS.required_bits),
        float(_BITS.observed_bits),
        float(_BITS.gap_bits),
        required_exceeds_observed=True,
    ),
    evidence_use=0.85,
)
UNSUPPORTED = replace(UNCERTAIN, verdict=Verdict.UNSUPPORTED)
BOTH = (UNCERTAIN, UNSUPPORTED)


@pytest.mark.parametrize("rejects", [True, False])
def test_the_memory_gate_decides_the_same(rejects: bool) -> None:
    rules = GateRules(reject_unsupported=rejects)
    uncertain, unsupported = (
        replace(decide_fact(each, rules, "en"), verdict=UNSUPPORTED) for each in BOTH
    )
    assert uncertain == unsupported
    assert uncertain.decision is not GateDecision.ACCEPTED


def test_an_answer_does_not_follow_from_its_steps() -> None:
    words = words_of("The gate opened in 1931.")
    uncertain, unsupported = (replace(read(words, each), verdict=UNSUPPORTED) for each in BOTH)
    assert uncertain == unsupported


def test_the_detailed_layer_scores_and_finds_the_same() -> None:
    assert detailed_score([UNCERTAIN]) == detailed_score([UNSUPPORTED]) == 1.0
    assert detailed_findings([UNCERTAIN], ["x"]) == detailed_findings([UNSUPPORTED], ["x"])


def test_an_output_has_the_same_risk() -> None:
    assert risk_of([UNCERTAIN]) == risk_of([UNSUPPORTED])


@pytest.mark.parametrize("language", WORDS)
def test_an_agent_is_told_that_the_sources_do_not_confirm_it(language: str) -> None:
    claim = Claim("x", Span(0, 1), (), None, None, language)
    said = [instruction([AnswerClaim(claim, each)], (), language) for each in BOTH]
    assert WORDS[language].faults[Verdict.UNCERTAIN] in said[0]
    assert said[0] != said[1]
