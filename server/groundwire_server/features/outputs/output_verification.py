"""The OutputVerification service: outputs into the queue, and how far they are out of it."""

import asyncio
import base64
import re
import secrets
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

from groundwire.v1 import output_verification_pb2 as pb
from groundwire.v1 import output_verification_pb2_grpc as pb_grpc
from groundwire_server.config.extras import how_to_install
from groundwire_server.config.sources import ConfigError, read_secret
from groundwire_server.durable_queue.queued_work import Bounds, Pieces, Stage, Stored, key_of
from groundwire_server.features.detection.parts import Parts
from groundwire_server.features.outputs.output_messages import FINAL, failed, output_input
from groundwire_server.features.outputs.output_work import Live, OutputRules, OutputWork, from_text
from groundwire_server.records.detections import ID_BYTES, detection_id_of
from groundwire_server.rpc.calls import Context
from groundwire_server.rpc.status import OutputNotFoundError
from groundwire_server.text_work.json_schema import schema_fault
from groundwire_server.text_work.pool import TextTimeoutError
from groundwire_verifier.checks.outputs.formats import JsonFormat, StatedFormat
from groundwire_verifier.checks.outputs.review import check_output
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import InvalidReason, Violation

POLL_S, POLL_AT_END_S = 1.0, 0.05
"""How often a watched output is looked for in its store: where nobody tells, and when it has just
ended here."""

MAX_RESULTS = 10_000
"""Most results that are kept; the oldest go first."""
DEFAULT_STORE = "~/.local/share/groundwire/outputs.sqlite"
MAX_REMEMBERED_SKIPS = 10_000
MAX_QUEUED_BYTES = 64 << 20
"""Most bytes of outputs that wait or run, as they are stored."""
SKIPPING_SHARE = 0.5
"""The share of the places for claims of which other calls have to hold so many that outputs are
skipped."""

_ID = re.compile(f"[0-9a-f]{{{2 * ID_BYTES}}}")

_SKIP_TEXTS: dict["pb.SkipReason", str] = {
    pb.SKIP_REASON_QUEUE_FULL: "as many outputs are queued as the server keeps",
    pb.SKIP_REASON_OVERLOADED: "the server has too much to do that someone waits for",
}


@dataclass(frozen=True, slots=True)
class Background:
    """The queue of outputs, and what is done with them."""

    queue: Pieces
    work: OutputWork

    async def erase(self, owner: str, ids: frozenset[str] | None) -> int:
        """Delete outputs of an owner by their own ids or those of their detections, or all where it
        is None; how many.

        Raises QueueUnavailableError.
        """

        def is_gone(own_id: str) -> bool:
            return ids is None or not ids.isdisjoint((own_id, detection_id_of(own_id)))

        erased = await self.queue.erase(owner, is_gone)
        self.work.forget(erased)
        return len(erased)


