"""Says why claims have their verdicts: the passages that decide, the words that the evidence does
not bear out, and sources that disagree.

All of it is read in one batch once the verdicts are there, the worst claims first. No verdict
changes by it, and none is made to look better: a claim that is not grounded shows no passage that
would carry it, and one that is grounded shows the sources that disagree. The model reads the same
words as for the verdict, so with values as the sources write them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from groundwire_verifier.checks.corpus.comparison import compare, holds_all_of, may_disagree
from groundwire_verifier.checks.explanations.candidates import Candidate, Candidates
from groundwire_verifier.checks.explanations.constituents import (
    Constituent,
    constituents,
    value_parts,
)
from groundwire_verifier.checks.explanations.in_answer import place_in
from groundwire_verifier.checks.explanations.other_values import OtherValues, SourceDays
from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.errors import BackendUnavailableError, InvalidInputError
from groundwire_verifier.domain.estimates import estimates_of
from groundwire_verifier.domain.tasks import AnswerLimit, in_thread
from groundwire_verifier.domain.types import Question, Reading, Template
from groundwire_verifier.progress import VerificationPlan
from groundwire_verifier.session import Session
from groundwire_verifier.verdicts.judging import stance_of
from groundwire_verifier.verdicts.looks import Looks
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.policy import Policy
from groundwire_verifier.verdicts.questions import ClaimTask, as_stated
from groundwire_verifier.verdicts.types import (
    ClaimVerdict,
    DecidingPassage,
    Explanation,
    PassageRelation,
    Reason,
    SourceConflict,
    Stance,
    UnsupportedSpan,
    Verdict,
)

MAX_PASSAGES = MAX_CONFLICTS = 4
"""Of single sentences that a claim is read with: to find the one that decides it, and for a
contradiction of a supported one."""
MAX_READS = 64
"""Of the claims of one answer with a part left out, to find the wrong words."""
MOST_PARTS = 12
"""The most readings of one claim with a part left out, so that one claim does not take all."""
SHARE_OF_BEST = 0.6
"""A part is singled out beside the best one if it lifts the probability by this share of that."""

_NOT_BORNE_OUT = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.UNCERTAIN)
_WORST_FIRST = (*_NOT_BORNE_OUT, Verdict.MISCITED, Verdict.PRIOR_KNOWLEDGE, Verdict.SUPPORTED)
_UNSTATED_TELL = (*_NOT_BORNE_OUT, Verdict.PRIOR_KNOWLEDGE)
"""Of a miscited claim other sources may state the values that those it cites do not. One that is
borne out has them from stated ones by more steps than are looked for: of those of right answers
that were written by hand nearly all have."""


@dataclass(frozen=True, slots=True)
class Said:
    """A claim's own words, and where they stand: `own` is the place of the claim in `text`.

    Of a claim that is not of an answer the text is the claim.
    """

    content: str
    text: str
    own: Span

    @classmethod
    def alone(cls, claim: str) -> "Said":
        """A claim by itself."""
        return cls(claim, claim, Span(0, len(claim)))


@dataclass(slots=True)
class _Wanted:
    """What is to be read of one claim; the numbers are those of the questions.

    `is_cut` says that not all of it may be read.
    """

    verdict: ClaimVerdict
    task: ClaimTask
    said: Said
    passages: list[tuple[Candidate, int, int | None]] = field(default_factory=list)
    others: list[tuple[Candidate, int, int | None]] = field(default_factory=list)
    unstated: list[Constituent] = field(default_factory=list)
    parts: list[tuple[Constituent, int]] = field(default_factory=list)
    is_cut: bool = False

    @property
    def questions(self) -> set[int]:
        pairs = [pair for _, *pair in (*self.passages, *self.others)]
        numbers = {number for pair in pairs for number in pair if number is not None}
        return numbers | {number for _, number in self.parts}


class _Questions:
    """The distinct questions of an explanation, at most `most`, in the order to read."""

    def __init__(self, most: int, splits: bool, cache_salt: str) -> None:
        self._most = most
        self._splits = splits
        self._cache_salt = cache_salt
        self._numbers: dict[Question, int] = {}

    @property
    def all(self) -> list[Question]:
        return list(self._numbers)

    def ask(self, claim: str, context: str, template: Template = Template.YES_NO) -> int | None:
        """The number of a question; None if there are too many already."""
        question = Question(claim, context, template, self._splits, self._cache_salt)
        if question not in self._numbers and len(self._numbers) >= self._most:
            return None
        return self._numbers.setdefault(question, len(self._numbers))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be read of claims, by their number, and of it what was read in time, by that of
    the question."""

    claims: Mapping[int, _Wanted] = field(default_factory=dict)
    questions: Sequence[Question] = ()
    readings: dict[int, Reading] = field(default_factory=dict)


