"""The use case of verification: claims and evidence in, verdicts out.

All prompts of all claims are planned as one batch: with the evidence, with the cited evidence
removed, and whatever an envelope or an attribution asks beside. Knows which prompt is whose and
when a claim's verdict is known. Does not know transports, or how an answer becomes claims.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field

from groundwire_verifier.backends.base import BackendState
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import InvalidInputError
from groundwire_verifier.domain.evidence import Evidence, NonEvidence
from groundwire_verifier.domain.sharing import minimal_tokens, sharing_order
from groundwire_verifier.domain.threads import in_thread
from groundwire_verifier.domain.types import BackendInfo, Limits, Prompt, Reading, Template
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.estimation import EncodedFields, Estimator
from groundwire_verifier.numbers.calibration import Calibration
from groundwire_verifier.verdicts.judging import (
    ClaimReadings,
    Judge,
    SourceEstimates,
    unread_verdict,
)
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.other_sources import (
    MOST_OTHER_SOURCES,
    OtherSources,
    SourceQuestions,
)
from groundwire_verifier.verdicts.questions import ClaimQuestions, ClaimTask, Questionnaire
from groundwire_verifier.verdicts.types import ClaimVerdict, Reason, Verdict

DETECTION_PROMPT_VERSION = "+".join(template.value for template in Template)

OnVerdict = Callable[[int, ClaimVerdict], None]
"""Told of each verdict, with the index of its claim, as soon as it is known."""


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
class VerificationPlan:
    """A valid batch, ready to be read: its prompts, and what each claim asked of them.

    A claim that is not read has its verdict already. `order` is that of the prompts that are read
    at once. `spare_prompts` is how many more, on other sources, the limits leave to it.
    """

    backend: str
    info: BackendInfo
    options: VerifyOptions
    tasks: tuple[ClaimTask, ...]
    asked: tuple[ClaimQuestions | ClaimVerdict, ...]
    prompts: tuple[Prompt, ...]
    templates: tuple[Template, ...]
    order: tuple[int, ...]
    non_evidence: tuple[NonEvidence, ...]
    other_sources: OtherSources
    spare_prompts: int
    fields: EncodedFields

    @property
    def prompt_tokens(self) -> int:
        """Tokens of the prompts that are read at once, before any sharing."""
        parts = (part for i in self.order for part in self.prompts[i].parts)
        return sum(len(part.token_ids) for part in parts)


@dataclass(frozen=True, slots=True)
class SharedUsage:
    """Tokens of a batch whose prompts share prefixes; see the contract's SharedUsage."""

    distinct_prompts: int
    prompt_tokens: int
    computed_tokens: int
    minimal_tokens: int
    block_tokens: int


@dataclass(frozen=True, slots=True)
class Verification:
    """The verdicts of a batch, in the order of its claims, and what they cost.

    `non_evidence` are the sentences of the evidence that are none, whether or not they were read.
    """

    verdicts: tuple[ClaimVerdict, ...]
    options: VerifyOptions
    usage: SharedUsage
    queue_s: float
    inference_s: float
    model: str
    backend: str
    non_evidence: tuple[NonEvidence, ...]


