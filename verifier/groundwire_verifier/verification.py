"""The use case of verification: claims and evidence in, verdicts out.

All prompts of all claims are planned as one batch: with the evidence, with the cited evidence
removed, and whatever an attribution asks beside.
"""

import math
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field

from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import (
    BackendUnavailableError,
    DeadlineUnreachableError,
    InvalidInputError,
)
from groundwire_verifier.domain.evidence import Evidence, NonEvidence
from groundwire_verifier.domain.prompts import require_verdicts
from groundwire_verifier.domain.tasks import AnswerLimit, in_thread, task_group
from groundwire_verifier.domain.types import (
    INSTRUCT,
    BackendInfo,
    Limits,
    Prompt,
    Question,
    Reading,
    Template,
    TimedReadings,
)
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.engine.base import Backend, BackendState, OnReading
from groundwire_verifier.estimation import EncodedFields, Estimator
from groundwire_verifier.numbers.calibration import Calibration
from groundwire_verifier.progress import (
    OnVerdict,
    Progress,
    SharedUsage,
    SourceCheck,
    VerificationPlan,
)
from groundwire_verifier.verdicts.excerpts import Excerpts
from groundwire_verifier.verdicts.judging import Judge, unread_verdict
from groundwire_verifier.verdicts.looks import Looks
from groundwire_verifier.verdicts.options import PASSAGE_TOKENS, Read, VerifyOptions
from groundwire_verifier.verdicts.other_sources import OtherSources
from groundwire_verifier.verdicts.questions import (
    ClaimQuestions,
    ClaimTask,
    Questionnaire,
    most_questions,
    with_values_as_stated,
)
from groundwire_verifier.verdicts.types import ClaimVerdict, Reason