async def explain(
    session: Session,
    plan: VerificationPlan,
    found: OtherValues,
    said: Sequence[Said],
) -> tuple[ClaimVerdict, ...]:
    """The verdicts of a plan with an explanation of each claim that was read.

    `found` has the verdicts and what is known of the plan's evidence, and `said` are the words
    of its claims, in their order. It returns by the session's time, and when the engine fails,
    with what is known by then.
    """
    verdicts, candidates = found.verdicts, found.candidates
    estimator = session.verifier.estimator
    asked = _Asked()
    try:
        async with AnswerLimit(session.answer_by_s) as limit:
            limit.begin()
            most = estimator.limits.prompts
            asked = await in_thread(_asked, plan, verdicts, said, candidates, most)
            if asked.questions:
                await session.ask_beside(plan, asked.questions, asked.readings.__setitem__)
    except (BackendUnavailableError, InvalidInputError):
        # The verdicts stand without it: what is known is told, and the rest is counted.
        pass
    known = _known(plan, asked, estimator.label_mass_floor)
    return await in_thread(_explained, known, verdicts, asked, found.days)


def _explained(
    known: "_Known",
    verdicts: Sequence[ClaimVerdict],
    asked: _Asked,
    days: SourceDays,
) -> tuple[ClaimVerdict, ...]:
    """The verdicts with what was read for them; those of claims without p1 as they are."""
    return tuple(
        verdict
        if _p1(verdict) is None
        else known.explained(asked.claims[at], days)
        if at in asked.claims
        else replace(verdict, explanation=Explanation())
        for at, verdict in enumerate(verdicts)
    )


def _asked(
    plan: VerificationPlan,
    verdicts: Sequence[ClaimVerdict],
    said: Sequence[Said],
    candidates: Candidates,
    most: int,
) -> _Asked:
    """What is to be read of each claim that has a probability, and the questions of all."""
    options, left = plan.options, MAX_READS
    questions = _Questions(most, options.split_long_context, plan.cache_salt)
    has_stances = Template.YES_NO_UNSURE in plan.info.profile.templates
    order = sorted(
        (i for i, verdict in enumerate(verdicts) if _p1(verdict) is not None),
        key=lambda i: (_rank(verdicts[i]), _p1(verdicts[i])),
    )
    wanted: dict[int, _Wanted] = {}
    for at in order:
        verdict, task = verdicts[at], plan.tasks[at]
        each = wanted[at] = _Wanted(verdict, task, said[at])
        found = candidates.for_claim(task.text, task.cited_ids, MAX_PASSAGES)
        asks = has_stances and verdict.verdict in _NOT_BORNE_OUT
        _ask_passages(each, each.passages, found, questions, asks)
        left -= _ask_parts(each, plan.looks, questions, left)
    for at in order:
        each, task = wanted[at], plan.tasks[at]
        if each.verdict.verdict is Verdict.SUPPORTED:
            others = candidates.of_each(task.text, MAX_CONFLICTS)
            _ask_passages(each, each.others, others, questions, has_stances)
    return _Asked(wanted, questions.all)


