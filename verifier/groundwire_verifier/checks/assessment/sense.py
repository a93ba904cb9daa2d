"""Layer 2: five questions of common sense, from their readings to a verdict.

What was not answered is a concern of one half: nobody knows.
"""

from collections.abc import Mapping, Sequence

from groundwire_verifier.checks.assessment.assessment import (
    CommonSenseAnswer,
    CommonSenseReport,
    CommonSenseVerdict,
    Finding,
    ReasonKind,
)
from groundwire_verifier.checks.assessment.common_sense import CommonSense
from groundwire_verifier.checks.assessment.exchange import Exchange, exchange_text
from groundwire_verifier.checks.assessment.scores import (
    CONCERN_THRESHOLD,
    UNKNOWN_CONCERN,
    raw_concern,
)
from groundwire_verifier.domain.types import Question, Reading, Template
from groundwire_verifier.numbers.calibration import Platt
from groundwire_verifier.verdicts.judging import stance_of

KINDS = {
    CommonSense.MAKES_SENSE: ReasonKind.MAKES_NO_SENSE,
    CommonSense.CONTRADICTS_ITSELF: ReasonKind.CONTRADICTS_ITSELF,
    CommonSense.LIVE_DATA_WITHOUT_CALL: ReasonKind.LIVE_DATA_WITHOUT_CALL,
    CommonSense.VAGUE_AS_FACT: ReasonKind.VAGUE_AS_FACT,
    CommonSense.FABRICATED: ReasonKind.FABRICATED,
}
"""What a concern of each question is called."""


def questions_about(exchange: Exchange, cache_salt: str) -> list[Question]:
    """The five questions; all share the exchange as their prefix."""
    context = exchange_text(exchange)
    return [
        Question(each.value, context, Template.ASSESSMENT, cache_salt=cache_salt)
        for each in CommonSense
    ]


def report_of(
    readings: Sequence[Reading],
    label_mass_floor: float,
    curves: Mapping[str, Platt],
) -> CommonSenseReport:
    """What the readings of the five questions say.

    `curves` are those of the model's calibration, by the questions' names.
    """
    answers = {
        question: _answer(question, reading, label_mass_floor, curves.get(question.name))
        for question, reading in zip(CommonSense, readings, strict=True)
    }
    makes_sense = answers[CommonSense.MAKES_SENSE]
    contradicts = answers[CommonSense.CONTRADICTS_ITSELF]
    fabricated = answers[CommonSense.FABRICATED]
    verdict = CommonSenseVerdict.OK
    if any(not a.answered or _counts(a) for a in answers.values()):
        verdict = CommonSenseVerdict.QUESTIONABLE
    if fabricated.answered and _counts(fabricated):
        verdict = CommonSenseVerdict.LIKELY_FABRICATED
    return CommonSenseReport(
        makes_logical_sense=not _counts(makes_sense) if makes_sense.answered else None,
        has_contradictions=_counts(contradicts) if contradicts.answered else None,
        verdict=verdict,
        answers=tuple(answers.values()),
    )


def findings_of(report: CommonSenseReport) -> tuple[Finding, ...]:
    """The concerns that count, and the questions that were not answered, in their order."""
    found: list[Finding] = []
    for answer in report.answers:
        if not answer.answered:
            found.append(Finding(ReasonKind.NOT_ANSWERED, answer.question.value))
        elif _counts(answer):
            found.append(Finding(KINDS[answer.question]))
    return tuple(found)


def _counts(answer: CommonSenseAnswer) -> bool:
    return answer.concern >= CONCERN_THRESHOLD


def _answer(
    question: CommonSense, reading: Reading, floor: float, curve: Platt | None
) -> CommonSenseAnswer:
    shares = stance_of(reading)
    # What cannot be told is not taken for an answer: only the least mass counts.
    mass = shares.label_mass if reading.bounds is None else reading.bounds.label_mass.low
    answered = reading.reason is None and mass >= floor and shares.label_mass > 0.0
    if not answered:
        return CommonSenseAnswer(question, shares, False, UNKNOWN_CONCERN)
    concern = raw_concern(question, shares.yes, shares.no, shares.unsure)
    if curve is not None:
        concern = float(curve.apply(concern))
    return CommonSenseAnswer(question, shares, True, concern)
