"""What is done with an output in the background, when nobody waits: from a piece to its result."""

import asyncio
import base64
import logging
import random
import time
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

from groundwire.v1 import output_verification_pb2 as pb
from groundwire_server.durable_queue.queued_work import now_s, own_id_of, owner_of
from groundwire_server.features.detection.parts import Parts
from groundwire_server.features.outputs.output_messages import (
    failed,
    output_input,
    verified_output,
)
from groundwire_server.records.detections import Detection, DetectionCall, Judged, detection_id_of
from groundwire_server.rpc.admission import DrainingError
from groundwire_server.rpc.status import INTERNAL_TEXT, reason_name, status_of
from groundwire_server.text_work.json_schema import schema_differences
from groundwire_server.text_work.pool import TextTimeoutError, TextWorkerError
from groundwire_verifier.checks.outputs.formats import (
    MAX_FORMAT_VIOLATIONS,
    FormatViolation,
    JsonFormat,
    StatedFormat,
    differences,
)
from groundwire_verifier.checks.outputs.review import own_fields, review
from groundwire_verifier.domain.errors import (
    BackendBusyError,
    BackendFailedError,
    BackendUnavailableError,
    InvalidInputError,
    UnsupportedByProfileError,
    VerifierError,
)
from groundwire_verifier.domain.urgency import WHENEVER, Arrival, Urgency
from groundwire_verifier.session import Session
from groundwire_verifier.verdicts.judging import unread_verdict
from groundwire_verifier.verdicts.types import ClaimVerdict, Reason
from groundwire_verifier.verification import Verification, VerificationInput

log = logging.getLogger("groundwire.server")

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
"""How long is waited before a backend that is away is tried again: twice as long each time."""

QUIET_POLL_S = 0.05
YIELD_CLAIMS = 32
"""Claims of other calls that wait or run from which no output is begun."""
KEPT_S = 5.0
END_S = 1.0
"""How much later than its claims the whole of an output ends, if none of them was read."""

_OTHERS_FIRST = "calls that someone waits for go first"


@dataclass(frozen=True, slots=True)
class OutputRules:
    """What the settings say of outputs in the background.

    An output has `timeout_s` seconds to be read. What could not be for `retention_s` seconds fails.
    """

    flag_threshold_bits: float
    timeout_s: float
    retention_s: float


@dataclass(slots=True)
class Live:
    """An output that this process works on, and how far it is; `changed` with the next change."""

    is_running: bool = False
    has_ended: bool = False
    read_claims: int = 0
    total_claims: int = 0
    waits_for: str = ""
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self) -> None:
        """Wake whoever watches."""
        self.changed.set()
        self.changed = asyncio.Event()


class _StarvedError(VerifierError):
    """Nothing was read in time, since calls that someone waits for went first."""


