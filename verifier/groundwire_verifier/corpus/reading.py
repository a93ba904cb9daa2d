"""What the model says of one claim and its passages: a choice on each, a raw probability,
a budget."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from groundwire_verifier.corpus.passages import Passage
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import InvalidInputError
from groundwire_verifier.domain.estimates import estimates_of
from groundwire_verifier.domain.evidence import Document, Evidence
from groundwire_verifier.domain.prompts import require
from groundwire_verifier.domain.threads import in_thread
from groundwire_verifier.domain.types import Prompt, Question, Reading, Template
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.estimation import EncodedFields, Estimator, shifts_of
from groundwire_verifier.progress import SharedUsage
from groundwire_verifier.verdicts.judging import stance_of
from groundwire_verifier.verdicts.options import MAX_TITLE_CHARACTERS, VerifyOptions
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import ClaimVerdict, Reason, Stance
from groundwire_verifier.verification import Verification, VerificationInput, Verifier

MOST_PROMPTS_BESIDE_PASSAGES = 4
"""The raw probability, and what the budget of one claim may ask."""

_FIELDS = EncodedFields("corpus", "text")


@dataclass(frozen=True, slots=True)
class CorpusCall:
    """How a call is read; see `Verifier.run`. Nothing is shared with another `cache_salt`."""

    cache_salt: str
    trace_headers: Mapping[str, str]
    urgency: Urgency
    answer_by_s: float = math.inf


@dataclass(frozen=True, slots=True)
class ReadEvidence:
    """What the model says of a claim: on each passage, None where it gave no answer; and alone.

    `raw` is P(YES) without any evidence, in [0, 1]; None where it was not asked for, or the label
    mass is below the floor.
    """

    stances: tuple[Stance | None, ...]
    raw: float | None


class ClaimTooLongError(InvalidInputError):
    """A claim with more tokens than a claim may have."""


class ClaimReader:
    """Reads the claims of one call, and adds up what that costs."""

    def __init__(
        self, estimator: Estimator, verifier: Verifier, options: VerifyOptions, call: CorpusCall
    ) -> None:
        self._estimator = estimator
        self._verifier = verifier
        # Passages are cut to a size, but several of them may be more than a small model takes.
        self.options = replace(options, split_long_context=True, skip_non_evidence=False)
        self._call = call
        self._backend = options.backend or estimator.default
        self._readings: dict[Prompt, Reading] = {}
        self._queue_s: list[float] = []
        self._began_s = time.monotonic()

    def check_profile(self) -> None:
        """Refuse a model that cannot say what a passage is to a claim.

        Raises UnsupportedByProfileError or BackendUnavailableError.
        """
        require(self._estimator.backends[self._backend].info.profile, [Template.YES_NO_UNSURE])

    async def read(self, claim: str, passages: Sequence[Passage], *, alone: bool) -> ReadEvidence:
        """What the model says of a claim on each passage and, where that is wanted, alone.

        Raises ClaimTooLongError, BackendUnavailableError or DeadlineUnreachableError.
        """
        backend = self._estimator.backends[self._backend]
        info = backend.info
        salt = self._call.cache_salt
        on_passages = [
            Question(claim, passage.text, Template.YES_NO_UNSURE, splits=True, cache_salt=salt)
            for passage in passages
        ]
        by_itself = Question(claim, "", Template.YES_NO, splits=True, cache_salt=salt)
        questions = [*on_passages, *([by_itself] if alone else [])]
        if not questions:
            return ReadEvidence((), None)
        prompts = await self._estimator.encode(backend, info, questions, _FIELDS)
        limits = self._estimator.limits
        if found := checks.claim_tokens({0: prompts[-1].claim_tokens}, limits, lambda _: "text"):
            raise ClaimTooLongError(found)
        readings = await self._read(prompts)
        floor = self._estimator.label_mass_floor
        raw = (
            estimates_of(readings[-1:], floor, info.calibration, await shifts_of(info, [by_itself]))
            if alone
            else []
        )
        stances = map(stance_of, readings[: len(passages)])
        return ReadEvidence(
            tuple(
                stance if reading.reason is None and stance.label_mass >= max(floor, 1e-9) else None
                for stance, reading in zip(stances, readings, strict=False)
            ),
            raw[0].probability if raw else None,
        )

    async def budget(self, task: ClaimTask, passages: Sequence[Passage]) -> ClaimVerdict:
        """The verdict of the budget on all passages together. Raises as `Verifier.run`."""
        documents = [
            Document(f"S{i}", passage.text, passage.title[:MAX_TITLE_CHARACTERS])
            for i, passage in enumerate(passages)
        ]
        batch = VerificationInput(
            (task,), Evidence.of_documents(documents), self.options, "corpus", "text"
        )
        plan = await self._verifier.plan(batch, self._call.cache_salt)
        call = self._call
        done = await self._verifier.read(
            plan, call.trace_headers, call.urgency.of_follow_up(), answer_by_s=call.answer_by_s
        )
        self._readings |= done.readings
        self._queue_s.append(done.queue_s)
        return done.verdicts[0]

    async def _read(self, prompts: Sequence[Prompt]) -> tuple[Reading, ...]:
        call = self._call
        done = await self._estimator.read_prompts(
            self._backend,
            prompts,
            call.trace_headers,
            call.urgency,
            skip_result_cache=self.options.skip_result_cache,
        )
        self._readings |= dict(zip(prompts, done.readings, strict=True))
        self._queue_s.append(done.queue_s)
        return done.readings

    async def spent(
        self, verdicts: Sequence[ClaimVerdict], cut_short: Reason | None
    ) -> Verification:
        """These verdicts, and all that was read on the way to them."""
        info = self._estimator.backends[self._backend].info if self._readings else None
        block_tokens = 0 if info is None else info.block_tokens
        queue_s = min(self._queue_s, default=0.0)
        return Verification(
            verdicts=tuple(verdicts),
            options=self.options,
            readings=self._readings,
            usage=await in_thread(SharedUsage.of, self._readings, block_tokens),
            queue_s=queue_s,
            inference_s=max(0.0, time.monotonic() - self._began_s - queue_s),
            model="" if info is None else info.model,
            backend=self._backend,
            non_evidence=(),
            cut_short=cut_short,
            info=info,
        )
