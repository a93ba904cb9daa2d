"""Puts an answer right: of each claim that the evidence does not bear out, what makes it so.

Candidates are tried in one batch, the likeliest of each claim first: a value, a name or a small
word by that of the sentence which decides, a clause left out, another citation. Each is verified as
the claim was. Where none comes out SUPPORTED, a backend that can write is asked for one more. What
does not come out SUPPORTED is never shown; its sentence is left out instead.
The corrected answer is verified in its turn, and what holds alone but not there is left out, too.
"""

import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from groundwire_verifier.checks.answers import AnswerClaims, report_on, summarise
from groundwire_verifier.checks.corrections.correction import Correction, Edit, EditKind, edited
from groundwire_verifier.checks.corrections.edited_text import AnswerPlaces
from groundwire_verifier.checks.corrections.leaning import (
    Leaning,
    Made,
    leaning_on,
    made_by,
)
from groundwire_verifier.checks.corrections.replacements import (
    Change,
    Compared,
    agreeing,
    changed,
)
from groundwire_verifier.checks.corrections.rewriting import ENDS, rewritten
from groundwire_verifier.checks.corrections.shortening import clauses
from groundwire_verifier.checks.explanations.candidates import NUMBER, Candidates
from groundwire_verifier.checks.explanations.constituents import put
from groundwire_verifier.domain.claims import CitationSyntax, Claim, NonAssertive, Span
from groundwire_verifier.domain.errors import (
    BackendUnavailableError,
    DeadlineUnreachableError,
    InvalidInputError,
)
from groundwire_verifier.domain.tasks import AnswerLimit, in_thread
from groundwire_verifier.progress import VerificationPlan
from groundwire_verifier.session import Session
from groundwire_verifier.verdicts.questions import MOST_QUESTIONS_A_CLAIM, ClaimTask
from groundwire_verifier.verdicts.types import (
    UNREAD,
    AnswerClaim,
    AnswerSummary,
    ClaimVerdict,
    PassageRelation,
    Reason,
    Verdict,
)
from groundwire_verifier.verification import VerificationInput

MOST_READINGS = 96
"""The most readings of the candidates of one answer."""
MOST_REPLACED = 6
MOST_CLAUSES = 6
MOST_CITED = 2
"""Candidates of one claim, by what they do."""
MOST_SENTENCES, MOST_SENTENCES_OF_A_CLAIM = 3, 5
"""From how many sentences of the sources one claim takes what it lacks: by one way to look for
them, and by all."""
MOST_CHECKS = 3
"""How often a corrected answer is verified. What does not hold in it is left out for the next."""

_NOT_BORNE_OUT = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.UNCERTAIN)
_WRONG = (*_NOT_BORNE_OUT, Verdict.MISCITED, Verdict.PRIOR_KNOWLEDGE)
_ASSERTING = (None, NonAssertive.INSTRUCTION, NonAssertive.ABSENCE)