class OutputWork:
    """Verifies outputs one by one; see `durable_queue.pieces.Work`."""

    def __init__(self, parts: Parts, rules: OutputRules) -> None:
        self._verifier = parts.verifier
        self._texts = parts.texts
        self._marks = parts.marks
        self._defaults = parts.defaults
        self._finder = parts.finder
        self._calls = parts.calls
        self._rules = rules
        self.live: dict[str, Live] = {}
        """By the keys of their pieces. One that has ended stays for KEPT_S, in which its result is
        kept."""
        # Who watches an output that is not begun yet holds its event.
        self._awaited: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()

    def changed(self, key: str) -> asyncio.Event:
        """What is set with the next change of an output here."""
        live = self.live.get(key)
        if live is not None:
            return live.changed
        return self._awaited.setdefault(key, asyncio.Event())

    async def run(self, key: str, text: str, came_s: float) -> str:
        """Verify the output of a piece, and give its final status as text."""
        salt, _, rest = text.partition(" ")
        encoded, _, rest = rest.partition(" ")
        backend, _, asked_by = rest.partition("\n")
        since_s = time.monotonic() - max(0.0, now_s() - came_s)
        live = self.live[key] = Live()
        awaited = self._awaited.pop(key, None)
        if awaited is not None:
            awaited.set()
        pause_s = FIRST_PAUSE_S
        status: pb.VerificationStatus | None = None
        while status is None:
            try:
                await self._until_quiet(live, since_s)
                with self._calls.telemetry.span("groundwire.output", {}, asked_by):
                    status = await self._attempt(key, encoded, backend, salt, live)
            except InvalidInputError as error:
                status = failed(error.violations[0].reason.value, str(error))
            except UnsupportedByProfileError as error:
                status = failed(status_of(error).reason, str(error))
            except (BackendUnavailableError, DrainingError, _StarvedError) as error:
                if time.monotonic() - since_s > self._rules.retention_s:
                    status = _given_up(error)
                else:
                    await self._put_off(live, error, pause_s)
                    pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
            except Exception as error:  # the edge of work in the background
                # Not its text: that of a bug could repeat the text of an output.
                frames = "".join(traceback.format_tb(error.__traceback__))
                log.error("an output failed: %s\n%s", type(error).__name__, frames)
                log.debug("an output failed", exc_info=error)
                status = failed("INTERNAL", INTERNAL_TEXT)
        self._count(status)
        live.has_ended = True
        live.tell()
        asyncio.get_running_loop().call_later(KEPT_S, self._drop, key, live)
        return as_text(status)

    def forget(self, keys: Iterable[str]) -> None:
        """Know nothing more of outputs that were deleted."""
        for key in keys:
            live = self.live.pop(key, None)
            if live is not None:
                live.has_ended = True
                live.tell()

    def _drop(self, key: str, live: Live) -> None:
        if self.live.get(key) is live:
            del self.live[key]

    async def _until_quiet(self, live: Live, since_s: float) -> None:
        """Let calls that someone waits for go first. Raises _StarvedError where that lasts for as
        long as work is kept."""
        while self._calls.admission.pending >= YIELD_CLAIMS:
            if time.monotonic() - since_s > self._rules.retention_s:
                raise _StarvedError(_OTHERS_FIRST)
            _wait(live, _OTHERS_FIRST)
            await asyncio.sleep(QUIET_POLL_S)

    async def _attempt(
        self, key: str, encoded: str, backend: str, salt: str, live: Live
    ) -> pb.VerificationStatus:
        owner, own_id = owner_of(key), own_id_of(key)
        arrival = Arrival(time.monotonic())
        call = DetectionCall("SubmitVerification", arrival, detection_id_of(own_id))
        self._calls.telemetry.mark_span(call.id)
        request = pb.SubmitVerificationRequest.FromString(base64.b64decode(encoded))
        given = output_input(request, backend, self._defaults, self._verifier)
        urgency = replace(WHENEVER, tenant=self._calls.tenant_of(owner))
        with own_fields(given):
            found, batch = await self._finder.choose_later(
                given.answer, request.extract, salt, urgency
            )
        live.is_running, live.waits_for = True, ""
        live.read_claims, live.total_claims = 0, len(batch.tasks)
        live.tell()
        violations = await self._format_violations(given.response, given.format)
        with own_fields(given):
            read = await self._read(batch, salt, urgency, live)
        threshold = self._rules.flag_threshold_bits
        said = review(found, read, violations, threshold)
        total_s = time.monotonic() - call.arrival.at_s
        judged = tuple(map(Judged, found.indexes, read.verdicts))
        self._calls.tell(Detection(call, request, judged, read, total_s, owner))
        result = verified_output(said, read, threshold, call.id, total_s)
        return pb.VerificationStatus(state=pb.VERIFICATION_STATE_DONE, result=result)

    async def _read(
        self, batch: VerificationInput, salt: str, urgency: Urgency, live: Live
    ) -> Verification:
        """Read the claims in time, behind all that someone waits for.

        Raises BackendUnavailableError wherever the backend fails, and _StarvedError.
        """

        def known(_: int, __: ClaimVerdict) -> None:
            live.read_claims += 1
            live.tell()

        marks = await self._marks.of(batch.evidence, batch.evidence_field, salt)
        timeout_s = self._rules.timeout_s
        session = Session(self._verifier, salt, urgency, spans=self._calls.telemetry)
        plan = await session.plan(replace(batch, non_evidence=marks))
        claims = self._calls.admission.claims
        others_before = claims.taken - claims.pending
        try:
            async with asyncio.timeout(timeout_s + END_S):
                read = await session.read(plan, known, answer_by_s=time.monotonic() + timeout_s)
        except TimeoutError:
            # Not whether they are here now: any that were may have gone first.
            if claims.taken > others_before:
                raise _StarvedError(_OTHERS_FIRST) from None
            unread = [unread_verdict(task, Reason.OUT_OF_TIME, "") for task in plan.tasks]
            return await session.result(unread, plan.options, Reason.OUT_OF_TIME)
        if read.cut_short is Reason.BACKEND_FAILED:
            raise BackendFailedError("the backend failed in the middle")
        return await session.result(read.verdicts, plan.options, read.cut_short, plan.non_evidence)

    async def _format_violations(
        self, text: str, stated: StatedFormat
    ) -> tuple[FormatViolation, ...]:
        found = tuple(differences(text, stated))
        if not found and isinstance(stated.kind, JsonFormat) and stated.kind.schema:
            try:
                found = await self._texts.for_text(text).run(
                    schema_differences, text, stated.kind.schema
                )
            except TextTimeoutError as error:
                words = f"holding it against the schema takes more than {error.limit_s:g} s"
                found = (FormatViolation("", words),)
            except TextWorkerError:
                # Its claims are verified, whatever becomes of its form.
                found = (FormatViolation("", "it could not be held against the schema"),)
        return found[:MAX_FORMAT_VIOLATIONS]

    async def _put_off(self, live: Live, error: Exception, pause_s: float) -> None:
        """Wait before the next attempt, for as long as a backend asks for."""
        if isinstance(error, BackendBusyError):
            pause_s = max(pause_s, error.retry_s)
        # Not all at one time.
        pause_s *= random.uniform(1.0, 1.25)  # noqa: S311 - no secret
        self._calls.telemetry.record_output("postponed", _reason(error))
        log.info("an output is put off by %.1f s: %s", pause_s, type(error).__name__)
        _wait(live, f"put off: {error}")
        await asyncio.sleep(pause_s)

    def _count(self, status: pb.VerificationStatus) -> None:
        if status.state == pb.VERIFICATION_STATE_FAILED:
            self._calls.telemetry.record_output("failed", reason_name(status.failure_reason))
        else:
            self._calls.telemetry.record_output("flagged" if status.result.flagged else "done")


def as_text(status: pb.VerificationStatus) -> str:
    """A final status as the store keeps it."""
    return base64.b64encode(status.SerializeToString()).decode()


def from_text(text: str) -> pb.VerificationStatus:
    """A final status as the store has it."""
    return pb.VerificationStatus.FromString(base64.b64decode(text))


def _wait(live: Live, reason: str) -> None:
    if live.is_running or live.waits_for != reason:
        live.is_running, live.waits_for = False, reason
        live.read_claims = live.total_claims = 0
        live.tell()


def _given_up(error: Exception) -> pb.VerificationStatus:
    return failed(_reason(error), f"not verified for as long as work is kept: {error}")


def _reason(error: Exception) -> str:
    """The name of ErrorReason for what puts an output off."""
    return "OVERLOADED" if isinstance(error, _StarvedError) else status_of(error).reason
