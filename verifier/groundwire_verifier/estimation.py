"""The use cases: claims in, estimates out, composed of prompts, labels and a backend."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import InvalidInputError, TooManyPromptsError
from groundwire_verifier.domain.estimates import LABEL_MASS_FLOOR, estimates_of
from groundwire_verifier.domain.types import (
    MAX_CLAIMS,
    BackendInfo,
    BatchEstimate,
    Limits,
    Prompt,
    Question,
    Reading,
    TimedReadings,
    Usage,
)
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.engine.base import Backend, OnReading, Reader
from groundwire_verifier.engine.chunking import encode_in_chunks, read_in_chunks
from groundwire_verifier.engine.reading_store import MemoryStore
from groundwire_verifier.engine.result_cache import ResultCache


@dataclass(frozen=True, slots=True)
class EstimationPlan:
    """A valid batch, ready to be read: its distinct prompts, and which of them each claim has.

    `info` is that of the backend that encoded them.
    """

    backend: str
    info: BackendInfo
    prompts: tuple[Prompt, ...]
    prompt_of_claim: tuple[int, ...]

    @property
    def prompt_tokens(self) -> int:
        """Tokens of the distinct prompts, before any sharing."""
        return sum(len(part.token_ids) for prompt in self.prompts for part in prompt.parts)


@dataclass(frozen=True, slots=True)
class FieldNames:
    """How the caller knows its claims: `claims[3]` in a batch, `claim` for a single one."""

    batch: bool

    @property
    def all_claims(self) -> str:
        """The path of the field that holds them."""
        return "claims" if self.batch else "claim"

    def claim(self, index: int) -> str:
        """The path of the claim at `index`."""
        return f"claims[{index}]" if self.batch else "claim"


@dataclass(frozen=True, slots=True)
class EncodedFields:
    """The paths of the fields that are to blame for a long context, and for many prompts."""

    context: str
    prompts: str


def usage_of(plan: EstimationPlan, readings: Sequence[Reading]) -> Usage:
    """The tokens that the readings of a plan took."""
    return Usage(
        prompt_tokens=sum(reading.prompt_tokens for reading in readings),
        cached_tokens=sum(reading.cached_tokens for reading in readings),
        context_tokens=plan.prompts[0].context_tokens,
        distinct_prompts=len(plan.prompts),
    )


class Estimator:
    """Estimates the probability of claims with one of several backends.

    `backends` maps names to backends, the default first, and `caches` those names whose readings
    are remembered to what remembers them. An estimate whose label mass is below
    `label_mass_floor`, in [0, 1], gets no probability.
    """

    def __init__(
        self,
        backends: Mapping[str, Backend],
        limits: Limits,
        caches: Mapping[str, Reader] | None = None,
        label_mass_floor: float = LABEL_MASS_FLOOR,
    ) -> None:
        if not 1 <= limits.claims <= MAX_CLAIMS:
            raise ValueError(f"limits.claims must be in [1, {MAX_CLAIMS}], got {limits.claims}")
        self.backends = dict(backends)
        self.default = next(iter(self.backends))
        self.limits = limits
        self.label_mass_floor = label_mass_floor
        self._caches = dict(caches or {})

    def remembering(self, *, skip_result_cache: bool) -> "Estimator":
        """An estimator for one piece of work, which reads nothing twice.

        With `skip_result_cache` it knows nothing that was read for others, nor they what it reads.
        """
        readers: dict[str, Reader] = dict(self.backends)
        if not skip_result_cache:
            readers |= self._caches
        remembered = {
            name: ResultCache(backend, MemoryStore(self.limits.prompts, math.inf), readers[name])
            for name, backend in self.backends.items()
        }
        return Estimator(self.backends, self.limits, remembered, self.label_mass_floor)

    async def plan(
        self,
        claims: Sequence[str],
        context: str,
        backend: str = "",
        fields: FieldNames = FieldNames(batch=True),
        *,
        split_long_context: bool = False,
        cache_salt: str = "",
    ) -> EstimationPlan:
        """Check a batch whole and tokenise it. Nothing is read yet.

        What is remembered for one `cache_salt` is used for no other.

        Raises InvalidInputError, or BackendUnavailableError while there is no model.
        """
        name = backend or self.default
        self._check_texts(claims, context, name, fields)
        chosen = self.backends[name]
        info = chosen.info
        questions = list(
            dict.fromkeys(
                Question(claim, context, splits=split_long_context, cache_salt=cache_salt)
                for claim in claims
            )
        )
        encoded_fields = EncodedFields("context", fields.all_claims)
        prompts = await self.encode(chosen, info, questions, encoded_fields)
        number = {question.claim: i for i, question in enumerate(questions)}
        prompt_of_claim = tuple(number[claim] for claim in claims)
        tokens = {i: prompts[n].claim_tokens for i, n in enumerate(prompt_of_claim)}
        checks.raise_any(checks.claim_tokens(tokens, self.limits, fields.claim))
        return EstimationPlan(name, info, tuple(prompts), prompt_of_claim)

    async def encode(
        self,
        backend: Backend,
        info: BackendInfo,
        questions: Sequence[Question],
        fields: EncodedFields,
    ) -> list[Prompt]:
        """The prompts of questions, whose contexts are within the limits; their number is already.

        `info` is that of the backend. Contexts are checked before the prompts are made: each is a
        part of many of them. Chunks may be too many yet.

        Raises InvalidInputError or BackendUnavailableError.
        """
        limit = self.limits.context_tokens(info)

        def check(prompts: Sequence[Prompt]) -> None:
            longest = max((prompt.context_tokens for prompt in prompts), default=0)
            checks.raise_any(checks.context_tokens(longest, limit, fields.context))

        if any(question.splits for question in questions):
            try:
                prompts = await encode_in_chunks(backend, questions, self.limits)
            except TooManyPromptsError as error:
                raise InvalidInputError(
                    checks.prompts(error.count, self.limits, fields.prompts)
                ) from error
        else:
            one_each = list({question.context: question for question in questions}.values())
            if len(one_each) < len(questions):
                check(await backend.encode(one_each))
                return await backend.encode(questions)
            prompts = await backend.encode(questions) if questions else []
        check(prompts)
        return prompts

    async def read_prompts(
        self,
        backend: str,
        prompts: Sequence[Prompt],
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_reading: OnReading | None = None,
        *,
        skip_result_cache: bool = False,
    ) -> TimedReadings:
        """Read prompts of a plan, in chunks where they have any. See `Reader.read`.

        With `skip_result_cache` all is computed, and nothing of it remembered.
        """
        reader: Reader = self.backends[backend]
        if not skip_result_cache:
            reader = self._caches.get(backend, reader)
        if any(prompt.chunks for prompt in prompts):
            return await read_in_chunks(reader, prompts, trace_headers, urgency, on_reading)
        return await reader.read(prompts, trace_headers, urgency, on_reading)

    async def read(
        self,
        plan: EstimationPlan,
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        *,
        skip_result_cache: bool = False,
    ) -> BatchEstimate:
        """Read a plan's prompts and give one estimate a claim.

        Raises BackendUnavailableError or DeadlineUnreachableError.
        """
        done = await self.read_prompts(
            plan.backend,
            plan.prompts,
            trace_headers,
            urgency,
            skip_result_cache=skip_result_cache,
        )
        estimates = estimates_of(done.readings, self.label_mass_floor, plan.info.calibration)
        return BatchEstimate(
            estimates=tuple(estimates[i] for i in plan.prompt_of_claim),
            usage=usage_of(plan, done.readings),
            queue_s=done.queue_s,
            inference_s=done.inference_s,
            model=plan.info.model,
            prompt_version=plan.info.prompt_version,
            backend=plan.backend,
        )

    def _check_texts(
        self, claims: Sequence[str], context: str, backend: str, fields: FieldNames
    ) -> None:
        checks.raise_any(
            [
                *checks.backend(backend, self.backends),
                *checks.claims(claims, self.limits, fields.claim),
                *checks.context(context, self.limits, "context"),
                *checks.prompts(len(set(claims)), self.limits, fields.all_claims),
            ]
        )
