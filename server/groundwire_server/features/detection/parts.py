"""Dependencies shared by the verifying services: one instance for calls, one for the background."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from groundwire_server.config.settings import ServerSettings
from groundwire_server.features.detection.claim_finding import ClaimFinder
from groundwire_server.features.detection.detection_requests import Defaults
from groundwire_server.features.detection.evidence_marks import EvidenceMarks
from groundwire_server.rpc.admission import DrainingError, QueueFullError
from groundwire_server.rpc.calls import Calls
from groundwire_server.text_work.pool import TextWorks
from groundwire_verifier.checks.memory_gate import NoPlaceError
from groundwire_verifier.estimation import Estimator
from groundwire_verifier.verification import Verifier


@dataclass(frozen=True, slots=True)
class Parts:
    """What claims are found, planned and read with, and what calls are counted by.

    `texts` splits texts in processes of its own, `marks` knows what of evidence is none, and
    `defaults` are the settings' options.
    """

    settings: ServerSettings
    estimator: Estimator
    verifier: Verifier
    calls: Calls
    texts: TextWorks
    marks: EvidenceMarks
    defaults: Defaults
    finder: ClaimFinder

    @property
    def timeout_s(self) -> float:
        """How long one operation of the block `hallucination` may take, in seconds."""
        return self.settings.hallucination_timeout.total_seconds()

    @contextlib.contextmanager
    def places(self, reads: int) -> Iterator[None]:
        """Hold places for so many reads, or all that there are. Raises NoPlaceError."""
        admission = self.calls.admission
        with contextlib.ExitStack() as places:
            try:
                places.enter_context(admission.admit(min(reads, admission.claims.limit)))
            except (QueueFullError, DrainingError) as error:
                raise NoPlaceError(str(error)) from None
            yield