@dataclass(frozen=True, slots=True)
class VerificationInput:
    """A batch whose texts are checked already.

    `evidence_field` and `prompts_field` are the paths that errors name. A claim with too many
    tokens is an error if `claim_field` gives its path; else it stays unread. `non_evidence` are all
    sentences of the evidence that are none, in order.
    """

    tasks: tuple[ClaimTask, ...]
    evidence: Evidence
    options: VerifyOptions
    evidence_field: str
    prompts_field: str
    claim_field: checks.ClaimField | None = None
    non_evidence: tuple[NonEvidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Verification:
    """The verdicts of a batch, in the order of its claims, and what they cost.

    `non_evidence` are the sentences of the evidence that are none, whether or not they were read.
    `readings` are all that was read for them. `cut_short` is why claims were left unread, or None.
    How long those waited is not known. `info` is what the backend was; None if it was not asked.
    `titles` are those of the sources that have one, by id, where all claims share their evidence.
    """

    verdicts: tuple[ClaimVerdict, ...]
    options: VerifyOptions
    readings: Mapping[Prompt, Reading]
    usage: SharedUsage
    queue_s: float
    inference_s: float
    model: str
    backend: str
    non_evidence: tuple[NonEvidence, ...]
    cut_short: Reason | None = None
    info: BackendInfo | None = None
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def card_languages(self) -> tuple[str, ...]:
        """The languages that the model's card names; none where nobody knows."""
        return () if self.info is None else self.info.languages


@dataclass(frozen=True, slots=True)
class PlanRead:
    """What came of the prompts of one plan: a part of what a call reads, whose cost is told once.

    The fields are those of Verification.
    """

    plan: VerificationPlan
    verdicts: tuple[ClaimVerdict, ...]
    readings: Mapping[Prompt, Reading]
    queue_s: float
    cut_short: Reason | None


def prompt_versions(done: Verification) -> str:
    """The versions of the prompts of a verification; of our own where none was asked."""
    return (INSTRUCT if done.info is None else done.info.profile).prompt_versions


class Verifier:
    """Verifies claims with the backends of an `Estimator`.

    `limits` are those on one request, `backends` the names of the backends, the default first.
    """

    def __init__(self, estimator: Estimator) -> None:
        self.estimator = estimator
        self.limits = estimator.limits
        self.backends = tuple(estimator.backends)

    def calibration(self, backend: str) -> Calibration | None:
        """The calibration of a backend, the default one for "".

        None if it has none, is not serving, or is unknown, which only `plan` refuses.
        """
        known = self.estimator.backends.get(backend or self.estimator.default)
        if known is None or known.state is not BackendState.SERVING:
            return None
        return known.info.calibration

    async def plan(self, batch: VerificationInput, cache_salt: str = "") -> VerificationPlan:
        """Tokenise a batch and check its tokens. Nothing is read yet.

        What is remembered for one `cache_salt` is used for no other.

        Raises InvalidInputError, BackendUnavailableError while there is no model, or
        UnsupportedByProfileError if its answers are no ground for verdicts.
        """
        limits, tasks = self.limits, batch.tasks
        name = batch.options.backend or self.estimator.default
        backend = self.estimator.backends[name]
        info = backend.info
        require_verdicts(info.profile)
        evidence = batch.evidence
        if batch.options.skip_non_evidence:
            evidence = await in_thread(evidence.leaving_out, batch.non_evidence)
        most_prompts = most_questions(tasks, batch.options)
        checks.raise_any(
            [
                *checks.prompts(most_prompts, limits, batch.prompts_field),
                *checks.claims_characters([t.text for t in tasks], limits, batch.prompts_field),
            ]
        )
        fields = EncodedFields(batch.evidence_field, batch.prompts_field)
        excerpts = await self._excerpts(batch, evidence, backend, cache_salt)
        looks = Looks(evidence)
        questionnaire = Questionnaire(
            excerpts,
            looks,
            batch.options,
            cache_salt,
            has_stances=Template.YES_NO_UNSURE in info.profile.templates,
        )
        other_sources = OtherSources(excerpts, batch.options, cache_salt)

        def add_all() -> tuple[tuple[ClaimTask, ...], list[ClaimQuestions | Reason], int]:
            told = with_values_as_stated(batch.tasks, looks)
            size = questionnaire.most_characters(told)
            checks.raise_any(checks.evidence_characters(size, limits, batch.prompts_field))
            return told, [questionnaire.add(each) for each in told], size

        # Contexts are long and many: not on the event loop.
        tasks, asked, size = await in_thread(add_all)
        spare_characters = limits.evidence_characters - size
        questions = questionnaire.questions
        prompts = await self.estimator.encode(backend, info, questions, fields)
        tokens = {
            i: prompts[each.posterior].claim_tokens
            for i, each in enumerate(asked)
            if isinstance(each, ClaimQuestions)
        }
        if batch.claim_field is not None:
            checks.raise_any(checks.claim_tokens(tokens, limits, batch.claim_field))
        for i, count in tokens.items():
            if count > limits.claim_tokens:
                asked[i] = Reason.TOO_LONG
        # Claim by claim, so that verdicts become known all along. What claims are read with stays
        # in the engine's cache meanwhile, since those with one excerpt follow each other.
        known = [each for each in asked if isinstance(each, ClaimQuestions)]
        first = {excerpt: i for i, excerpt in enumerate(dict.fromkeys(e.excerpt for e in known))}
        known.sort(key=lambda each: first[each.excerpt])
        order = dict.fromkeys(i for each in known for i in sorted(each.first))
        return VerificationPlan(
            backend=name,
            info=info,
            options=batch.options,
            tasks=tasks,
            asked=tuple(
                each
                if isinstance(each, ClaimQuestions)
                else _unread(task, each, questionnaire.unknown_ids(task), limits)
                for task, each in zip(tasks, asked, strict=True)
            ),
            prompts=tuple(prompts),
            templates=tuple(question.template for question in questions),
            order=tuple(order),
            non_evidence=batch.non_evidence,
            other_sources=other_sources,
            # Nothing that keeps to the limits without other sources is refused for them.
            spare_prompts=min(
                _spare_prompts(limits.prompts, most_prompts, prompts),
                spare_characters // max(1, other_sources.most_characters),
            ),
            fields=fields,
            evidence=evidence,
            looks=looks,
            cache_salt=cache_salt,
        )

    async def _excerpts(
        self, batch: VerificationInput, evidence: Evidence, backend: Backend, cache_salt: str
    ) -> Excerpts:
        """What each claim is read with. Raises as `plan`."""
        options, info = batch.options, backend.info
        whole = Excerpts(evidence)
        readable = [task for task in batch.tasks if not whole.unknown_ids(task.cited_ids)]
        if not readable or (options.split_long_context and options.read is not Read.PASSAGES):
            return whole
        # Alone: what is removed from a context that is too long need not be known.
        question = Question(readable[0].text, evidence.context, cache_salt=cache_salt)
        if options.read is Read.WHOLE:
            fields = EncodedFields(batch.evidence_field, batch.prompts_field)
            await self.estimator.encode(backend, info, [question], fields)
            return whole
        (prompt,) = await backend.encode([question])
        tokens, limit = max(1, prompt.context_tokens), self.limits.context_tokens(info)
        budget = min(PASSAGE_TOKENS, limit)
        if options.read is Read.AUTO and tokens <= budget:
            if "|" not in evidence.context:
                return whole
            plain = [(task.text, task.cited_ids) for task in readable if task.kind is None]
            return await in_thread(Excerpts.of_rows, evidence, plain)
        return await in_thread(
            Excerpts.of_passages,
            evidence,
            [(task.text, task.cited_ids) for task in readable],
            # By characters, so that passages need not be tokenised before they are chosen.
            len(evidence.context) * budget // tokens,
            may_be_whole=tokens <= limit,
        )

    async def read(
        self,
        plan: VerificationPlan,
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_verdict: OnVerdict | None = None,
        answer_by_s: float = math.inf,
    ) -> PlanRead:
        """Read a plan's prompts and judge its claims.

        Once a claim has been read, it returns by `answer_by_s` on the monotonic clock, and when the
        engine fails; the other claims are NOT_VERIFIED then. Until then there is nothing to answer
        with: it raises BackendUnavailableError or DeadlineUnreachableError, or goes on.
        """
        floor = self.estimator.label_mass_floor
        judge = Judge(plan.options, floor, plan.info.calibration)
        progress = Progress(plan, judge, on_verdict)
        reader = _PlanReader(
            self.estimator,
            plan,
            progress,
            trace_headers=trace_headers,
            urgency=urgency,
            answer_by_s=answer_by_s,
        )
        cut_short = await reader.read()
        if not progress.unread():
            cut_short = None
        elif cut_short is not None:
            progress.leave_unread(cut_short)
        return PlanRead(
            plan=plan,
            verdicts=progress.verdicts(),
            readings=progress.readings(),
            queue_s=reader.queue_s,
            cut_short=cut_short,
        )


def _spare_prompts(limit: int, most_questions: int, prompts: Sequence[Prompt]) -> int:
    """How many more questions fit into the limit, each in as many chunks as any of these."""
    parts = [len(prompt.chunks) or 1 for prompt in prompts]
    return max(0, limit - max(most_questions, sum(parts))) // max(parts, default=1)


def _unread(
    task: ClaimTask, reason: Reason, unknown_ids: tuple[str, ...], limits: Limits
) -> ClaimVerdict:
    detail = str(limits.claim_tokens) if reason is Reason.TOO_LONG else ", ".join(unknown_ids)
    return unread_verdict(task, reason, detail, unknown_ids)


class _PlanReader:
    """Has the prompts of claims read until all have a verdict, or the call has to be answered.

    `queue_s` is how long the prompts waited; what was cut short does not count.
    """

    def __init__(
        self,
        estimator: Estimator,
        plan: VerificationPlan,
        progress: Progress,
        *,
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        answer_by_s: float,
    ) -> None:
        self._estimator = estimator
        self._plan = plan
        self._progress = progress
        self._trace_headers = trace_headers
        self._urgency = urgency
        self._limit = AnswerLimit(answer_by_s)
        self.queue_s = 0.0

    async def read(self) -> Reason | None:
        """Why claims may be left unread, or None. Raises what `Verifier.read` does."""
        try:
            async with self._limit:
                return await self._read_claims()
            return Reason.OUT_OF_TIME
        except BackendUnavailableError:
            if not self._progress.has_read_a_claim:
                raise
            return Reason.BACKEND_FAILED

    async def _read_claims(self) -> Reason | None:
        claims = self._progress.unread()
        count = most = len(claims)
        async with task_group() as self._group:
            while claims:
                prompts = self._progress.first_prompts(claims[:count])
                try:
                    self.queue_s += await self._read_prompts(prompts, self._urgency)
                    claims = claims[count:]
                except DeadlineUnreachableError as error:
                    if error.retry_s is None and count > 1:
                        # With nothing else to do it would be late, too, however often it is
                        # tried: so the first claims are read, as many as fit.
                        count = max(1, min(count - 1, int(count * error.fitting_share)))
                    elif len(claims) < most or self._progress.has_read_a_claim:
                        break
                    else:
                        raise
        return Reason.OUT_OF_TIME if claims else None

    async def _read_prompts(self, indexes: Sequence[int], urgency: Urgency) -> float:
        """The time in seconds that these prompts waited."""

        def known(i: int, reading: Reading) -> None:
            wanted = self._progress.known(indexes[i], reading)
            for stance in wanted.stances:
                self._ask(self._read_prompts([stance], self._urgency.of_follow_up()))
            for check in wanted.source_checks:
                self._ask(self._read_sources(check))
            if self._progress.has_read_a_claim:
                self._limit.begin()

        if not indexes:
            return 0.0
        prompts = [self._plan.prompts[i] for i in indexes]
        return (await self._read(prompts, urgency, known)).queue_s

    async def _read_sources(self, check: SourceCheck) -> None:
        plan = self._plan
        task = plan.tasks[check.claim]
        asked = await in_thread(plan.other_sources.questions, task, check.most_prompts)
        backend = self._estimator.backends[plan.backend]
        try:
            prompts = await self._estimator.encode(backend, plan.info, asked.all, plan.fields)
        except InvalidInputError:
            # Markers can take more room than the sources that they stand for.
            self._progress.sources_unknown(task)
            return
        done = await self._read(prompts, self._urgency.of_follow_up())
        self._progress.sources_known(task, asked, prompts, done.readings)

    def _ask(self, follow_up: Coroutine[None, None, object]) -> None:
        """Read it as soon as it is known to be needed, beside what is being read."""
        try:
            self._group.create_task(follow_up)
        except RuntimeError:  # the group ends: something else has failed
            follow_up.close()

    async def _read(
        self, prompts: Sequence[Prompt], urgency: Urgency, on_reading: OnReading | None = None
    ) -> TimedReadings:
        return await self._estimator.read_prompts(
            self._plan.backend,
            prompts,
            self._trace_headers,
            urgency,
            on_reading,
            skip_result_cache=self._plan.options.skip_result_cache,
        )
