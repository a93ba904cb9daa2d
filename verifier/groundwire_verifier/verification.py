"""The use case of verification: claims and evidence in, verdicts out.

All prompts of all claims are planned as one batch: with the evidence, with the cited evidence
removed, and whatever an envelope or an attribution asks beside. Knows which prompt is whose and
when a claim's verdict is known. Does not know transports, or how an answer becomes claims.
"""

import asyncio
import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from groundwire_verifier.backends.base import Backend, BackendState
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import BackendUnavailableError, DeadlineUnreachableError
from groundwire_verifier.domain.evidence import Evidence, NonEvidence
from groundwire_verifier.domain.sharing import minimal_tokens
from groundwire_verifier.domain.threads import in_thread
from groundwire_verifier.domain.types import Limits, Prompt, Reading, Template
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.estimation import EncodedFields, Estimator
from groundwire_verifier.numbers.calibration import Calibration
from groundwire_verifier.verdicts.judging import ClaimReadings, Judge, unread_verdict
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.questions import ClaimQuestions, ClaimTask, Questionnaire
from groundwire_verifier.verdicts.types import ClaimVerdict, Reason

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
    in any case: those of the first claim come first.
    """

    backend: str
    options: VerifyOptions
    tasks: tuple[ClaimTask, ...]
    asked: tuple[ClaimQuestions | ClaimVerdict, ...]
    prompts: tuple[Prompt, ...]
    templates: tuple[Template, ...]
    order: tuple[int, ...]
    block_tokens: int
    non_evidence: tuple[NonEvidence, ...]

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
    `cut_short` is why claims were left unread, or None. How long those waited is not known.
    """

    verdicts: tuple[ClaimVerdict, ...]
    options: VerifyOptions
    usage: SharedUsage
    queue_s: float
    inference_s: float
    model: str
    backend: str
    non_evidence: tuple[NonEvidence, ...]
    cut_short: Reason | None = None


class Verifier:
    """Verifies claims with the backends of an `Estimator`.

    `limits` are those on one request, `backends` the names of the backends, the default first.
    """

    def __init__(self, estimator: Estimator) -> None:
        """Nothing is loaded here."""
        self._estimator = estimator
        self.limits = estimator.limits
        self.backends = tuple(estimator.backends)

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
        checks.raise_any(
            [
                *checks.prompts(questionnaire.most_questions(tasks), limits, batch.prompts_field),
                *checks.claims_characters((t.text for t in tasks), limits, batch.prompts_field),
            ]
        )
        fields = EncodedFields(batch.evidence_field, batch.prompts_field)
        whole = questionnaire.on_whole_context(tasks)
        if not batch.options.split_long_context:
            # Alone: what is removed from a context that is too long need not be known.
            await self._estimator.encode(backend, whole, fields)

        def add_all() -> list[ClaimQuestions | Reason]:
            size = questionnaire.most_characters(tasks)
            checks.raise_any(checks.evidence_characters(size, limits, batch.prompts_field))
            return [questionnaire.add(task) for task in tasks]

        # Contexts are long and many: not on the event loop.
        asked = await in_thread(add_all)
        questions = questionnaire.questions
        prompts = await self._estimator.encode(backend, questions, fields)
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
        # Claim by claim, so that verdicts become known all along. The whole context stays in the
        # engine's cache meanwhile, since each claim is read with it.
        order = dict.fromkeys(
            i for each in asked if isinstance(each, ClaimQuestions) for i in sorted(each.first)
        )
        return VerificationPlan(
            backend=name,
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
            block_tokens=info.block_tokens,
            non_evidence=batch.non_evidence,
        )

    async def run(
        self,
        plan: VerificationPlan,
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_verdict: OnVerdict | None = None,
        answer_by_s: float = math.inf,
    ) -> Verification:
        """Read a plan's prompts and judge its claims.

        Once a claim has been read, it returns by `answer_by_s` on the monotonic clock, and when the
        engine fails; the other claims are NOT_VERIFIED then. Until then there is nothing to answer
        with: it raises BackendUnavailableError or DeadlineUnreachableError, or goes on.
        """
        backend = self._estimator.backends[plan.backend]
        if plan.options.skip_result_cache:
            backend = backend.direct
        judge = Judge(plan.options, self._estimator.label_mass_floor, backend.info.calibration)
        progress = _Progress(plan, judge, on_verdict)
        reader = _Reader(
            backend,
            plan,
            progress,
            trace_headers=trace_headers,
            urgency=urgency,
            answer_by_s=answer_by_s,
        )
        began_s = time.monotonic()
        cut_short = await reader.read()
        if not progress.unread():
            cut_short = None
        elif cut_short is not None:
            progress.leave_unread(cut_short)
        return Verification(
            verdicts=progress.verdicts(),
            options=plan.options,
            usage=await in_thread(progress.usage),
            queue_s=reader.queue_s,
            inference_s=max(0.0, time.monotonic() - began_s - reader.queue_s),
            model=backend.model if plan.order else "",
            backend=plan.backend,
            non_evidence=plan.non_evidence,
            cut_short=cut_short,
        )


def _unread(
    task: ClaimTask, reason: Reason, unknown_ids: tuple[str, ...], limits: Limits
) -> ClaimVerdict:
    detail = str(limits.claim_tokens) if reason is Reason.TOO_LONG else ", ".join(unknown_ids)
    return unread_verdict(task, reason, detail, unknown_ids)


