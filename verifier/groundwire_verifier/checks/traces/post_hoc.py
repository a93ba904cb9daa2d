"""Whether an answer follows from the steps alone, seen by somebody who sees nothing else.

A model that can derives the answer itself, and the two are compared. One that is too small is asked
whether the answer is true, with the steps as its evidence and without them.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from groundwire_verifier.checks.traces.derivation import Deriver
from groundwire_verifier.checks.traces.matching import answers_match
from groundwire_verifier.checks.traces.reading import TraceReader
from groundwire_verifier.checks.traces.steps import step_documents
from groundwire_verifier.checks.traces.trace import (
    Executor,
    PostHoc,
    PostHocReason,
    PostHocStatus,
    Trace,
)
from groundwire_verifier.checks.traces.trace_words import TraceWords, words_of
from groundwire_verifier.domain.claims import as_answer
from groundwire_verifier.domain.errors import (
    BackendUnavailableError,
    DeadlineUnreachableError,
    InvalidInputError,
    PromptTooLongError,
)
from groundwire_verifier.domain.evidence import Document, Evidence
from groundwire_verifier.text.claims.wording.sentence import language_of
from groundwire_verifier.text.quantities.values import result_of, stated
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import ClaimVerdict, Reason, Verdict

MAX_VALUE_WORDS = 5

_NOT_CHECKED = {
    Reason.OUT_OF_TIME: PostHocReason.OUT_OF_TIME,
    Reason.BACKEND_FAILED: PostHocReason.BACKEND_FAILED,
}


class PostHocChecker:
    """Checks answers with a deriver, or with the reader of their trace."""

    def __init__(self, deriver: Deriver, default_backend: str) -> None:
        self._deriver = deriver
        self._default_backend = default_backend

    async def check(self, trace: Trace, reader: TraceReader) -> PostHoc:
        """Whether the answer of a trace follows from what its steps claim."""
        words = words_for(trace)
        if not trace.answer:
            return _skipped(PostHocReason.NO_ANSWER, words)
        if not trace.check_post_hoc:
            return _skipped(PostHocReason.NOT_ASKED, words)
        documents = step_documents(trace.steps, ())
        claiming = [
            Document(document.id, step.premise)
            for document, step in zip(documents, trace.steps, strict=True)
            if step.premise
        ]
        if not claiming:
            reason = PostHocReason.NO_ANSWER_DERIVED
            return PostHoc(PostHocStatus.MISMATCH, reason, words.no_premise)
        try:
            return await self._check(trace, claiming, reader)
        except (InvalidInputError, PromptTooLongError) as error:
            return _skipped(PostHocReason.UNREADABLE, words, str(error))
        except (BackendUnavailableError, DeadlineUnreachableError) as error:
            reader.session.keep(error)
            return not_checked(reader.session.reason, words_for(trace))

    async def _check(self, trace: Trace, steps: Sequence[Document], reader: TraceReader) -> PostHoc:
        session = reader.session
        backend = trace.options.backend or self._default_backend
        if await self._deriver.can_derive(backend, session.urgency):
            derived = await self._deriver.derive(
                backend,
                trace.question,
                [step.text for step in steps],
                session.urgency,
                cache_salt=session.cache_salt,
                trace_headers=session.trace_headers,
            )
            session.limit.begin()
            return compared(trace.answer, derived, words_for(trace))
        return await self._read(trace, steps, reader)

    async def _read(self, trace: Trace, steps: Sequence[Document], reader: TraceReader) -> PostHoc:
        """Whether the steps support the answer, and so does the last of them, of a mere value.

        The steps name much on their way that is not their outcome, and a small model takes any of
        it for the answer to the question. So the conclusion is asked by itself, too. What is longer
        than a value may sum up several steps.
        """
        plans = [await reader.plan([_task(trace, reader)], Evidence.of_documents(steps), "steps")]
        if _is_value(trace.answer) and not stated(trace.answer).is_bare:
            conclusion = Document(steps[-1].id, _conclusion(trace))
            task = _task(replace(trace, question=""), reader)
            plans.append(await reader.plan([task], Evidence.of_documents([conclusion]), "steps"))
        found = await asyncio.gather(*(reader.verdicts(plan) for plan in plans))
        if not all(found):
            return not_checked(reader.session.reason, words_for(trace))
        by_steps, *by_conclusion = [verdict for (verdict,) in found]
        return read(words_for(trace), by_steps, *by_conclusion)


def compared(answer: str, derived: str, words: TraceWords) -> PostHoc:
    """What it means that this was derived from the steps."""
    by = Executor.GENERATION
    status = PostHocStatus.MISMATCH
    if not derived:
        reason = PostHocReason.NO_ANSWER_DERIVED
    elif answers_match(answer, derived):
        status, reason = PostHocStatus.FOLLOWS, PostHocReason.SAME_ANSWER
    else:
        reason = PostHocReason.OTHER_ANSWER
    return PostHoc(status, reason, words.answers[reason], by, derived)


def read(
    words: TraceWords, verdict: ClaimVerdict, by_conclusion: ClaimVerdict | None = None
) -> PostHoc:
    """What it means that the answer has this verdict on the steps, and one on their conclusion."""
    shown = verdict
    if verdict.verdict is Verdict.SUPPORTED and by_conclusion is not None:
        shown = verdict if by_conclusion.verdict is Verdict.SUPPORTED else by_conclusion
    if shown.reason in _NOT_CHECKED:
        return not_checked(shown.reason, words)
    if shown.verdict is Verdict.NOT_VERIFIED:
        status, reason = PostHocStatus.NOT_CHECKED, PostHocReason.UNREADABLE
    elif shown is by_conclusion:
        status, reason = PostHocStatus.MISMATCH, PostHocReason.OTHER_CONCLUSION
    elif shown.verdict is Verdict.SUPPORTED:
        status, reason = PostHocStatus.FOLLOWS, PostHocReason.STEPS_SUPPORT
    else:
        status, reason = PostHocStatus.MISMATCH, PostHocReason.STEPS_DO_NOT_SUPPORT
    return PostHoc(status, reason, shown.reason_text, Executor.READ, verdict=shown)


def _is_value(answer: str) -> bool:
    """Whether an answer is a value such as `42 dollars`, and no statement of its own."""
    return len(answer.split()) <= MAX_VALUE_WORDS and not answer.rstrip().endswith((".", "!"))


def _conclusion(trace: Trace) -> str:
    """The last claim of the steps, of a calculation its result; or what a tool returned last."""
    last = next(step for step in reversed(trace.steps) if step.premise)
    return result_of(last.claims[-1].content) if last.claims else last.premise


def not_checked(reason: Reason, words: TraceWords) -> PostHoc:
    """Of a check that did not come to its end, for this reason."""
    return _skipped(_NOT_CHECKED[reason], words)


def _skipped(reason: PostHocReason, words: TraceWords, why: str = "") -> PostHoc:
    return PostHoc(PostHocStatus.NOT_CHECKED, reason, words.answers[reason].format(why=why))


def words_for(trace: Trace) -> TraceWords:
    """The words in the language of its answer; of its last step where that has no letters."""
    return words_of(_in_letters(trace))


def _in_letters(trace: Trace) -> str:
    return trace.answer if any(map(str.isalpha, trace.answer)) else trace.steps[-1].text


def _task(trace: Trace, reader: TraceReader) -> ClaimTask:
    """The answer as a statement that can be true or not."""
    answer, question = trace.answer.strip(), trace.question.strip()
    if question:
        text = as_answer(question, answer)
    elif _is_value(answer):
        text = words_for(trace).statement.format(answer=answer)
    else:
        text = answer
    plain = reader.options.plain_confidence
    return ClaimTask(text, (), plain.value, plain.source, language_of(_in_letters(trace)))
