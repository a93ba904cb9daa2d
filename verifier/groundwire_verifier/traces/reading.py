"""The claims of one trace on their way to the verifier, and what reading them costs.

A failure is kept, not raised: what is known by then is worth an answer.
"""

import asyncio
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from groundwire_verifier.domain.errors import (
    BackendUnavailableError,
    DeadlineUnreachableError,
    VerifierError,
)
from groundwire_verifier.domain.evidence import Evidence
from groundwire_verifier.domain.threads import in_thread
from groundwire_verifier.domain.types import Prompt, Reading
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.progress import SharedUsage, VerificationPlan
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import ClaimVerdict, Reason
from groundwire_verifier.verification import (
    PlanRead,
    Verification,
    VerificationInput,
    Verifier,
    end_by,
)


@dataclass(frozen=True, slots=True)
class AuditCall:
    """How a call is read; see `Verifier.run`. Nothing is shared with another `cache_salt`."""

    cache_salt: str
    trace_headers: Mapping[str, str]
    urgency: Urgency
    answer_by_s: float = math.inf


class TraceReader:
    """Has claims of one trace verified, each batch on evidence of its own.

    `limit` is set to the time by which the call has to be answered, once there is something to
    answer with. `error` is the first thing that went wrong.
    """

    def __init__(
        self, verifier: Verifier, options: VerifyOptions, call: AuditCall, limit: asyncio.Timeout
    ) -> None:
        self._verifier = verifier
        # What the evidence leaves out was left out before.
        self.options = replace(options, skip_non_evidence=False)
        self.call = call
        self._limit = limit
        self.error: VerifierError | None = None
        self._done: list[PlanRead] = []
        self._began_s = time.monotonic()

    @property
    def reason(self) -> Reason:
        """The reason of verdicts that are missing: the engine failed, or time ran out."""
        failed = isinstance(self.error, BackendUnavailableError)
        return Reason.BACKEND_FAILED if failed else Reason.OUT_OF_TIME

    @property
    def has_something(self) -> bool:
        """Whether there is something to answer with."""
        return self._limit.when() is not None

    def known(self, *_: object) -> None:
        """There is a verdict now: from here on the call ends at its time, with what is known."""
        if not self.has_something:
            end_by(self._limit, self.call.answer_by_s)

    def failed(self, error: VerifierError) -> None:
        """Remember the first error."""
        self.error = self.error or error

    async def plan(
        self, tasks: Sequence[ClaimTask], evidence: Evidence, field: str
    ) -> VerificationPlan:
        """Tokenise claims and evidence, which stands in `field`. Raises as `Verifier.plan`."""
        batch = VerificationInput(tuple(tasks), evidence, self.options, field, "steps")
        return await self._verifier.plan(batch, self.call.cache_salt)

    async def verdicts(self, plan: VerificationPlan, urgency: Urgency) -> tuple[ClaimVerdict, ...]:
        """The verdicts of a plan's claims; none if something went wrong before any was known."""
        call = self.call
        try:
            done = await self._verifier.read(
                plan, call.trace_headers, urgency, self.known, call.answer_by_s
            )
        except (BackendUnavailableError, DeadlineUnreachableError) as error:
            self.failed(error)
            return ()
        self._done.append(done)
        return done.verdicts

    async def sum_up(self, verdicts: Sequence[ClaimVerdict]) -> Verification:
        """These verdicts, and all that was read on the way to them."""
        readings: dict[Prompt, Reading] = {}
        for done in self._done:
            readings |= done.readings
        queue_s = min((done.queue_s for done in self._done), default=0.0)
        block_tokens = max((done.plan.info.block_tokens for done in self._done), default=0)
        return Verification(
            verdicts=tuple(verdicts),
            options=self.options,
            readings=readings,
            usage=await in_thread(SharedUsage.of, readings, block_tokens),
            queue_s=queue_s,
            inference_s=max(0.0, time.monotonic() - self._began_s - queue_s),
            model=max((done.plan.info.model for done in self._done if done.plan.order), default=""),
            backend=self.options.backend or self._verifier.backends[0],
            non_evidence=(),
            cut_short=self.reason if self._is_cut_short else None,
            info=next((done.plan.info for done in self._done), None),
        )

    @property
    def _is_cut_short(self) -> bool:
        return self._limit.expired() or self.error is not None
