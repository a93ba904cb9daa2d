"""From the scores of the layers to a confidence and an action."""

from collections.abc import Iterable

from groundwire_verifier.assessment.assessment import (
    AssessmentRules,
    LayerReport,
    LayerState,
    ReasonKind,
    SuggestedAction,
)

_DIGITS = 12
_NEVER_FINE = {
    ReasonKind.NOT_ANSWERED,
    ReasonKind.CLAIM_UNREAD,
    ReasonKind.CLAIM_CONTRADICTED,
}
"""Findings after which a response is never shown without a word, however small their weight is."""

LAYERS_TO_BLOCK = 2
"""How many layers have to reach the threshold for a response to be hidden."""


def confidence_of(layers: Iterable[LayerReport], rules: AssessmentRules) -> float | None:
    """The mean of the scores, weighted, over the layers that ran; None if none did.

    None also where all of their weights are 0.
    """
    scored = [(rules.layer_weights[each.layer], each.score) for each in layers]
    pairs = [(weight, score) for weight, score in scored if score is not None]
    total = sum(weight for weight, _ in pairs)
    if total <= 0.0:
        return None
    mean = sum(weight * score for weight, score in pairs) / total
    # 0.8 of two layers is no less than a threshold of 0.8.
    return min(1.0, round(mean, _DIGITS))


def action_of(layers: Iterable[LayerReport], rules: AssessmentRules) -> SuggestedAction:
    """What to do. What no layer could tell, or one failed to, in all or in part, is never fine."""
    reports = list(layers)
    confidence = confidence_of(reports, rules)
    if confidence is None:
        return SuggestedAction.VERIFY
    agreeing = sum(
        each.score is not None and each.score >= rules.block_threshold for each in reports
    )
    if confidence >= rules.block_threshold and agreeing >= LAYERS_TO_BLOCK:
        return SuggestedAction.BLOCK
    if confidence >= rules.warn_threshold:
        return SuggestedAction.WARN
    doubtful = any(
        each.state is LayerState.FAILED or any(f.kind in _NEVER_FINE for f in each.findings)
        for each in reports
    )
    if confidence >= rules.verify_threshold or doubtful:
        return SuggestedAction.VERIFY
    return SuggestedAction.NONE
