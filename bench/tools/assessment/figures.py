"""How well concerns about exchanges are told, question by question, from labelled cases."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.tools.common import markdown_table
from groundwire_training.examples.cases import AssessmentCase
from groundwire_verifier.checks.assessment.common_sense import CONCERNS, CommonSense
from groundwire_verifier.domain.types import Label
from groundwire_verifier.numbers import metrics
from groundwire_verifier.numbers.metrics import Bools, Figure, Floats

ANY = "ANY"
"""Whether there is a concern at all, by the largest of a case."""
LANGUAGES = ("all", "en", "he")
RESAMPLES, SEED = 1000, 18


@dataclass(frozen=True, slots=True)
class ConcernFigures:
    """The figures of one question in one language.

    `cases` have a YES or NO label, `concerns` of them are one. `precision` is the share of concerns
    among those that are flagged, `recall` the share of concerns that are; None for 0 of 0. The
    interval of `auroc` is over cases, at 95 %.
    """

    question: str
    language: str
    cases: int
    concerns: int
    auroc: Figure
    precision: float | None
    recall: float | None


def concern_figures(
    cases: Sequence[AssessmentCase], concerns: Floats, threshold: float
) -> list[ConcernFigures]:
    """Figures by question, and of any concern, in both languages together and apart.

    `concerns` (cases, questions) in the order of CommonSense; from `threshold` one is flagged.
    """
    questions = tuple(CommonSense)
    known = np.array([[a in {Label.YES, Label.NO} for a in case.answers] for case in cases])
    right = np.array(
        [[a is CONCERNS[q] for q, a in zip(questions, c.answers, strict=True)] for c in cases]
    )
    language = np.array([case.language for case in cases])
    columns = [
        (question.name, concerns[:, i], right[:, i], known[:, i])
        for i, question in enumerate(questions)
    ]
    # A case with a concern has one, whatever is not known of it.
    worried = np.asarray(right.any(axis=1))
    is_known = np.asarray(known.all(axis=1) | worried)
    columns.append((ANY, concerns.max(axis=1), worried, is_known))
    return [
        _figures(name, spoken, concern[at], is_one[at], threshold)
        for name, concern, is_one, has_label in columns
        for spoken in LANGUAGES
        for at in [has_label & ((language == spoken) | (spoken == LANGUAGES[0]))]
    ]


def concern_table(figures: Sequence[ConcernFigures]) -> str:
    """As a Markdown table."""
    head = ("question", "language", "cases", "concerns", "AUROC", "95 %", "precision", "recall")
    rows = [
        (
            each.question,
            each.language,
            str(each.cases),
            str(each.concerns),
            _said(each.auroc.value),
            f"{_said(each.auroc.low)} to {_said(each.auroc.high)}",
            _said(each.precision),
            _said(each.recall),
        )
        for each in figures
    ]
    return markdown_table(head, rows)


def _figures(
    question: str, language: str, concern: Floats, is_one: Bools, threshold: float
) -> ConcernFigures:
    flagged = concern >= threshold
    hits = int((flagged & is_one).sum())
    weights = metrics.cluster_weights(np.arange(len(concern)), RESAMPLES, SEED)
    auroc = metrics.interval(
        metrics.auroc(concern, is_one), metrics.auroc(concern, is_one, weights)
    )
    return ConcernFigures(
        question,
        language,
        len(concern),
        int(is_one.sum()),
        auroc,
        hits / int(flagged.sum()) if flagged.any() else None,
        hits / int(is_one.sum()) if is_one.any() else None,
    )


def _said(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
