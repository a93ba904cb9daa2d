"""All that detections are kept in, by the settings: the audit record, and what feedback needs."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.records.audit_record import AuditRecord, make_audit_record
from groundwire_server.records.detections import Detection, Sink
from groundwire_server.records.feedback_store import SqliteFeedback
from groundwire_server.records.worker import Worker
from groundwire_verifier.checks.feedback import (
    DetectionNotFoundError,
    DetectionNotStoredError,
    Feedback,
    FeedbackStoreError,
    KeptClaim,
)
from groundwire_verifier.domain.types import Estimate

MOST_LOST = 10_000
"""Detections that could not be kept, of which that is known; the oldest is forgotten first."""


class KeptFeedback:
    """Keeps detections, and the feedback on them, in one store and in their order."""

    def __init__(self, store: SqliteFeedback) -> None:
        self._store = store
        self.worker = Worker("feedback_file")
        # Whose each is. It grows in both threads.
        self._lost: dict[str, str] = {}
        self._losing = threading.Lock()

    def take(self, detection: Detection) -> None:
        if not self.worker.hand_over(partial(self._keep, detection), detection.size_bytes):
            self._lose(detection)

    async def record(self, feedback: Feedback, owner: str) -> bool:
        """Keep feedback; see `SqliteFeedback.record`.

        Raises DetectionNotStoredError for a detection of this owner that could not be kept of late.
        """
        try:
            return await self.worker.run(partial(self._store.record, feedback, owner))
        except DetectionNotFoundError:
            if self._lost.get(feedback.detection_id) == owner:
                raise DetectionNotStoredError from None
            raise

    async def erase(self, owner: str, ids: frozenset[str] | None) -> int:
        """Delete what is kept of an owner; see `SqliteFeedback.erase`."""
        return await self.worker.run(partial(self._store.erase, owner, ids))

    async def close(self) -> None:
        """Keep what is left, and close the store."""
        await self.worker.close()
        self._store.close()

    def _keep(self, detection: Detection) -> None:
        claims = [
            KeptClaim(
                judged.index,
                judged.verdict.claim,
                judged.verdict.context,
                judged.verdict.verdict.name,
                _probability(judged.verdict.posterior),
                _probability(judged.verdict.prior),
            )
            for judged in detection.judged
            # What nobody has read is no example of anything.
            if judged.verdict.context and judged.index not in detection.rejected
        ]
        if not claims:
            return
        try:
            self._store.keep(
                detection.call.id, detection.owner, detection.verification.model, claims
            )
        except FeedbackStoreError:
            self._lose(detection)
            raise

    def _lose(self, detection: Detection) -> None:
        with self._losing:
            self._lost[detection.call.id] = detection.owner
            if len(self._lost) > MOST_LOST:
                del self._lost[next(iter(self._lost))]


def make_kept_feedback(settings: ServerSettings) -> KeptFeedback | None:
    """What keeps feedback under these settings; None where it is off. Raises ConfigError."""
    if settings.off_switch("feedback") is not None:
        return None
    try:
        store = SqliteFeedback(
            settings.feedback_file.expanduser(),
            settings.feedback_retention.total_seconds(),
            settings.feedback_max_bytes,
        )
    except FeedbackStoreError as error:
        raise ConfigError(f"feedback_file cannot be used: {error}") from error
    return KeptFeedback(store)


def _probability(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.probability


@dataclass(frozen=True, slots=True)
class Records:
    """What keeps detections; None what is off."""

    audit: AuditRecord | None = None
    feedback: KeptFeedback | None = None

    @property
    def sinks(self) -> tuple[Sink, ...]:
        """What takes each detection."""
        return tuple(kept.take for kept in (self.audit, self.feedback) if kept is not None)

    @property
    def workers(self) -> Sequence[Worker]:
        """Those that write, for metrics."""
        of_feedback = [] if self.feedback is None else [self.feedback.worker]
        return [*([] if self.audit is None else self.audit.workers), *of_feedback]

    async def erase(self, owner: str, ids: frozenset[str] | None) -> tuple[int, int]:
        """Delete detections of an owner, or all where it is None.

        Gives how many are gone from what is kept for feedback, and how many lines of the audit
        record. Raises FeedbackStoreError.
        """
        kept, audit = self.feedback, self.audit
        return (
            0 if kept is None else await kept.erase(owner, ids),
            0 if audit is None else await audit.erase(owner, ids),
        )

    async def close(self) -> None:
        """Write what is left."""
        for kept in (self.audit, self.feedback):
            if kept is not None:
                await kept.close()


def make_records(settings: ServerSettings, version: str) -> Records:
    """What the settings switch on. Raises ConfigError."""
    feedback = make_kept_feedback(settings)
    return Records(make_audit_record(settings, version), feedback)