class OutputVerificationService(pb_grpc.OutputVerificationServicer):
    """Answers the calls of the contract."""

    def __init__(
        self,
        parts: Parts,
        background: Background,
    ) -> None:
        self._verifier = parts.verifier
        self._texts = parts.texts
        self._defaults = parts.defaults
        self._calls = parts.calls
        self._parts = parts
        self._settings = parts.settings
        self._background = background
        self._finder = parts.finder
        # What is on its way into the queue, which does not count it yet, by whose it is.
        self._adding: Counter[str] = Counter()
        self._adding_bytes: Counter[str] = Counter()
        self._skipped: OrderedDict[str, pb.VerificationStatus] = OrderedDict()

    async def SubmitVerification(  # noqa: N802 - named by the contract
        self, request: pb.SubmitVerificationRequest, context: Context
    ) -> pb.SubmitVerificationResponse:
        """Accept an output for verification, or skip it."""
        background = self._background
        self._calls.admission.raise_if_draining()
        self._check_quota(background.queue, request.ByteSize())
        given = output_input(
            request,
            self._settings.output_verification_backend or "",
            self._defaults,
            self._verifier,
        )
        check_output(given, self._verifier.limits, self._verifier.backends)
        # Refused now and not in the background, where nobody is told.
        self._finder.asks_model(request.extract, "extract")
        await self._check_schema(given.format)
        own_id = secrets.token_hex(ID_BYTES)
        key = self._key(own_id)
        salt = self._calls.cache_scope.salt()
        encoded = base64.b64encode(request.SerializeToString()).decode()
        asked_by = self._calls.telemetry.trace_parent()
        text = f"{salt} {encoded} {given.options.backend}\n{asked_by}"
        # Once more, since others of its tenant may have come while its schema was checked.
        self._check_quota(background.queue, len(text))
        skip_reason = self._skip_reason(background.queue, len(text))
        if skip_reason:
            return pb.SubmitVerificationResponse(status=self._skip(own_id, key, skip_reason))
        owner = self._calls.owner()
        self._adding[owner] += 1
        self._adding_bytes[owner] += len(text)
        try:
            await background.queue.add(
                key, given.options.backend or self._verifier.backends[0], text
            )
        finally:
            self._adding -= Counter({owner: 1})
            self._adding_bytes -= Counter({owner: len(text)})
        self._calls.telemetry.record_output("queued")
        return pb.SubmitVerificationResponse(
            status=pb.VerificationStatus(id=own_id, state=pb.VERIFICATION_STATE_QUEUED)
        )

    async def GetVerification(  # noqa: N802 - named by the contract
        self, request: pb.GetVerificationRequest, context: Context
    ) -> pb.GetVerificationResponse:
        """Tell how far a verification is."""
        status = await self._status(self._background, request.id, self._key(request.id))
        return pb.GetVerificationResponse(status=status)

    async def WatchVerification(  # noqa: N802 - named by the contract
        self, request: pb.WatchVerificationRequest, context: Context
    ) -> AsyncIterator[pb.WatchVerificationResponse]:
        """Tell it whenever it changes."""
        background = self._background
        key = self._key(request.id)
        last: pb.VerificationStatus | None = None
        while last is None or last.state not in FINAL:
            # Whoever watches would hold up the end of the server.
            self._calls.admission.raise_if_draining()
            # From before it is looked at, so that no change is missed.
            changed = background.work.changed(key)
            status = await self._status(background, request.id, key)
            if status != last:
                last = status
                yield pb.WatchVerificationResponse(status=status)
            elif status.state not in FINAL:
                live = background.work.live.get(key)
                just_ended = live is not None and live.has_ended
                with suppress(TimeoutError):
                    async with asyncio.timeout(POLL_AT_END_S if just_ended else POLL_S):
                        await changed.wait()

    def _key(self, own_id: str) -> str:
        """Under which an output is kept: whose it is stands in it, so nobody else finds it."""
        return key_of(self._calls.owner(), own_id)

    async def _status(self, background: Background, own_id: str, key: str) -> pb.VerificationStatus:
        """How far an output is. Raises OutputNotFoundError or QueueUnavailableError."""
        skipped = self._skipped.get(key)
        if skipped is not None:
            return skipped
        live = background.work.live.get(key)
        status = None if live is None or live.has_ended else _of_live(live)
        if status is None:
            found = await background.queue.find(key) if _ID.fullmatch(own_id) else None
            if found is None:
                raise OutputNotFoundError(
                    "no verification of yours has this id; results are kept for a time only"
                )
            status = _of_stored(found, live)
        if status.state in FINAL:
            background.work.live.pop(key, None)
        status.id = own_id
        return status

    async def _check_schema(self, stated: StatedFormat) -> None:
        if not isinstance(stated.kind, JsonFormat) or not stated.kind.schema:
            return
        schema = stated.kind.schema
        try:
            fault = await self._texts.for_text(schema).run(schema_fault, schema)
        except TextTimeoutError as error:
            fault = f"takes more than {error.limit_s:g} s of a processor to be checked: shorten it"
        if fault:
            path = "format.json.schema"
            checks.raise_any([Violation(path, InvalidReason.INVALID_OPTION, fault)])

    def _check_quota(self, queue: Pieces, size: int) -> None:
        """Raises QuotaExceededError for one more of so many bytes."""
        if self._calls.accounts is None:
            return
        account, settings = self._calls.accounts.current, self._settings
        owner = account.owner
        pieces = queue.pieces_of[owner] + self._adding[owner]
        size_bytes = queue.bytes_of[owner] + self._adding_bytes[owner]
        account.check_later(
            (pieces, 1, settings.output_verification_max_queued),
            (size_bytes, size, MAX_QUEUED_BYTES),
        )

    def _skip_reason(self, queue: Pieces, size: int) -> "pb.SkipReason":
        settings, claims = self._settings, self._calls.admission.claims
        pieces = queue.pieces + self._adding.total()
        size_bytes = queue.bytes + self._adding_bytes.total()
        if (
            pieces >= settings.output_verification_max_queued
            or size_bytes + size > MAX_QUEUED_BYTES
        ):
            return pb.SKIP_REASON_QUEUE_FULL
        if claims.pending >= SKIPPING_SHARE * claims.limit:
            return pb.SKIP_REASON_OVERLOADED
        return pb.SKIP_REASON_UNSPECIFIED

    def _skip(self, own_id: str, key: str, reason: "pb.SkipReason") -> pb.VerificationStatus:
        status = pb.VerificationStatus(
            id=own_id,
            state=pb.VERIFICATION_STATE_SKIPPED,
            skip_reason=reason,
            state_text=_SKIP_TEXTS[reason],
        )
        self._skipped[key] = status
        if len(self._skipped) > MAX_REMEMBERED_SKIPS:
            self._skipped.popitem(last=False)
        name = pb.SkipReason.Name(reason).removeprefix("SKIP_REASON_")
        self._calls.telemetry.record_output("skipped", name)
        return status