Find = Callable[[str], Awaitable[AnswerClaims]]
"""Finds the claims of the corrected answer. Raises InvalidInputError for what is beyond a limit."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of a source that may decide a claim; `span` is where it was sent."""

    source_id: str
    span: Span
    text: str

    @property
    def plain(self) -> str:
        """Its text in one line: an answer gets no line breaks of a wrapped one."""
        return " ".join(self.text.splitlines())


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Edits of one claim, and the claim with them. The first one of a claim has the rank 0."""

    claim: int
    rank: int
    task: ClaimTask
    edits: tuple[Edit, ...]


async def correct(
    session: Session,
    plan: VerificationPlan,
    verdicts: Sequence[ClaimVerdict],
    found: AnswerClaims,
    *,
    syntax: CitationSyntax,
    candidates: Candidates,
    find: Find,
) -> Correction:
    """The correction of an answer with these verdicts on its claims.

    The verdicts are explained, and `found` are the claims of the plan, whose citations are
    written in this `syntax`. `candidates` are of its evidence. It returns by the session's
    time, and when the engine fails, with what is known by then.
    """
    reads = _Reads(session, plan)
    work = await in_thread(_Work, plan, verdicts, found, syntax, candidates)
    await in_thread(work.search, session.answer_by_s)
    tried = work.tried
    read = await reads.verified([each.task for each in tried]) if tried else ()
    if read is not None and plan.info.writes and (unsolved := work.unsolved(read)):
        written = await rewritten(session, plan.backend, unsolved)
        more = await in_thread(work.add_written, unsolved, written)
        read_more = await reads.verified([each.task for each in more]) if more else ()
        read = (*read, *(read_more or ()))
    edits, untried = await in_thread(work.chosen, read)
    return await _checked(work, edits, untried, reads, find)


async def _checked(
    work: "_Work",
    edits: tuple[Edit, ...],
    untried: tuple[int, ...],
    reads: "_Reads",
    find: Find,
) -> Correction:
    """The correction whose edits hold in the corrected answer, as far as that was read."""
    if not edits:
        return Correction(work.found.answer, (), work.summary, untried)
    for _ in range(MOST_CHECKS):
        text = edited(work.found.answer, edits)
        if not any(map(str.isalnum, text)):
            return Correction("", work.all_left_out(edits), work.summary_of_nothing, untried)
        made = made_by(edits)
        report = await reads.report(text, find, made)
        if report is None:
            # Nobody has seen what leans on an edit, so that neither of them is shown.
            leaning = leaning_on(work.found, [Made(edit, edit.span) for edit in edits])
            edits = await in_thread(work.leaving_out, edits, work.told_of(leaning))
            return Correction(edited(work.found.answer, edits), edits, None, untried)
        claims, summary, misled = report
        misleading = work.misleading(misled, made)
        if misleading is None:
            break
        failing = _failing(made, claims, work.not_held) | misleading
        if not failing:
            return Correction(text, edits, summary, untried)
        edits = await in_thread(work.leaving_out, edits, failing)
    # What cannot be made to hold is not shown.
    return Correction(work.found.answer, (), work.summary, tuple(sorted(work.wrong)))


class _Reads:
    """What a correction has verified in a session, all of it until the session's time."""

    def __init__(self, session: Session, plan: VerificationPlan) -> None:
        self._session = session
        self._plan = plan

    async def verified(self, tasks: Sequence[ClaimTask]) -> tuple[ClaimVerdict, ...] | None:
        """Claims verified as those of the answer were; None where nothing is known of any."""
        plan, session = self._plan, self._session
        batch = VerificationInput(
            tuple(tasks),
            plan.evidence,
            replace(plan.options, explain=False, attribute_citations=False),
            plan.fields.context,
            plan.fields.prompts,
        )
        try:
            async with AnswerLimit(session.answer_by_s) as limit:
                limit.begin()
                read = await session.read(
                    await session.plan(batch), urgency=session.urgency.of_follow_up()
                )
                return read.verdicts
        except (BackendUnavailableError, DeadlineUnreachableError, InvalidInputError):
            # The verdicts stand without it.
            pass
        return None

    async def report(
        self, text: str, find: Find, made: Sequence[Made]
    ) -> tuple[list[AnswerClaim], AnswerSummary, list[Leaning]] | None:
        """The claims of a corrected answer and its summary; None where they are not known.

        With them come the claims that do not hold together with what they lean on, which is not
        what it was before the edits.
        """
        found: AnswerClaims | None = None
        try:
            async with AnswerLimit(self._session.answer_by_s) as limit:
                limit.begin()
                found = await find(text)
        except InvalidInputError:
            pass
        if found is None:
            return None
        leaning = await in_thread(leaning_on, found, made)
        together = [each.task for each in leaning if each.task is not None]
        verdicts = await self.verified([*found.tasks, *together])
        if verdicts is None:
            return None
        plan, count = self._plan, len(found.tasks)
        report = report_on(found, verdicts[:count], plan.options.thresholds, plan.info.languages)
        read = iter(verdicts[count:])
        misled = [each for each in leaning if each.task is None or not next(read).grounded]
        return *report, misled