class Verifier:
    """Verifies claims with the backends of an `Estimator`."""

    def __init__(self, estimator: Estimator) -> None:
        """Keep the estimator; nothing is loaded here."""
        self._estimator = estimator

    @property
    def limits(self) -> Limits:
        """The limits on one request."""
        return self._estimator.limits

    @property
    def backends(self) -> tuple[str, ...]:
        """The names of the backends, the default first."""
        return tuple(self._estimator.backends)

    def calibration(self, backend: str) -> Calibration | None:
        """The calibration of a backend, the default one for "".

        None if it has none, is not serving, or is unknown, which only `plan` refuses.
        """
        known = self._estimator.backends.get(backend or self._estimator.default)
        if known is None or known.state is not BackendState.SERVING:
            return None
        return known.info.calibration

    async def plan(self, batch: VerificationInput, cache_salt: str = "") -> VerificationPlan:
        """Tokenise a batch and check its tokens. Nothing is read yet.

        What is remembered for one `cache_salt` is used for no other.

        Raises InvalidInputError, or BackendUnavailableError while there is no model.
        """
        limits, tasks = self.limits, batch.tasks
        name = batch.options.backend or self._estimator.default
        backend = self._estimator.backends[name]
        info = backend.info
        evidence = batch.evidence
        if batch.options.skip_non_evidence:
            evidence = await in_thread(evidence.leaving_out, batch.non_evidence)
        questionnaire = Questionnaire(evidence, batch.options, cache_salt)
        other_sources = OtherSources(evidence, questionnaire.titles, batch.options, cache_salt)
        most_questions = questionnaire.most_questions(tasks)
        checks.raise_any(
            [
                *checks.prompts(most_questions, limits, batch.prompts_field),
                *checks.claims_characters((t.text for t in tasks), limits, batch.prompts_field),
            ]
        )
        fields = EncodedFields(batch.evidence_field, batch.prompts_field)
        whole = questionnaire.on_whole_context(tasks)
        if not batch.options.split_long_context:
            # Alone: what is removed from a context that is too long need not be known.
            await self._estimator.encode(backend, info, whole, fields)

        def add_all() -> tuple[list[ClaimQuestions | Reason], int]:
            size = questionnaire.most_characters(tasks)
            checks.raise_any(checks.evidence_characters(size, limits, batch.prompts_field))
            return [questionnaire.add(task) for task in tasks], limits.evidence_characters - size

        # Contexts are long and many: not on the event loop.
        asked, spare_characters = await in_thread(add_all)
        questions = questionnaire.questions
        prompts = await self._estimator.encode(backend, info, questions, fields)
        tokens = {
            i: prompts[reads.posterior].claim_tokens
            for i, reads in enumerate(asked)
            if isinstance(reads, ClaimQuestions)
        }
        if batch.claim_field is not None:
            checks.raise_any(checks.claim_tokens(tokens, limits, batch.claim_field))
        for i, count in tokens.items():
            if count > limits.claim_tokens:
                asked[i] = Reason.TOO_LONG
        first = sorted(
            {i for each in asked if isinstance(each, ClaimQuestions) for i in each.first}
        )
        order = await in_thread(sharing_order, [prompts[i] for i in first])
        return VerificationPlan(
            backend=name,
            info=info,
            options=batch.options,
            tasks=tasks,
            asked=tuple(
                reads
                if isinstance(reads, ClaimQuestions)
                else _unread(task, reads, questionnaire.unknown_ids(task), limits)
                for task, reads in zip(tasks, asked, strict=True)
            ),
            prompts=tuple(prompts),
            templates=tuple(question.template for question in questions),
            order=tuple(first[i] for i in order),
            non_evidence=batch.non_evidence,
            other_sources=other_sources,
            # Nothing that keeps to the limits without other sources is refused for them.
            spare_prompts=min(
                _spare_prompts(limits.prompts, most_questions, prompts),
                spare_characters // other_sources.most_characters,
            ),
            fields=fields,
        )

    async def run(
        self,
        plan: VerificationPlan,
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_verdict: OnVerdict | None = None,
    ) -> Verification:
        """Read a plan's prompts and judge its claims.

        Raises BackendUnavailableError or DeadlineUnreachableError.
        """
        estimator = self._estimator
        judge = Judge(plan.options, estimator.label_mass_floor, plan.info.calibration)
        progress = _Progress(plan, judge, on_verdict)
        began_s = time.monotonic()
        queue_s = 0.0
        try:
            async with asyncio.TaskGroup() as group:

                def ask(follow_up: Coroutine[None, None, object]) -> None:
                    # Asked as soon as it is known to be needed, beside the first reads.
                    try:
                        group.create_task(follow_up)
                    except RuntimeError:  # the group ends: another read has failed
                        follow_up.close()

                async def ask_sources(check: SourceCheck) -> None:
                    task = plan.tasks[check.claim]
                    asked = await in_thread(plan.other_sources.questions, task, check.most_prompts)
                    try:
                        prompts = await estimator.encode(
                            estimator.backends[plan.backend], plan.info, asked.all, plan.fields
                        )
                    except InvalidInputError:
                        # Markers can take more room than the sources that they stand for.
                        progress.sources_unknown(check)
                        return
                    done = await estimator.read_prompts(
                        plan.backend,
                        prompts,
                        trace_headers,
                        urgency.of_follow_up(),
                        skip_result_cache=plan.options.skip_result_cache,
                    )
                    progress.sources_known(check, asked, prompts, done.readings)

                async def read(indexes: Sequence[int], wanted: Urgency) -> float:
                    def known(i: int, reading: Reading) -> None:
                        follow_ups = progress.known(indexes[i], reading)
                        for stance in follow_ups.stances:
                            ask(read([stance], urgency.of_follow_up()))
                        for check in follow_ups.source_checks:
                            ask(ask_sources(check))

                    done = await estimator.read_prompts(
                        plan.backend,
                        [plan.prompts[i] for i in indexes],
                        trace_headers,
                        wanted,
                        known,
                        skip_result_cache=plan.options.skip_result_cache,
                    )
                    return done.queue_s

                if plan.order:
                    queue_s = await read(plan.order, urgency)
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from errors
        return Verification(
            verdicts=progress.verdicts(),
            options=plan.options,
            usage=await in_thread(progress.usage),
            queue_s=queue_s,
            inference_s=max(0.0, time.monotonic() - began_s - queue_s),
            model=plan.info.model if plan.order else "",
            backend=plan.backend,
            non_evidence=plan.non_evidence,
        )


def _spare_prompts(limit: int, most_questions: int, prompts: Sequence[Prompt]) -> int:
    """How many more questions fit into the limit, each in as many chunks as any of these."""
    parts = [len(prompt.parts) for prompt in prompts]
    return max(0, limit - max(most_questions, sum(parts))) // max(parts, default=1)