def _ask_passages(
    each: _Wanted,
    to: list[tuple[Candidate, int, int | None]],
    found: Sequence[Candidate],
    questions: _Questions,
    asks_for_stance: bool,
) -> None:
    for candidate in found:
        number = questions.ask(each.task.asked, candidate.context)
        if number is None:
            each.is_cut = True
            return
        stance = None
        if asks_for_stance:
            stance = questions.ask(each.task.asked, candidate.context, Template.YES_NO_UNSURE)
            each.is_cut |= stance is None
        to.append((candidate, number, stance))


def _ask_parts(each: _Wanted, looks: Looks, questions: _Questions, left: int) -> int:
    """Ask for a claim with parts left out; how many of `left` readings that takes."""
    verdict, task, content = each.verdict, each.task, each.said.content
    if verdict.verdict in _UNSTATED_TELL:
        each.unstated = value_parts(content, verdict.unstated_values)
    before, found, behind = task.text.partition(content)
    if verdict.verdict not in _NOT_BORNE_OUT or each.unstated or not found:
        return 0
    taken = 0
    for part in constituents(content, MOST_PARTS):
        text = as_stated(before + part.without + behind, task, looks)
        number = questions.ask(text, verdict.context) if taken < left else None
        if number is None:
            each.is_cut = True
            break
        each.parts.append((part, number))
        taken += 1
    return taken


def _known(plan: VerificationPlan, asked: _Asked, floor: float) -> "_Known":
    """What the readings say; without a probability where the label mass is below the floor."""
    probabilities: dict[int, float | None] = {}
    stances: dict[int, Stance] = {}
    for number, reading in asked.readings.items():
        if asked.questions[number].template is Template.YES_NO_UNSURE:
            stances[number] = stance_of(reading)
        else:
            (estimate,) = estimates_of([reading], floor, plan.info.calibration)
            probabilities[number] = estimate.probability
    return _Known(plan.options, probabilities, stances)


