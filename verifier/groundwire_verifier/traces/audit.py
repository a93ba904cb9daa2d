"""The use case of a trace: each step judged by its evidence, and the answer by the steps."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import BackendUnavailableError
from groundwire_verifier.domain.evidence import Evidence, NonEvidence
from groundwire_verifier.domain.threads import in_thread
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.progress import VerificationPlan
from groundwire_verifier.traces.post_hoc import PostHocChecker, not_checked
from groundwire_verifier.traces.reading import AuditCall, TraceReader
from groundwire_verifier.traces.settling import Settling, StepQuestion
from groundwire_verifier.traces.steps import audited, step_documents, tasks_of, without_evidence
from groundwire_verifier.traces.types import (
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
from groundwire_verifier.verdicts.judging import unread_verdict
from groundwire_verifier.verification import Verifier

_UNSUPPORTED = (StepStatus.CONTRADICTED, StepStatus.NOT_IN_CONTEXT)
_NOT_WANTED = (PostHocReason.NO_ANSWER, PostHocReason.NOT_ASKED)


class TraceAuditor:
    """Audits traces with a `Verifier`, whose verdicts and limits are those of every claim."""

    def __init__(self, verifier: Verifier, post_hoc: PostHocChecker) -> None:
        self.verifier = verifier
        self._post_hoc = post_hoc

    async def audit(
        self, trace: Trace, call: AuditCall, non_evidence: Sequence[NonEvidence] = ()
    ) -> TraceAudit:
        """Judge the steps and check the answer. `non_evidence` are sentences of the evidence.

        Once something is known it returns by `call.answer_by_s`, and when the engine fails. Until
        then it raises what `Verifier.plan` and `Verifier.run` do, and goes on.
        """
        limit = asyncio.timeout(None)
        reader = TraceReader(self.verifier, trace.options, call, limit)
        settling = Settling([bool(step.claims) for step in trace.steps])
        checking: asyncio.Task[PostHoc] | None = None
        try:
            async with limit, asyncio.TaskGroup() as group:
                checking = group.create_task(self._post_hoc.check(trace, reader))
                if trace.evidence is not None:
                    evidence = trace.evidence
                    if trace.options.skip_non_evidence:
                        evidence = await in_thread(evidence.leaving_out, non_evidence)
                    _check_size(trace, evidence, self.verifier.limits)
                    await _judge(trace, evidence, settling, reader)
        except TimeoutError:
            if not limit.expired():
                raise
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from errors
        if reader.error is not None and not reader.has_something:
            raise reader.error
        post_hoc = not_checked(reader.reason)
        if checking is not None and checking.done() and not checking.cancelled():
            post_hoc = checking.result()
        return await _summed_up(trace, settling, reader, post_hoc, non_evidence)


async def _judge(trace: Trace, evidence: Evidence, settling: Settling, reader: TraceReader) -> None:
    """Read steps until all are settled, or something went wrong."""
    documents = step_documents(trace.steps, evidence.ids)
    urgency = reader.call.urgency

    async def read(wanted: StepQuestion, plan: VerificationPlan) -> None:
        verdicts = await reader.verdicts(plan, urgency)
        if verdicts:
            settling.take(wanted, verdicts)

    while reader.error is None and (round_ := settling.next_round()):
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
            reader.failed(error)
            return
        async with asyncio.TaskGroup() as group:
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
    settled = settling.settled()
    verdicts = {
        i: settled.get(i)
        or [unread_verdict(task, reader.reason, "") for task in tasks_of(step, reader.options)]
        for i, step in enumerate(trace.steps)
    }
    if trace.evidence is None:
        steps = [without_evidence(step) for step in trace.steps]
        verdicts = {}
    else:
        steps = [audited(step, verdicts[i]) for i, step in enumerate(trace.steps)]
    flat = [verdict for each in verdicts.values() for verdict in each]
    verification = await reader.sum_up(
        flat if post_hoc.verdict is None else [*flat, post_hoc.verdict]
    )
    return TraceAudit(
        steps=tuple(steps),
        first_unsupported=next((i for i, s in enumerate(steps) if s.status in _UNSUPPORTED), None),
        post_hoc=post_hoc,
        sound=_is_sound(steps, post_hoc),
        rounds=settling.rounds,
        verification=replace(verification, options=trace.options, non_evidence=tuple(non_evidence)),
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
