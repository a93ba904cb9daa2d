"""The use case of verification: claims and evidence in, verdicts out.

All prompts of all claims are planned as one batch: with the evidence, with the cited evidence
removed, and whatever an envelope or an attribution asks beside. Knows which prompt is whose and
when a claim's verdict is known. Does not know transports, or how an answer becomes claims.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from groundwire_verifier.backends.base import BackendState
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.evidence import Evidence
from groundwire_verifier.domain.sharing import minimal_tokens, sharing_order
from groundwire_verifier.domain.threads import in_thread
from groundwire_verifier.domain.types import Limits, Prompt, Reading, Template
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.estimation import EncodedFields, Verifier
from groundwire_verifier.numbers.calibration import Calibration
from groundwire_verifier.verdicts.judging import Judge, Known, unread_verdict
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.questions import ClaimReads, ClaimTask, ReadPlanner
from groundwire_verifier.verdicts.types import ClaimVerdict, Reason

DETECTION_PROMPT_VERSION = "+".join(template.value for template in Template)

OnVerdict = Callable[[int, ClaimVerdict], None]
"""Told of each verdict, with the index of its claim, as soon as it is known."""


@dataclass(frozen=True, slots=True)
class DetectionInput:
    """A batch whose texts are checked already.

    `evidence_field` and `reads_field` are the paths that errors name. A claim with too many tokens
    is an error if `claim_field` gives its path; else it stays unread.
    """

    tasks: tuple[ClaimTask, ...]
    evidence: Evidence
    options: VerifyOptions
    evidence_field: str
    reads_field: str
    claim_field: checks.ClaimField | None = None


@dataclass(frozen=True, slots=True)
class DetectionPlan:
    """A valid batch, ready to be read: its prompts, and what each claim needs of them.

    A claim that is not read has its verdict already. `order` is that of the prompts that are read
    at once.
    """

    backend: str
    options: VerifyOptions
    tasks: tuple[ClaimTask, ...]
    needs: tuple[ClaimReads | ClaimVerdict, ...]
    prompts: tuple[Prompt, ...]
    order: tuple[int, ...]
    block_tokens: int

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
class Detection:
    """The verdicts of a batch, in the order of its claims, and what they cost."""

    verdicts: tuple[ClaimVerdict, ...]
    options: VerifyOptions
    usage: SharedUsage
    queue_s: float
    inference_s: float
    model: str
    backend: str


class Detector:
    """Verifies claims with the backends of a `Verifier`."""

    def __init__(self, verifier: Verifier) -> None:
        """Keep the verifier; nothing is loaded here."""
        self._verifier = verifier

    @property
    def limits(self) -> Limits:
        """The limits on one request."""
        return self._verifier.limits

    @property
    def backends(self) -> tuple[str, ...]:
        """The names of the backends, the default first."""
        return tuple(self._verifier.backends)

    def calibration(self, backend: str) -> Calibration | None:
        """The calibration of a backend, the default one for "".

        None if it has none, is not serving, or is unknown, which only `plan` refuses.
        """
        known = self._verifier.backends.get(backend or self._verifier.default)
        if known is None or known.state is not BackendState.SERVING:
            return None
        return known.info.calibration

    async def plan(self, batch: DetectionInput, cache_salt: str = "") -> DetectionPlan:
        """Tokenise a batch and check its tokens. Nothing is read yet.

        What is remembered for one `cache_salt` is used for no other.

        Raises InvalidInputError, or BackendUnavailableError while there is no model.
        """
        limits, tasks = self.limits, batch.tasks
        name = batch.options.backend or self._verifier.default
        backend = self._verifier.backends[name]
        info = backend.info
        planner = ReadPlanner(batch.evidence, batch.options, cache_salt)
        checks.raise_any(
            [
                *checks.reads(planner.most_reads(tasks), limits, batch.reads_field),
                *checks.claims_characters((t.text for t in tasks), limits, batch.reads_field),
            ]
        )
        fields = EncodedFields(batch.evidence_field, batch.reads_field)
        whole = planner.on_whole_context(tasks)
        if not batch.options.split_long_context:
            # Alone: what is removed from a context that is too long need not be known.
            await self._verifier.encode(backend, whole, fields)

        def add_all() -> list[ClaimReads | Reason]:
            size = planner.most_characters(tasks)
            checks.raise_any(checks.evidence_characters(size, limits, batch.reads_field))
            return [planner.add(task) for task in tasks]

        # Contexts are long and many: not on the event loop.
        needs = await in_thread(add_all)
        prompts = await self._verifier.encode(backend, planner.questions, fields)
        tokens = {
            i: prompts[reads.posterior].claim_tokens
            for i, reads in enumerate(needs)
            if isinstance(reads, ClaimReads)
        }
        if batch.claim_field is not None:
            checks.raise_any(checks.claim_tokens(tokens, limits, batch.claim_field))
        for i, count in tokens.items():
            if count > limits.claim_tokens:
                needs[i] = Reason.TOO_LONG
        first = sorted({i for reads in needs if isinstance(reads, ClaimReads) for i in reads.first})
        order = await in_thread(sharing_order, [prompts[i] for i in first])
        return DetectionPlan(
            backend=name,
            options=batch.options,
            tasks=tasks,
            needs=tuple(
                reads
                if isinstance(reads, ClaimReads)
                else _unread(task, reads, planner.unknown_ids(task), limits)
                for task, reads in zip(tasks, needs, strict=True)
            ),
            prompts=tuple(prompts),
            order=tuple(first[i] for i in order),
            block_tokens=info.block_tokens,
        )

    async def run(
        self,
        plan: DetectionPlan,
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_verdict: OnVerdict | None = None,
    ) -> Detection:
        """Read a plan's prompts and judge its claims.

        Raises BackendUnavailableError or DeadlineUnreachableError.
        """
        backend = self._verifier.backends[plan.backend]
        if plan.options.skip_result_cache:
            backend = backend.direct
        judge = Judge(plan.options, self._verifier.label_mass_floor, backend.info.calibration)
        work = _Work(plan, judge, on_verdict)
        began_s = time.monotonic()
        queue_s = 0.0
        try:
            async with asyncio.TaskGroup() as group:

                def ask_stance(prompt: int) -> None:
                    # Asked as soon as it is known to be needed, beside the first reads.
                    asked = read([prompt], urgency.of_follow_up())
                    try:
                        group.create_task(asked)
                    except RuntimeError:  # the group ends: another read has failed
                        asked.close()

                async def read(indexes: Sequence[int], wanted: Urgency) -> float:
                    def known(i: int, reading: Reading) -> None:
                        for stance in work.known(indexes[i], reading):
                            ask_stance(stance)

                    prompts = [plan.prompts[i] for i in indexes]
                    return (await backend.read(prompts, trace_headers, wanted, known)).queue_s

                if plan.order:
                    queue_s = await read(plan.order, urgency)
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from errors
        return Detection(
            verdicts=work.verdicts(),
            options=plan.options,
            usage=await in_thread(work.usage),
            queue_s=queue_s,
            inference_s=max(0.0, time.monotonic() - began_s - queue_s),
            model=backend.model if plan.order else "",
            backend=plan.backend,
        )


def _unread(
    task: ClaimTask, reason: Reason, unknown_ids: tuple[str, ...], limits: Limits
) -> ClaimVerdict:
    detail = str(limits.claim_tokens) if reason is Reason.TOO_LONG else ", ".join(unknown_ids)
    return unread_verdict(task, reason, detail, unknown_ids)


class _Work:
    """Which readings are there, and which claims they complete."""

    def __init__(self, plan: DetectionPlan, judge: Judge, on_verdict: OnVerdict | None) -> None:
        self._plan = plan
        self._judge = judge
        self._on_verdict = on_verdict
        self._readings: dict[int, Known] = {}
        self._verdicts: dict[int, ClaimVerdict] = {}
        self._reads: dict[int, ClaimReads] = {}
        self._missing: dict[int, set[int]] = {}
        self._claims_of: dict[int, list[int]] = {}
        for claim, needs in enumerate(plan.needs):
            if isinstance(needs, ClaimVerdict):
                self._tell(claim, needs)
                continue
            self._reads[claim] = needs
            self._missing[claim] = needs.first
            for prompt in needs.first:
                self._claims_of.setdefault(prompt, []).append(claim)

    def known(self, prompt: int, reading: Reading) -> list[int]:
        """Take a reading; return the stance prompts that have to be read now."""
        self._readings[prompt] = self._judge.known(reading)
        wanted: list[int] = []
        for claim in self._claims_of.pop(prompt, ()):
            needs = self._reads[claim]
            self._missing[claim].discard(prompt)
            if self._missing[claim]:
                continue
            if needs.stance in self._readings or not self._judge.asks_for_stance(
                needs, self._readings
            ):
                self._finish(claim, needs)
                continue
            # Equal claims wait for one stance.
            if needs.stance not in self._claims_of:
                wanted.append(needs.stance)
            self._claims_of.setdefault(needs.stance, []).append(claim)
        return wanted

    def _finish(self, claim: int, needs: ClaimReads) -> None:
        task = self._plan.tasks[claim]
        self._tell(claim, self._judge.verdict(task, needs, self._readings))

    def _tell(self, claim: int, verdict: ClaimVerdict) -> None:
        self._verdicts[claim] = verdict
        if self._on_verdict is not None:
            self._on_verdict(claim, verdict)

    def verdicts(self) -> tuple[ClaimVerdict, ...]:
        return tuple(self._verdicts[claim] for claim in range(len(self._plan.needs)))

    def usage(self) -> SharedUsage:
        read = [part for i in self._readings for part in self._plan.prompts[i].parts]
        readings = [known.reading for known in self._readings.values()]
        tokens = sum(reading.prompt_tokens for reading in readings)
        cached = sum(reading.cached_tokens for reading in readings)
        return SharedUsage(
            distinct_prompts=len(read),
            prompt_tokens=tokens,
            computed_tokens=tokens - cached,
            minimal_tokens=minimal_tokens(read, self._plan.block_tokens),
            block_tokens=self._plan.block_tokens,
        )