@dataclass(frozen=True, slots=True)
class _Known:
    """What was read, by the number of the question, and what it says."""

    options: VerifyOptions
    probabilities: Mapping[int, float | None]
    stances: Mapping[int, Stance]

    def explained(self, each: _Wanted, days: SourceDays) -> ClaimVerdict:
        verdict = each.verdict
        read = self.probabilities.keys() | self.stances.keys()
        complete = not each.is_cut and each.questions <= read
        passages = [
            told
            for passage in each.passages
            if (told := self._told(each.verdict, *passage)) is not None
            and _may_be_shown(told, each.verdict)
        ]
        if verdict.verdict is Verdict.CONTRADICTED and not passages:
            passages = self._nearest_against(each)
        passages.sort(key=_certainty)
        carrier = passages[0].source_id if passages else ""
        others = [told for other in each.others if (told := self._told(each.verdict, *other))]
        carriers = {
            told.source_id
            for told in (*passages, *others)
            if told.relation is PassageRelation.SUPPORTS
        }
        # A source that carries the claim elsewhere does not disagree with it.
        told_by_rule = {each.passage.source_id for each in verdict.conflicts}
        claim = verdict.claim
        stating = [
            told.text
            for told in (*passages, *others)
            if told.relation is PassageRelation.SUPPORTS and holds_all_of(claim, told.text)
        ] or [claim]
        against = [
            told
            for told in others
            if told.source_id not in carriers | told_by_rule
            and any(may_disagree(claim, each, told.text) for each in stating)
        ]
        explanation = Explanation(
            passages=tuple(passages),
            spans=self._spans(each, complete),
            complete=complete,
        )
        conflicts = tuple(
            SourceConflict(told, days.newer(told.source_id, carrier)) for told in against
        )
        return replace(verdict, explanation=explanation, conflicts=(*verdict.conflicts, *conflicts))

    def _told(
        self, verdict: ClaimVerdict, candidate: Candidate, number: int, stance: int | None
    ) -> DecidingPassage | None:
        """What a passage is to a claim; None if it is neither, or was not read."""
        if number not in self.probabilities:
            return None
        probability, thresholds = self.probabilities[number], self.options.thresholds
        said = None if stance is None else self.stances.get(stance)
        relation = None
        if probability is not None and probability >= thresholds.min_posterior:
            relation = PassageRelation.SUPPORTS
        elif said is not None and said.no >= max(said.yes, thresholds.min_contradiction):
            relation = PassageRelation.CONTRADICTS
        elif stance is not None:
            compared = compare(verdict.claim, candidate.text)
            if compared.is_alike and compared.difference is not None:
                relation = PassageRelation.CONTRADICTS
        if relation is None:
            return None
        if verdict.reason is Reason.FALSE_ABSENCE:
            # It was read whether the sources say what the claim denies that they say.
            relation = _OPPOSITE[relation]
            probability = None if probability is None else 1.0 - probability
        return DecidingPassage(
            candidate.source_id, candidate.span, candidate.text, relation, probability
        )

    def _nearest_against(self, each: _Wanted) -> list[DecidingPassage]:
        """The sentence that speaks most against a claim that all of the evidence speaks against;
        none where each rather carries it."""
        against = [
            (stance.no, candidate, number)
            for candidate, number, asked in each.passages
            if asked is not None and (stance := self.stances.get(asked)) is not None
            if stance.no > stance.yes
        ]
        if not against:
            return []
        _, candidate, number = max(against, key=lambda found: found[0])
        return [
            DecidingPassage(
                candidate.source_id,
                candidate.span,
                candidate.text,
                PassageRelation.CONTRADICTS,
                self.probabilities.get(number),
            )
        ]

    def _spans(self, each: _Wanted, complete: bool) -> tuple[UnsupportedSpan, ...]:
        """The words that are not borne out, where they stand."""
        said = each.said
        found = [*each.unstated, *(() if each.unstated else self._lifting(each))]
        placed = [
            UnsupportedSpan(span, part.kind)
            for part in found
            if (span := place_in(said.text, said.own, said.content, part.span)) is not None
        ]
        if placed or each.verdict.verdict not in _NOT_BORNE_OUT or not complete:
            return tuple(sorted(placed, key=lambda each: each.span))
        return (UnsupportedSpan(said.own, None),)

    def _lifting(self, each: _Wanted) -> list[Constituent]:
        """The parts without which the evidence bears the claim out; of nested ones the best."""
        thresholds, p1 = self.options.thresholds, _p1(each.verdict) or 0.0
        bar = thresholds.min_posterior
        if self.options.policy is Policy.BUDGET:
            bar = max(bar, each.verdict.confidence)
        lifts = [
            (probability - p1, part)
            for part, number in each.parts
            if (probability := self.probabilities.get(number)) is not None
            and probability >= bar
            and probability - p1 > thresholds.min_evidence_use
        ]
        lifts.sort(key=lambda pair: (-pair[0], pair[1].span.end - pair[1].span.start))
        chosen: list[Constituent] = []
        for lift, part in lifts:
            is_apart = not any(part.span.overlaps(other.span) for other in chosen)
            if is_apart and lift >= SHARE_OF_BEST * lifts[0][0]:
                chosen.append(part)
        return chosen


_OPPOSITE = {
    PassageRelation.SUPPORTS: PassageRelation.CONTRADICTS,
    PassageRelation.CONTRADICTS: PassageRelation.SUPPORTS,
}


def _may_be_shown(told: DecidingPassage, verdict: ClaimVerdict) -> bool:
    """Whether a passage agrees with the verdict: it would else make the claim look better."""
    if told.relation is PassageRelation.CONTRADICTS:
        return verdict.verdict in _NOT_BORNE_OUT
    if verdict.verdict is Verdict.MISCITED:
        return told.source_id not in verdict.cited_ids
    return verdict.verdict is Verdict.SUPPORTED


def _certainty(told: DecidingPassage) -> float:
    """Its place among others: the surest comes first."""
    probability = 0.5 if told.probability is None else told.probability
    return -probability if told.relation is PassageRelation.SUPPORTS else probability


def _rank(verdict: ClaimVerdict) -> int:
    known = verdict.verdict in _WORST_FIRST
    return _WORST_FIRST.index(verdict.verdict) if known else len(_WORST_FIRST)


def _p1(verdict: ClaimVerdict) -> float | None:
    return None if verdict.posterior is None else verdict.posterior.probability
