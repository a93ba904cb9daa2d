"""What the answers to the questions of common sense show of a concern."""

import math

import pytest

from groundwire_verifier.checks.assessment.assessment import CommonSenseReport, CommonSenseVerdict
from groundwire_verifier.checks.assessment.common_sense import CommonSense
from groundwire_verifier.checks.assessment.scores import raw_concern
from groundwire_verifier.checks.assessment.sense import report_of
from groundwire_verifier.domain.types import Reading, ReadingOrigin
from groundwire_verifier.numbers.calibration import Platt

FLOOR = 0.1


def reading(yes: float, no: float, unsure: float = 0.0) -> Reading:
    yes_nats, no_nats, unsure_nats = (math.log(p) if p else -math.inf for p in (yes, no, unsure))
    return Reading(yes_nats, no_nats, unsure_nats, 100, 0, ReadingOrigin.MODEL)


def report(curves: dict[str, Platt]) -> CommonSenseReport:
    """It makes sense to .8; whatever else is asked for is denied to .8."""
    sensible, other = reading(0.8, 0.2), reading(0.2, 0.8)
    return report_of([sensible, other, other, other, other], FLOOR, curves)


@pytest.mark.parametrize(
    ("question", "concern"),
    [(CommonSense.MAKES_SENSE, 0.35), (CommonSense.FABRICATED, 0.55)],
    ids=["a NO is one", "a YES is one"],
)
def test_half_of_unsure_is_a_concern(question: CommonSense, concern: float) -> None:
    assert raw_concern(question, yes=0.5, no=0.3, unsure=0.1) == pytest.approx(concern)


def test_a_curve_changes_the_concern_of_its_question_alone_and_the_verdict_by_it() -> None:
    found = report({CommonSense.VAGUE_AS_FACT.name: Platt(1.0, 2.0)})
    concerns = {answer.question: answer.concern for answer in found.answers}
    assert concerns.pop(CommonSense.VAGUE_AS_FACT) == pytest.approx(0.649, abs=0.001)
    assert list(concerns.values()) == pytest.approx([0.2] * 4)
    assert found.verdict is CommonSenseVerdict.QUESTIONABLE