class _Reader:
    """Has the prompts of claims read until all have a verdict, or the call has to be answered.

    `queue_s` is how long the prompts waited; what was cut short does not count.
    """

    def __init__(
        self,
        backend: Backend,
        plan: VerificationPlan,
        progress: "_Progress",
        *,
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        answer_by_s: float,
    ) -> None:
        self._backend = backend
        self._plan = plan
        self._progress = progress
        self._trace_headers = trace_headers
        self._urgency = urgency
        self._answer_by_s = answer_by_s
        self.queue_s = 0.0

    async def read(self) -> Reason | None:
        """Why claims may be left unread, or None. Raises what `Verifier.run` does."""
        try:
            async with asyncio.timeout(None) as self._limit:
                return await self._read_claims()
        except TimeoutError:
            if not self._limit.expired():
                raise
            return Reason.OUT_OF_TIME
        except BackendUnavailableError:
            if not self._progress.has_read_a_claim:
                raise
            return Reason.BACKEND_FAILED

    async def _read_claims(self) -> Reason | None:
        claims = self._progress.unread()
        count = most = len(claims)
        try:
            async with asyncio.TaskGroup() as self._group:
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
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from errors
        return Reason.OUT_OF_TIME if claims else None

    async def _read_prompts(self, indexes: Sequence[int], urgency: Urgency) -> float:
        """The time in seconds that these prompts waited."""

        def known(i: int, reading: Reading) -> None:
            for stance in self._progress.known(indexes[i], reading):
                # Asked as soon as it is known to be needed, beside what is being read.
                asked = self._read_prompts([stance], self._urgency.of_follow_up())
                try:
                    self._group.create_task(asked)
                except RuntimeError:  # the group ends: something else has failed
                    asked.close()
            if self._progress.has_read_a_claim and self._limit.when() is None:
                # Only now there is something to answer with.
                left_s = self._answer_by_s - time.monotonic()
                self._limit.reschedule(asyncio.get_running_loop().time() + left_s)

        if not indexes:
            return 0.0
        prompts = [self._plan.prompts[i] for i in indexes]
        done = await self._backend.read(prompts, self._trace_headers, urgency, known)
        return done.queue_s


class _Progress:
    """Which readings are there, and which claims they complete."""

    def __init__(self, plan: VerificationPlan, judge: Judge, on_verdict: OnVerdict | None) -> None:
        self._plan = plan
        self._judge = judge
        self._on_verdict = on_verdict
        self._readings: dict[int, Reading] = {}
        self._said = ClaimReadings()
        self._verdicts: dict[int, ClaimVerdict] = {}
        self.has_read_a_claim = False
        self._asked: dict[int, ClaimQuestions] = {}
        self._missing: dict[int, set[int]] = {}
        self._claims_of: dict[int, list[int]] = {}
        for claim, asked in enumerate(plan.asked):
            if isinstance(asked, ClaimVerdict):
                self._tell(claim, asked)
                continue
            self._asked[claim] = asked
            self._missing[claim] = asked.first
            for prompt in self._missing[claim]:
                self._claims_of.setdefault(prompt, []).append(claim)

    def unread(self) -> list[int]:
        """The claims without a verdict, in their order."""
        return [claim for claim in self._asked if claim not in self._verdicts]

    def first_prompts(self, claims: Collection[int]) -> list[int]:
        """What has to be read of these claims in any case, and is not yet, in the order to read."""
        wanted = {prompt for claim in claims for prompt in self._missing[claim]}
        return [prompt for prompt in self._plan.order if prompt in wanted]

    def leave_unread(self, reason: Reason) -> None:
        """End with what is known: the other claims are not verified, for this reason."""
        for claim in self.unread():
            self._tell(claim, unread_verdict(self._plan.tasks[claim], reason, ""))

    def known(self, prompt: int, reading: Reading) -> list[int]:
        """Take a reading; return the stance prompts that have to be read now."""
        self._readings[prompt] = reading
        self._judge.take(prompt, self._plan.templates[prompt], reading, self._said)
        wanted: list[int] = []
        for claim in self._claims_of.pop(prompt, ()):
            asked = self._asked[claim]
            self._missing[claim].discard(prompt)
            if self._missing[claim]:
                continue
            if asked.stance in self._readings or not self._judge.asks_for_stance(asked, self._said):
                self._finish(claim, asked)
                continue
            # Equal claims wait for one stance.
            if asked.stance not in self._claims_of:
                wanted.append(asked.stance)
            self._claims_of.setdefault(asked.stance, []).append(claim)
        return wanted

    def _finish(self, claim: int, asked: ClaimQuestions) -> None:
        task = self._plan.tasks[claim]
        self.has_read_a_claim = True
        self._tell(claim, self._judge.verdict(task, asked, self._said))

    def _tell(self, claim: int, verdict: ClaimVerdict) -> None:
        self._verdicts[claim] = verdict
        if self._on_verdict is not None:
            self._on_verdict(claim, verdict)

    def verdicts(self) -> tuple[ClaimVerdict, ...]:
        return tuple(self._verdicts[claim] for claim in range(len(self._plan.asked)))

    def usage(self) -> SharedUsage:
        read = [part for i in self._readings for part in self._plan.prompts[i].parts]
        tokens = sum(reading.prompt_tokens for reading in self._readings.values())
        cached = sum(reading.cached_tokens for reading in self._readings.values())
        return SharedUsage(
            distinct_prompts=len(read),
            prompt_tokens=tokens,
            computed_tokens=tokens - cached,
            minimal_tokens=minimal_tokens(read, self._plan.block_tokens),
            block_tokens=self._plan.block_tokens,
        )
