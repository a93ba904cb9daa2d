"""The scores of a response's layers, their confidence and the action.

All weights and thresholds of an assessment stand here.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from groundwire_verifier.checks.assessment.assessment import (
    AssessmentLayer,
    CommonSenseReport,
    Finding,
    LayerReport,
    LayerState,
    ReasonKind,
    SuggestedAction,
)
from groundwire_verifier.checks.assessment.common_sense import CONCERNS, CommonSense
from groundwire_verifier.domain.types import Label
from groundwire_verifier.verdicts.types import ClaimVerdict, Verdict

KIND_WEIGHTS: Mapping[ReasonKind, float] = {
    ReasonKind.LIVE_DATA: 0.6,
    ReasonKind.CURRENCY: 0.4,
    ReasonKind.NUMBER: 0.1,
    ReasonKind.VALUE_DIFFERS: 0.9,
    ReasonKind.OVER_PRECISE: 0.5,
    ReasonKind.UNCERTAIN: 0.15,
}
"""What each kind of finding counts in the score of layer 1."""
CONCERN_THRESHOLD = 0.5
"""The concern from which an answer of layer 2 counts."""
DETAIL_THRESHOLD = 0.3
"""The score of layer 1 above which layer 3 runs."""
UNKNOWN_CONCERN = 0.5
"""The concern of an answer that nobody knows."""
_NEVER_FINE = {
    ReasonKind.NOT_ANSWERED,
    ReasonKind.CLAIM_UNREAD,
    ReasonKind.CLAIM_CONTRADICTED,
}
"""Findings after which a response is never shown without a word, however small their weight is."""

LAYERS_TO_BLOCK = 2
"""How many layers have to reach the threshold for a response to be hidden."""
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class AssessmentRules:
    """What decides: weights, and thresholds on scores, all in [0, 1]."""

    weight_heuristic: float = 0.3
    weight_common_sense: float = 0.5
    weight_detailed: float = 0.2
    verify_threshold: float = 0.3
    warn_threshold: float = 0.5
    block_threshold: float = 0.8

    @property
    def layer_weights(self) -> Mapping[AssessmentLayer, float]:
        return {
            AssessmentLayer.HEURISTIC: self.weight_heuristic,
            AssessmentLayer.COMMON_SENSE: self.weight_common_sense,
            AssessmentLayer.DETAILED: self.weight_detailed,
        }


def heuristic_score(findings: Iterable[Finding]) -> float:
    """1 - (1 - w1)(1 - w2)... over the kinds of the findings, each once, in [0, 1]."""
    kinds = {finding.kind for finding in findings}
    return 1.0 - math.prod(1.0 - KIND_WEIGHTS[kind] for kind in kinds)


def raw_concern(question: CommonSense, yes: float, no: float, unsure: float) -> float:
    """What the shares of the three answers show of a concern, in [0, 1]."""
    worrying = yes if CONCERNS[question] is Label.YES else no
    return min(1.0, worrying + unsure / 2)


def common_sense_score(report: CommonSenseReport) -> float:
    """The largest concern, in [0, 1]."""
    return max(answer.concern for answer in report.answers)


def detailed_score(verdicts: Sequence[ClaimVerdict]) -> float:
    """1 if a claim is contradicted; else the share of the claims that nothing supports or nobody
    could read, in [0, 1]."""
    if any(each.verdict is Verdict.CONTRADICTED for each in verdicts):
        return 1.0
    return sum(each.verdict is not Verdict.SUPPORTED for each in verdicts) / len(verdicts)


def spoken_score(verdicts: Sequence[ClaimVerdict], *, states_live_data: bool) -> float:
    """The score where no tool gave anything, in [0, 1]: 1 if a claim is contradicted.

    Else half the share of the claims that nothing supports, of which nobody knows, or the weight of
    live data, if some is stated and that is more. It is no second opinion on what layer 1 found by
    the same rule, so it counts as much as there.
    """
    if any(each.verdict is Verdict.CONTRADICTED for each in verdicts):
        return 1.0
    live_data = KIND_WEIGHTS[ReasonKind.LIVE_DATA] if states_live_data else 0.0
    return max(live_data, detailed_score(verdicts) / 2)


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
