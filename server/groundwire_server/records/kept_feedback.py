"""What is kept for feedback: the claims of each detection, off the event loop.

Knows detections and settings. How claims are kept stands in `feedback_store`.
"""

from functools import partial

from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.records.detections import Detection
from groundwire_server.records.feedback_store import SqliteFeedback
from groundwire_server.records.worker import Worker
from groundwire_verifier.domain.types import Estimate
from groundwire_verifier.feedback import Feedback, FeedbackStoreError, KeptClaim


class KeptFeedback:
    """Keeps detections, and the feedback on them, in one store and in their order."""

    def __init__(self, store: SqliteFeedback) -> None:
        self._store = store
        self.worker = Worker("feedback_file")

    def take(self, detection: Detection) -> None:
        """Have a detection kept."""
        self.worker.hand_over(partial(self._keep, detection), detection.size_bytes)

    async def record(self, feedback: Feedback, owner: str) -> bool:
        """Keep feedback; see `SqliteFeedback.record`."""
        return await self.worker.run(partial(self._store.record, feedback, owner))

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
            if judged.verdict.context
        ]
        if claims:
            self._store.keep(
                detection.call.id, detection.owner, detection.verification.model, claims
            )


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