class _Work:
    """What is wrong in an answer, what is tried, and what comes of it.

    `wrong` are the claims to correct, by their index; `tried` the candidates that are read.
    """

    def __init__(
        self,
        plan: VerificationPlan,
        verdicts: Sequence[ClaimVerdict],
        found: AnswerClaims,
        syntax: CitationSyntax,
        candidates: Candidates,
    ) -> None:
        self.found = found
        self._plan = plan
        self._verdicts = verdicts
        self._candidates = candidates
        self._places = AnswerPlaces(found.answer, syntax, plan.evidence.title_of)
        self._claims = {i: each.claim for i, each in enumerate(found.claims)}
        self.not_held = frozenset(
            each.claim.content
            for each in found.claims
            if each.verdict is None or not each.verdict.grounded
        )
        """What the claims say that were not SUPPORTED in the answer."""
        of_claim = dict(zip(found.indexes, verdicts, strict=True))
        self._tasks = dict(zip(found.indexes, plan.tasks, strict=True))
        self._supported = [i for i, each in of_claim.items() if each.grounded]
        self.wrong = {
            i: verdict
            for i, verdict in of_claim.items()
            if verdict.verdict in _WRONG or verdict.reason is Reason.UNKNOWN_CITATION
            if self._claims[i].non_assertive in _ASSERTING
        }
        self._of_claim: dict[int, list[_Candidate]] = {}
        self._unsearched: set[int] = set()
        self.tried: list[_Candidate] = []

    def search(self, answer_by_s: float) -> None:
        """Find the candidates of each claim; none is begun after `answer_by_s`, monotonic."""
        for i in self.wrong:
            if time.monotonic() >= answer_by_s:
                self._unsearched.add(i)
            self._of_claim[i] = [] if i in self._unsearched else list(self._ranked(i))
        most = MOST_READINGS // MOST_QUESTIONS_A_CLAIM
        # The likeliest candidate of each claim comes before the second of any.
        all_candidates = [each for found in self._of_claim.values() for each in found]
        self.tried = sorted(all_candidates, key=lambda each: each.rank)[:most]

    @property
    def summary(self) -> AnswerSummary:
        thresholds, languages = self._plan.options.thresholds, self._plan.info.languages
        return report_on(self.found, self._verdicts, thresholds, languages)[1]

    @property
    def summary_of_nothing(self) -> AnswerSummary:
        """That of an answer of which nothing is left."""
        return summarise("", (), self.found.language, self._plan.options.thresholds)

    def chosen(
        self, verdicts: Sequence[ClaimVerdict] | None
    ) -> tuple[tuple[Edit, ...], tuple[int, ...]]:
        """The edits of each claim: the first candidate that is SUPPORTED, or else its sentence left
        out. With it come the claims of which a likelier candidate was not read.

        `verdicts` are those of the candidates that are read.
        """
        read = self._by_rank(verdicts or ())
        edits: list[Edit] = []
        left: list[int] = []
        untried: list[int] = []
        for i, candidates in self._of_claim.items():
            accepted, missed = _first_that_holds(candidates, read)
            if missed or i in self._unsearched:
                untried.append(i)
            if accepted is None:
                left.append(i)
                continue
            candidate, verdict = accepted
            p1 = None if verdict.posterior is None else verdict.posterior.probability
            edits += [replace(edit, probability=p1) for edit in candidate.edits]
        return self._merged(edits, left), tuple(untried)

    def unsolved(self, verdicts: Sequence[ClaimVerdict]) -> dict[int, tuple[str, Sequence[str]]]:
        """The claims, with the sentences that may decide them, of which no candidate holds."""
        read = self._by_rank(verdicts)
        return {
            i: (self._claims[i].content, [each.text for each in sentences])
            for i, candidates in self._of_claim.items()
            if _may_be_reworded(self.wrong[i])
            and _first_that_holds(candidates, read)[0] is None
            and (sentences := self._sentences(i))
        }

    def add_written(
        self, asked: Collection[int], written: Mapping[int, str | None]
    ) -> list[_Candidate]:
        """New candidates: these claims as a model has written them. Of those `asked` for that it
        did not write not all is tried."""
        self._unsearched |= set(asked) - set(written)
        found: list[_Candidate] = []
        for i, text in written.items():
            claim = self._claims[i]
            change = Change(
                Span(0, len(claim.content.rstrip(ENDS))), text or "", EditKind.REWRITTEN
            )
            task = self._task(i, changed(claim.content, [change])) if text else None
            span = self._places.replacing(claim, change)
            if task is not None and span is not None:
                by = self._sentences(i)[0]
                edit = Edit(span, change.other, change.kind, i, by.source_id, by.span)
                found.append(_Candidate(i, len(self._of_claim[i]), task, (edit,)))
                self._of_claim[i].append(found[-1])
        self.tried += found
        return found

    def _by_rank(self, verdicts: Sequence[ClaimVerdict]) -> dict[tuple[int, int], ClaimVerdict]:
        """The verdicts of what was tried, by claim and rank."""
        return {
            (each.claim, each.rank): verdict
            for each, verdict in zip(self.tried, verdicts, strict=False)
        }

    def leaving_out(self, edits: Sequence[Edit], claims: frozenset[int]) -> tuple[Edit, ...]:
        """The edits with the sentences of these claims left out."""
        kept = [e for e in edits if e.kind is not EditKind.SENTENCE_LEFT_OUT]
        kept = [edit for edit in kept if edit.claim not in claims]
        out = {edit.claim for edit in edits if edit.kind is EditKind.SENTENCE_LEFT_OUT}
        return self._merged(kept, sorted(out | claims))

    def misleading(self, misled: Sequence[Leaning], made: Sequence[Made]) -> frozenset[int] | None:
        """What to leave out for claims of the corrected answer that no longer say what they said:
        the claims whose edits have changed it, or, where those are gone, these claims. None where
        one of them is not among the claims of the answer, so that it cannot be left out."""
        failing: set[int] = set()
        for each in misled:
            own = [one.edit.claim for one in made if one.stays and one.stands_in(each.claim)]
            out = each.changed or set((own or self._like(each.claim))[:1])
            if not out:
                return None
            failing |= out
        return frozenset(failing)

    def told_of(self, leaning: Sequence[Leaning]) -> frozenset[int]:
        """The claims that lean on an edit, and those whose edits they lean on."""
        found = {i for each in leaning for i in (*each.changed, *self._like(each.claim))}
        return frozenset(found)

    def _like(self, claim: Claim) -> list[int]:
        """The claims of the answer with the words of this one."""
        return [i for i, each in self._claims.items() if each.content == claim.content]

    def all_left_out(self, edits: Sequence[Edit]) -> tuple[Edit, ...]:
        """One edit that leaves out the answer."""
        span = Span(0, len(self.found.answer))
        return (Edit(span, "", EditKind.SENTENCE_LEFT_OUT, edits[0].claim),)

    def _merged(self, edits: Sequence[Edit], left: Sequence[int]) -> tuple[Edit, ...]:
        """Edits in order without overlap: what leaves out more goes before what is within it.

        Of a claim some of whose edits cannot be made none is, and its sentence is left out.
        """
        left = sorted(left)
        while True:
            stays = {*self._supported, *(edit.claim for edit in edits)} - set(left)
            staying = [self._claims[i] for i in sorted(stays)]
            out = self._places.without({i: self._claims[i] for i in left}, staying)
            taken = list(out)
            dropped: set[int] = set()
            for edit in edits:
                met = [each for each in taken if each.span.overlaps(edit.span)]
                if not met:
                    taken.append(edit)
                elif not all(_is_same(each, edit) or each in out for each in met):
                    dropped.add(edit.claim)
            if dropped <= set(left):
                return tuple(sorted(taken, key=lambda each: each.span))
            left = sorted({*left, *dropped})
            edits = [edit for edit in edits if edit.claim not in dropped]

    def _ranked(self, i: int) -> Iterator[_Candidate]:
        """The candidates of a claim, each text and citation once, the likeliest first."""
        said: set[tuple[str, tuple[str, ...]]] = set()
        rank = 0
        for task, edits in self._candidates_of(i):
            key = task.text, task.cited_ids
            if key not in said:
                said.add(key)
                yield _Candidate(i, rank, task, edits)
                rank += 1

    def _candidates_of(self, i: int) -> Iterator[tuple[ClaimTask, tuple[Edit, ...]]]:
        verdict = self.wrong[i]
        if _may_be_reworded(verdict):
            yield from islice(self._replaced(i), MOST_REPLACED)
            yield from islice(self._shortened(i), MOST_CLAUSES)
        elif verdict.verdict is Verdict.MISCITED or verdict.reason is Reason.UNKNOWN_CITATION:
            yield from islice(self._recited(i), MOST_CITED)

    def _replaced(self, i: int) -> Iterator[tuple[ClaimTask, tuple[Edit, ...]]]:
        claim, verdict = self._claims[i], self.wrong[i]
        derived = [each.value for each in verdict.derived_values]
        said: set[str] = set()

        def compared(sentence: _Sentence) -> Compared:
            return Compared(claim.content, sentence.plain, verdict.unstated_values, derived)

        def found() -> Iterator[tuple[_Sentence, tuple[Change, ...]]]:
            sentences = [(each, compared(each)) for each in self._sentences(i)]
            against = self._against(i)
            yield from ((each, changes) for each, by in sentences for changes in by.likely())
            yield from ((each, changes) for each, by in sentences for changes in by.less_likely())
            yield from (
                (each, changes)
                for each, by in sentences
                if each in against
                for changes in by.contradicted()
            )

        for sentence, put_in in found():
            changes = agreeing(claim.content, put_in)
            edits = [
                Edit(span, each.other, each.kind, i, sentence.source_id, sentence.span)
                for each in changes
                if (span := self._places.replacing(claim, each)) is not None
            ]
            task = self._task(i, changed(claim.content, changes))
            if task is not None and task.text not in said and len(edits) == len(changes):
                said.add(task.text)
                yield task, tuple(self._without_gaps(each) for each in edits)

    def _without_gaps(self, edit: Edit) -> Edit:
        """A word that is left out takes the blank behind it along."""
        behind = self.found.answer[edit.span.end :]
        if edit.replacement or not behind.startswith(" "):
            return edit
        return replace(edit, span=Span(edit.span.start, edit.span.end + 1))

    def _shortened(self, i: int) -> Iterator[tuple[ClaimTask, tuple[Edit, ...]]]:
        claim, explanation = self._claims[i], self.wrong[i].explanation
        marked = [each.span for each in explanation.spans if each.kind] if explanation else []
        placed = [
            (place, part)
            for part in clauses(claim.content)
            if (place := self._places.leaving_out(claim, part.cut)) is not None
        ]
        # Those that hold what the evidence does not bear out come first.
        placed.sort(key=lambda pair: not any(pair[0][0].overlaps(span) for span in marked))
        for (span, other), part in placed:
            content = self._places.shortened(claim.content, part.cut)
            if (task := self._task(i, content)) is not None:
                yield task, (Edit(span, other, EditKind.CLAUSE_LEFT_OUT, i),)

    def _recited(self, i: int) -> Iterator[tuple[ClaimTask, tuple[Edit, ...]]]:
        claim, task, verdict = self._claims[i], self._tasks[i], self.wrong[i]
        near = self._candidates.for_claim(task.text, (), MOST_SENTENCES)
        known = tuple(each for each in task.cited_ids if each not in verdict.unknown_ids)
        if verdict.unknown_ids and known:
            rights = [known]
        elif verdict.unknown_ids:
            rights = [(each.source_id,) for each in near]
        else:
            rights = [(each.id,) for each in verdict.other_sources if each.carries]
        others = [self._claims[j] for j in self._supported]
        shared = {each.span for other in others for each in other.citations}
        for ids in dict.fromkeys(rights):
            first = claim.citations[0]
            cited = ids
            new = {each: ids if each is first else () for each in claim.citations}
            if any(each.span in shared for each in claim.citations):
                # Another claim stands on it, so that the right one is added.
                cited = tuple(dict.fromkeys((*task.cited_ids, *ids)))
                new = {first: tuple(dict.fromkeys((*first.ids, *ids)))}
            right = cited[-1]
            near = self._candidates.for_claim(task.text, cited, MOST_SENTENCES)
            place = next((each.span for each in near if each.source_id == right), None)
            edits = tuple(
                Edit(span, other, EditKind.CITATION_CHANGED, i, right, place)
                for span, other in self._places.recited(claim, new)
            )
            if edits:
                yield replace(task, cited_ids=cited), edits

    def _sentences(self, i: int) -> list[_Sentence]:
        """The sentences that may decide a claim: those that contradict it, then those that share
        most words with it, and last those that do so but for its numbers, which may be wrong."""
        told, task = self._against(i), self._tasks[i]
        for text in (task.text, NUMBER.sub(" ", task.text)):
            near = self._candidates.for_claim(text, task.cited_ids, MOST_SENTENCES)
            told += [_Sentence(each.source_id, each.span, each.text) for each in near]
        return list(dict.fromkeys(told))[:MOST_SENTENCES_OF_A_CLAIM]

    def _against(self, i: int) -> list[_Sentence]:
        """The sentences that were read to contradict a claim."""
        explanation = self.wrong[i].explanation
        return [
            _Sentence(each.source_id, each.span, each.text)
            for each in (() if explanation is None else explanation.passages)
            if each.relation is PassageRelation.CONTRADICTS
        ]

    def _task(self, i: int, content: str) -> ClaimTask | None:
        """A claim with other words; None if what is read of it does not hold its own."""
        task, own = self._tasks[i], self._claims[i].content
        at = task.text.rfind(own)
        if at < 0:
            return None
        text = put(task.text, Span(at, at + len(own)), content)
        return replace(task, text=text, own=content if task.own else "")


