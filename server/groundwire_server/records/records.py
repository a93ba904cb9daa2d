"""All that detections are kept in, by the settings: the audit record, and what feedback needs."""

from collections.abc import Sequence
from dataclasses import dataclass

from groundwire_server.config.settings import ServerSettings
from groundwire_server.records.audit_record import AuditRecord, make_audit_record
from groundwire_server.records.detections import Sink
from groundwire_server.records.kept_feedback import KeptFeedback, make_kept_feedback
from groundwire_server.records.worker import Worker


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
