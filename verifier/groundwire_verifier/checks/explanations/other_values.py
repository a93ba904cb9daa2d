"""Sources that state another value than a claim, or deny it, by words and without a reading.

Only a sentence counts that says the same but for that as the claim, or as a sentence that states
the claim: with more words it may speak of something else, as `a ticket for children` does. Yes or
no in the cell of a table counts as well. Where no source states a claim that is not SUPPORTED, the
sources do not disagree: it is wrong.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from groundwire_verifier.checks.corpus.comparison import (
    have_alike_headings,
    holds_all_of,
    is_same_denied,
    is_same_with_other_value,
    without_heading,
)
from groundwire_verifier.checks.explanations.candidates import Candidate, Candidates
from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.evidence import Evidence
from groundwire_verifier.progress import VerificationPlan
from groundwire_verifier.text.quantities.dates import find_dates
from groundwire_verifier.text.quantities.figures import folded
from groundwire_verifier.text.quantities.unstated import StatedValues
from groundwire_verifier.verdicts.cells import Cells
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import (
    ClaimVerdict,
    DecidingPassage,
    PassageRelation,
    SourceConflict,
    Verdict,
)

HEAD_CHARACTERS = 300
"""A text says at its beginning of when it is."""


class SourceDays:
    """The days of sources. `known` are those that a corpus tells; they go before the text."""

    def __init__(self, evidence: Evidence, known: Mapping[str, date]) -> None:
        self._evidence = evidence
        self._titles = {each.id: each.span.of(evidence.context) for each in evidence.titles}
        self._days: dict[str, date | None] = dict(known)

    def newer(self, one: str, other: str) -> str:
        """The id of the newer source; empty if a day is not known, or both have the same."""
        first, second = self._day(one), self._day(other)
        if first is None or second is None or first == second:
            return ""
        return one if first > second else other

    def _day(self, source_id: str) -> date | None:
        if source_id not in self._days:
            head = self._evidence.text_of(source_id)[:HEAD_CHARACTERS]
            self._days[source_id] = day_in(self._titles.get(source_id, "")) or day_in(head)
        return self._days[source_id]


def day_in(text: str) -> date | None:
    """The first date of a text that has a year, month and day and can be read in one way only."""
    for _, found in find_dates(folded(text)):
        days = {
            (year, month, day)
            for year, month, day in found.readings
            if year is not None and month is not None and day is not None
        }
        if len(days) == 1:
            (parts,) = days
            try:
                return date(*parts)
            except ValueError:
                continue
    return None


MOST_SENTENCES = 8
"""Of how many sources one sentence is compared with a claim."""


@dataclass(frozen=True, slots=True)
class OtherValues:
    """Verdicts with the conflicts of their claims, and what was read of the evidence for them.

    `unsearched` counts the SUPPORTED claims for which there was no time.
    """

    verdicts: Sequence[ClaimVerdict]
    candidates: Candidates
    days: SourceDays
    unsearched: int = 0


def find_other_values(
    plan: VerificationPlan,
    verdicts: Sequence[ClaimVerdict],
    known_days: Mapping[str, date],
    answer_by_s: float = math.inf,
) -> OtherValues:
    """The conflicts of the claims of a plan; `known_days` are those of a corpus.

    No claim is begun after `answer_by_s` on the monotonic clock.
    """
    candidates = Candidates(plan.evidence)
    days = SourceDays(plan.evidence, known_days)
    if len(plan.evidence.ids) <= 1:
        return OtherValues(verdicts, candidates, days)
    unsearched = 0
    cells = [
        (each, Cells([each.span.of(plan.evidence.context)], plan.looks.tables))
        for each in plan.evidence.ranges
    ]

    def told(task: ClaimTask, verdict: ClaimVerdict) -> ClaimVerdict:
        nonlocal unsearched
        if verdict.verdict is Verdict.NOT_VERIFIED:
            return verdict
        if time.monotonic() >= answer_by_s:
            unsearched += 1
            return verdict
        sentences = candidates.of_each(task.text, MOST_SENTENCES)
        stating = [each for each in sentences if _states(each.text, task.text)]
        if not stating and verdict.verdict is not Verdict.SUPPORTED:
            return verdict
        carrier = task.cited_ids[0] if task.cited_ids else ""
        against = {
            each.source_id: (each.span, each.text)
            for each in sentences
            if each not in stating and _says_otherwise(plan, task.text, stating, each)
        }
        for source, each_cells in cells if task.kind is None else ():
            if cell := each_cells.against(task.text):
                row = Span(source.span.start + cell.place.start, source.span.start + cell.place.end)
                row_text = plan.evidence.as_sent(row), row.of(plan.evidence.context)
                against.setdefault(source.id, row_text)
        conflicts = tuple(
            SourceConflict(
                DecidingPassage(source_id, span, text, PassageRelation.CONTRADICTS, None),
                days.newer(source_id, carrier),
            )
            for source_id, (span, text) in against.items()
        )
        return replace(verdict, conflicts=conflicts)

    found = tuple(map(told, plan.tasks, verdicts))
    return OtherValues(found, candidates, days, unsearched)


def _states(sentence: str, claim: str) -> bool:
    """Whether a sentence holds all words and values of a claim."""
    return holds_all_of(claim, sentence) and not _lacks(StatedValues([sentence]), claim)


def _says_otherwise(
    plan: VerificationPlan, claim: str, stating: Sequence[Candidate], candidate: Candidate
) -> bool:
    """Whether a sentence denies a claim, or has another value and its source not that of it."""
    if not candidate.source_id:
        return False
    others = [each.text for each in stating if have_alike_headings(each.text, candidate.text)]
    alike = [claim, *map(without_heading, others)]
    if any(is_same_denied(each, candidate.text) for each in alike):
        return True
    if not any(is_same_with_other_value(each, candidate.text) for each in alike):
        return False
    return _lacks(plan.looks.stated((candidate.source_id,)), claim)


def _lacks(stated: StatedValues, claim: str) -> bool:
    unstated = stated.unstated_in(claim, is_told=True)
    return bool(unstated.values or unstated.derived)