def _of_live(live: Live) -> pb.VerificationStatus:
    running = pb.VERIFICATION_STATE_RUNNING if live.is_running else pb.VERIFICATION_STATE_QUEUED
    return pb.VerificationStatus(
        state=running,
        read_claims=live.read_claims,
        total_claims=live.total_claims,
        state_text=live.waits_for,
    )


def _of_stored(found: Stored, live: Live | None) -> pb.VerificationStatus:
    match found.stage:
        case Stage.DONE if found.result is not None:
            return from_text(found.result)
        case Stage.WAITING | Stage.TAKEN if live is not None and live.is_running:
            # Its result is about to be kept.
            return _of_live(live)
        case Stage.WAITING | Stage.TAKEN:
            return pb.VerificationStatus(state=pb.VERIFICATION_STATE_QUEUED)
        case _:
            return failed("INTERNAL", "it was begun again too often, without a result")


async def start_queue(parts: Parts) -> Background:
    """The queue of the settings, which goes on with what it has.

    `parts` are those of the background. DBOS is imported only now. Raises ConfigError.
    """
    settings = parts.settings
    try:
        import jsonschema  # noqa: F401 - found missing now, and not by the first schema

        from groundwire_server.durable_queue.queue import DurableQueue
        from groundwire_server.durable_queue.store import open_store
    except ImportError as error:
        raise ConfigError(
            f"output_verification_enabled needs packages that are not installed ({error}): "
            f"{how_to_install('queue')}"
        ) from error
    address = read_secret("output_verification_store", settings.output_verification_store)
    store = open_store(
        DEFAULT_STORE if address is None else address,
        allow_plaintext=settings.allow_plaintext,
    )
    bounds = Bounds(
        settings.output_verification_retention.total_seconds(),
        MAX_RESULTS,
    )
    rules = OutputRules(
        settings.output_verification_flag_threshold_bits,
        parts.timeout_s,
        settings.output_verification_retention.total_seconds(),
    )
    work = OutputWork(parts, rules)
    queue = DurableQueue(store, work.run, bounds, parts.verifier.backends)
    await queue.start()
    parts.calls.telemetry.observe_queue(lambda: queue.pieces, lambda: queue.bytes)
    return Background(queue, work)