def _may_be_reworded(verdict: ClaimVerdict) -> bool:
    return verdict.verdict in _NOT_BORNE_OUT and verdict.reason is not Reason.FALSE_ABSENCE


def _first_that_holds(
    candidates: Sequence[_Candidate], read: Mapping[tuple[int, int], ClaimVerdict]
) -> tuple[tuple[_Candidate, ClaimVerdict] | None, bool]:
    """The likeliest candidate that is SUPPORTED, and whether a likelier one was not read."""
    missed = False
    for each in candidates:
        verdict = read.get((each.claim, each.rank))
        if verdict is None or verdict.reason in UNREAD:
            missed = True
        elif verdict.grounded and not verdict.unstated_values:
            return (each, verdict), missed
    return None, missed


def _is_same(one: Edit, other: Edit) -> bool:
    return (one.span, one.replacement) == (other.span, other.replacement)


def _failing(
    made: Sequence[Made], claims: Sequence[AnswerClaim], not_held: frozenset[str]
) -> frozenset[int]:
    """The claims whose edits stand in a claim of the corrected answer that is not SUPPORTED.

    In one where no edit stands the edit before it has changed what it speaks of, such as its
    subject, unless it is one of those that had not held in the answer.
    """
    failing: set[int] = set()
    kept = [each for each in made if each.stays]
    for each in filter(_does_not_hold, claims):
        within = {one.edit.claim for one in kept if one.stands_in(each.claim)}
        before = [one.edit.claim for one in kept if one.span.end <= each.claim.span.start]
        failing |= within or (set() if each.claim.content in not_held else set(before[-1:]))
    return frozenset(failing)


def _does_not_hold(claim: AnswerClaim) -> bool:
    verdict = claim.verdict
    if verdict is None or verdict.reason in UNREAD | {Reason.NON_ASSERTIVE}:
        return False
    return not verdict.grounded