def _unread(
    task: ClaimTask, reason: Reason, unknown_ids: tuple[str, ...], limits: Limits
) -> ClaimVerdict:
    detail = str(limits.claim_tokens) if reason is Reason.TOO_LONG else ", ".join(unknown_ids)
    return unread_verdict(task, reason, detail, unknown_ids)


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """A claim to be read without any source and with others alone, in at most so many prompts."""

    claim: int
    most_prompts: int


@dataclass(frozen=True, slots=True)
class FollowUps:
    """What has to be read now that more is known: stance prompts, and claims on other sources."""

    stances: list[int] = field(default_factory=list)
    source_checks: list[SourceCheck] = field(default_factory=list)


class _Progress:
    """Which readings are there, and which claims they complete."""

    def __init__(self, plan: VerificationPlan, judge: Judge, on_verdict: OnVerdict | None) -> None:
        self._plan = plan
        self._judge = judge
        self._on_verdict = on_verdict
        self._readings: dict[int, Reading] = {}
        self._said = ClaimReadings()
        self._verdicts: dict[int, ClaimVerdict] = {}
        self._asked: dict[int, ClaimQuestions] = {}
        self._missing: dict[int, set[int]] = {}
        self._claims_of: dict[int, list[int]] = {}
        self._spare_prompts = plan.spare_prompts
        self._checked: dict[ClaimTask, list[int]] = {}
        self._of_sources: dict[Prompt, Reading] = {}
        for claim, asked in enumerate(plan.asked):
            if isinstance(asked, ClaimVerdict):
                self._tell(claim, asked)
                continue
            self._asked[claim] = asked
            self._missing[claim] = asked.first
            for prompt in asked.first:
                self._claims_of.setdefault(prompt, []).append(claim)

    def known(self, prompt: int, reading: Reading) -> FollowUps:
        """Take a reading; return what has to be read now."""
        self._readings[prompt] = reading
        self._judge.take(prompt, self._plan.templates[prompt], reading, self._said)
        wanted = FollowUps()
        for claim in self._claims_of.pop(prompt, ()):
            asked = self._asked[claim]
            self._missing[claim].discard(prompt)
            if self._missing[claim]:
                continue
            if asked.stance in self._readings or not self._judge.asks_for_stance(asked, self._said):
                self._finish(claim, asked, wanted)
                continue
            # Equal claims wait for one stance.
            if asked.stance not in self._claims_of:
                wanted.stances.append(asked.stance)
            self._claims_of.setdefault(asked.stance, []).append(claim)
        return wanted

    def sources_known(
        self,
        check: SourceCheck,
        asked: SourceQuestions,
        prompts: Sequence[Prompt],
        readings: Sequence[Reading],
    ) -> None:
        """Take what a claim's other sources say of it, and finish it and its equals."""
        self._of_sources.update(zip(prompts, readings, strict=True))
        self._finish_checked(check, self._judge.source_estimates(asked, readings))

    def sources_unknown(self, check: SourceCheck) -> None:
        """Finish a claim and its equals whose other sources cannot be read."""
        self._finish_checked(check, None)

    def _finish_checked(self, check: SourceCheck, sources: SourceEstimates | None) -> None:
        task = self._plan.tasks[check.claim]
        for claim in self._checked.pop(task):
            verdict = self._judge.verdict(task, self._asked[claim], self._said, sources)
            self._tell(claim, verdict)

    def _finish(self, claim: int, asked: ClaimQuestions, wanted: FollowUps) -> None:
        task = self._plan.tasks[claim]
        verdict = self._judge.verdict(task, asked, self._said)
        others = self._plan.other_sources.of(task)
        if verdict.verdict is not Verdict.PRIOR_KNOWLEDGE or not others:
            self._tell(claim, verdict)
        elif task in self._checked:
            # Equal claims wait for one check.
            self._checked[task].append(claim)
        elif self._spare_prompts:
            most = min(self._spare_prompts, 1 + len(others), 1 + MOST_OTHER_SOURCES)
            self._spare_prompts -= most
            self._checked[task] = [claim]
            wanted.source_checks.append(SourceCheck(claim, most))
        else:
            self._tell(claim, verdict)

    def _tell(self, claim: int, verdict: ClaimVerdict) -> None:
        self._verdicts[claim] = verdict
        if self._on_verdict is not None:
            self._on_verdict(claim, verdict)

    def verdicts(self) -> tuple[ClaimVerdict, ...]:
        return tuple(self._verdicts[claim] for claim in range(len(self._plan.asked)))

    def usage(self) -> SharedUsage:
        all_read = {self._plan.prompts[i]: reading for i, reading in self._readings.items()}
        all_read |= self._of_sources
        read = [part for prompt in all_read for part in prompt.parts]
        tokens = sum(reading.prompt_tokens for reading in all_read.values())
        cached = sum(reading.cached_tokens for reading in all_read.values())
        return SharedUsage(
            distinct_prompts=len(read),
            prompt_tokens=tokens,
            computed_tokens=tokens - cached,
            minimal_tokens=minimal_tokens(read, self._plan.info.block_tokens),
            block_tokens=self._plan.info.block_tokens,
        )
