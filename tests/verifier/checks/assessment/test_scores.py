"""From scores to a confidence and an action; and what of a long exchange is read."""

from dataclasses import replace

import pytest

from groundwire_verifier.checks.assessment.assessment import (
    AssessmentLayer,
    Finding,
    LayerReason,
    LayerReport,
    LayerState,
    ReasonKind,
    SuggestedAction,
)
from groundwire_verifier.checks.assessment.exchange import Exchange, ToolCall, exchange_text
from groundwire_verifier.checks.assessment.requests import CUT_MARK, cut_to
from groundwire_verifier.checks.assessment.scores import AssessmentRules, action_of, confidence_of
from groundwire_verifier.checks.assessment.user_texts import _REASONS

RULES = AssessmentRules()
NONE, VERIFY = SuggestedAction.NONE, SuggestedAction.VERIFY
WARN, BLOCK = SuggestedAction.WARN, SuggestedAction.BLOCK


def reports(*scores: float | None) -> list[LayerReport]:
    """A report for each layer; one without a score was not needed."""
    return [
        LayerReport(layer, LayerState.SKIPPED, LayerReason.NOT_FLAGGED)
        if score is None
        else LayerReport(layer, LayerState.RAN, score=score)
        for layer, score in zip(AssessmentLayer, scores, strict=True)
    ]


@pytest.mark.parametrize(
    ("scores", "confidence"),
    [
        ((0.0, 0.0, 0.0), 0.0),
        ((1.0, 0.0, 0.0), 0.3),
        ((0.0, 1.0, 0.0), 0.5),
        ((0.0, 0.0, 1.0), 0.2),
        ((1.0, 0.0, None), 0.3 / 0.8),
        ((0.4, None, None), 0.4),
        # The most that a text can have of which layer 1 says .1: scenario 3 has no .75.
        ((0.1, 1.0, 1.0), 0.73),
        ((None, None, None), None),
    ],
)
def test_the_confidence_is_the_mean_over_the_layers_that_ran(
    scores: tuple[float | None, ...], confidence: float | None
) -> None:
    assert confidence_of(reports(*scores), RULES) == pytest.approx(confidence)


@pytest.mark.parametrize(
    "kind", [ReasonKind.NOT_ANSWERED, ReasonKind.CLAIM_UNREAD, ReasonKind.CLAIM_CONTRADICTED]
)
def test_what_was_not_told_or_is_contradicted_is_never_fine(kind: ReasonKind) -> None:
    heuristic, sense, detailed = reports(0.0, 0.2, 0.0)
    assert action_of([heuristic, sense, detailed], RULES) is NONE
    doubtful = replace(sense, findings=(Finding(kind),))
    assert action_of([heuristic, doubtful, detailed], RULES) is VERIFY


@pytest.mark.parametrize(
    ("scores", "action"),
    [
        ((0.0, 0.2, None), NONE),
        ((0.0, 0.5, None), VERIFY),
        ((0.6, 0.5, None), WARN),
        ((0.6, 1.0, None), WARN),
        ((0.8, 0.8, None), BLOCK),
        ((0.9, 0.9, 0.0), WARN),
        ((0.5, 1.0, 1.0), BLOCK),
        ((0.1, 1.0, 1.0), WARN),
        ((0.9, None, None), WARN),
        ((None, None, None), VERIFY),
    ],
)
def test_the_action_follows_from_confidence_and_agreement(
    scores: tuple[float | None, ...], action: SuggestedAction
) -> None:
    assert action_of(reports(*scores), RULES) is action


def test_a_layer_that_failed_is_never_fine() -> None:
    fine, _, last = reports(0.0, 0.0, None)
    failed = LayerReport(
        AssessmentLayer.COMMON_SENSE, LayerState.FAILED, LayerReason.BACKEND_UNAVAILABLE
    )
    assert action_of([fine, failed, last], RULES) is VERIFY


def test_every_reason_has_words_in_every_language() -> None:
    for language, words in _REASONS.items():
        assert set(words) == set(ReasonKind), language


def test_of_a_long_exchange_the_longest_results_lose_most() -> None:
    calls = (ToolCall("a", "{}", "x" * 100), ToolCall("b", "{}", "y" * 1000))
    cut, characters = cut_to(Exchange("q", "r" * 50, calls), 500)
    assert cut.tool_calls[0].result == "x" * 100
    assert cut.tool_calls[1].result.startswith("y" * 100)
    assert cut.tool_calls[1].result.endswith(CUT_MARK)
    assert characters == 1000 - (len(cut.tool_calls[1].result) - len(CUT_MARK))
    assert len(exchange_text(cut)) <= 500 + 2 * len(CUT_MARK)
    assert cut.response == "r" * 50
