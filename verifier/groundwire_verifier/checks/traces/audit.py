"""The use case of a trace: each step judged by its evidence, and the answer by the steps."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from groundwire_verifier.checks.traces.post_hoc import PostHocChecker, not_checked, words_for
from groundwire_verifier.checks.traces.reading import TraceReader
from groundwire_verifier.checks.traces.steps import (
    audited,
    is_entailed,
    step_documents,
    tasks_of,
    without_evidence,
)
from groundwire_verifier.checks.traces.trace import (
    ASSERTS_NOTHING,
    PostHoc,
    PostHocReason,
    PostHocStatus,
    StepAudit,
    StepStatus,
    Trace,
    TraceAudit,
    Unverifiable,
)
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import BackendUnavailableError
from groundwire_verifier.domain.evidence import Evidence, NonEvidence
from groundwire_verifier.domain.tasks import in_thread, task_group
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.progress import VerificationPlan
from groundwire_verifier.session import Session
from groundwire_verifier.verdicts.judging import unread_verdict
from groundwire_verifier.verdicts.types import ClaimVerdict

BELIEVING_ROUNDS = 3
"""Rounds in which all steps are read that a belief asks for. A trace that is not settled then
changes its mind at nearly every step, so each further round reads the next step alone."""


@dataclass(frozen=True, slots=True)
class StepQuestion:
    """A step by its index, and the indexes of the steps before it that are its evidence."""

    step: int
    premises: tuple[int, ...]


class Settling:
    """What is known of the steps of a trace. `asserts` says of each whether it claims anything.

    A step is judged by the steps before it that are entailed, which are known only when those are
    judged. So each is read with the steps that are believed to hold: first all of them, then those
    that held when they were read last. What was read with others than those that hold in the end is
    read again. The verdicts that are settled are those of steps judged one after the other,
    whatever was believed on the way.
    """

    def __init__(self, asserts: Sequence[bool]) -> None:
        self._asserting = [i for i, does in enumerate(asserts) if does]
        self._known: dict[StepQuestion, Sequence[ClaimVerdict]] = {}
        self._held: dict[int, bool] = {}
        self.rounds = 0

    def next_round(self) -> list[StepQuestion]:
        """What has to be read now, in the order of the steps; nothing if all are settled.

        The first of them is judged by what holds for certain, so each round settles one at least.
        """
        wanted: list[StepQuestion] = []
        premises: tuple[int, ...] = ()
        for step in self._asserting:
            question = StepQuestion(step, premises)
            if question not in self._known:
                wanted.append(question)
            if self._holds(question):
                premises = (*premises, step)
        self.rounds += bool(wanted)
        return wanted if self.rounds <= BELIEVING_ROUNDS else wanted[:1]

    def take(self, question: StepQuestion, verdicts: Sequence[ClaimVerdict]) -> None:
        self._known[question] = verdicts
        self._held[question.step] = is_entailed(verdicts)

    def settled(self) -> dict[int, Sequence[ClaimVerdict]]:
        """The verdicts of the steps that were judged by what holds. The others are missing.

        A step that is missing is evidence for nothing, so those that were read with it are, too.
        """
        found: dict[int, Sequence[ClaimVerdict]] = {}
        premises: tuple[int, ...] = ()
        for step in self._asserting:
            verdicts = self._known.get(StepQuestion(step, premises))
            if verdicts is not None:
                found[step] = verdicts
                if is_entailed(verdicts):
                    premises = (*premises, step)
        return found

    def _holds(self, question: StepQuestion) -> bool:
        """Whether a step is entailed, or else whether it is believed to be."""
        verdicts = self._known.get(question)
        return self._held.get(question.step, True) if verdicts is None else is_entailed(verdicts)


_UNSUPPORTED = (StepStatus.CONTRADICTED, StepStatus.NOT_IN_CONTEXT)
_NOT_WANTED = (PostHocReason.NO_ANSWER, PostHocReason.NOT_ASKED)


class TraceAuditor:
    """Audits traces, with verdicts and limits that are those of every claim."""

    def __init__(self, post_hoc: PostHocChecker) -> None:
        self._post_hoc = post_hoc

    async def audit(
        self, trace: Trace, session: Session, non_evidence: Sequence[NonEvidence] = ()
    ) -> TraceAudit:
        """Judge the steps and check the answer. `non_evidence` are sentences of the evidence.

        Once something is known it returns by the session's time, and when the engine fails. Until
        then it raises what `Verifier.plan` and `Verifier.read` do, and goes on.
        """
        reader = TraceReader(session, trace.options)
        settling = Settling([bool(step.claims) for step in trace.steps])
        checking: asyncio.Task[PostHoc] | None = None
        async with session.limit, task_group() as group:
            checking = group.create_task(self._post_hoc.check(trace, reader))
            if trace.evidence is not None:
                evidence = trace.evidence
                if trace.options.skip_non_evidence:
                    evidence = await in_thread(evidence.leaving_out, non_evidence)
                _check_size(trace, evidence, session.verifier.limits)
                await _judge(trace, evidence, settling, reader)
        if session.error is not None and not session.limit.has_begun:
            raise session.error
        post_hoc = not_checked(session.reason, words_for(trace))
        if checking is not None and checking.done() and not checking.cancelled():
            post_hoc = checking.result()
        return await _summed_up(trace, settling, reader, post_hoc, non_evidence)


async def _judge(trace: Trace, evidence: Evidence, settling: Settling, reader: TraceReader) -> None:
    """Read steps until all are settled, or something went wrong."""
    documents = step_documents(trace.steps, evidence.ids)
    urgency = reader.session.urgency

    async def read(wanted: StepQuestion, plan: VerificationPlan) -> None:
        verdicts = await reader.verdicts(plan, urgency)
        if verdicts:
            settling.take(wanted, verdicts)

    while reader.session.error is None and (round_ := settling.next_round()):
        try:
            # All are tokenised before any is read: what is too long is refused whole.
            plans = [
                await reader.plan(
                    tasks_of(trace.steps[wanted.step], reader.options),
                    evidence.and_documents([documents[i] for i in wanted.premises]),
                    "evidence",
                )
                for wanted in round_
            ]
        except BackendUnavailableError as error:
            reader.session.keep(error)
            return
        async with task_group() as group:
            # In this order: the context is the same, and each adds to the steps of the one before.
            for wanted, plan in zip(round_, plans, strict=True):
                group.create_task(read(wanted, plan))
        urgency = urgency.of_follow_up()


async def _summed_up(
    trace: Trace,
    settling: Settling,
    reader: TraceReader,
    post_hoc: PostHoc,
    non_evidence: Sequence[NonEvidence],
) -> TraceAudit:
    session = reader.session
    settled = settling.settled()
    verdicts = {
        i: settled.get(i)
        or [unread_verdict(task, session.reason, "") for task in tasks_of(step, reader.options)]
        for i, step in enumerate(trace.steps)
    }
    if trace.evidence is None:
        steps = [without_evidence(step) for step in trace.steps]
        verdicts = {}
    else:
        steps = [audited(step, verdicts[i]) for i, step in enumerate(trace.steps)]
    flat = [verdict for each in verdicts.values() for verdict in each]
    if post_hoc.verdict is not None:
        flat.append(post_hoc.verdict)
    is_cut_short = session.limit.has_expired or session.error is not None
    return TraceAudit(
        steps=tuple(steps),
        first_unsupported=next((i for i, s in enumerate(steps) if s.status in _UNSUPPORTED), None),
        post_hoc=post_hoc,
        sound=_is_sound(steps, post_hoc),
        rounds=settling.rounds,
        verification=await session.result(
            flat, trace.options, session.reason if is_cut_short else None, non_evidence
        ),
    )


def _is_sound(steps: Sequence[StepAudit], post_hoc: PostHoc) -> bool:
    """Whether nothing of a trace leaves its evidence, and all of it was read."""
    entailed = [step.status is StepStatus.ENTAILED for step in steps]
    called = [step.unverifiable is Unverifiable.TOOL_CALL for step in steps]
    harmless = [step.unverifiable in ASSERTS_NOTHING for step in steps]
    follows = post_hoc.status is PostHocStatus.FOLLOWS or post_hoc.reason in _NOT_WANTED
    return any(map(max, entailed, called)) and all(map(max, entailed, harmless)) and follows


def _check_size(trace: Trace, evidence: Evidence, limits: Limits) -> None:
    """Refuse a trace whose evidence, again for each step and its prior, is too much to make."""
    grown = len(evidence.context)
    size = 0
    for step in trace.steps:
        size += 2 * grown * bool(step.claims)
        grown += len(step.text)
    checks.raise_any(checks.evidence_characters(size, limits, "steps"))
