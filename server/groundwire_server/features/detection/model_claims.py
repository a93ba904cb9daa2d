"""Claims that a model finds, for the services: whether a call may have them, and how it
gets them."""

import logging
from collections.abc import Sequence

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.features.detection.messages import message, writes
from groundwire_server.rpc.status import NotEnabledError
from groundwire_server.rpc.telemetry import Telemetry
from groundwire_verifier.checks.model_claims.extraction import Extracted, Extraction
from groundwire_verifier.checks.model_claims.extractor import ExtractionCall, ModelExtractor
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import Claim
from groundwire_verifier.domain.errors import InvalidReason, Violation

log = logging.getLogger("groundwire.server")


class ModelClaims:
    """Has a model find claims. `off_switch` is the setting that keeps it from that, or None.

    `is_default` says that it does so for requests that do not choose.
    """

    def __init__(
        self,
        extractor: ModelExtractor,
        telemetry: Telemetry,
        off_switch: str | None,
        *,
        is_default: bool,
    ) -> None:
        self._extractor = extractor
        self._telemetry = telemetry
        self._off_switch = off_switch
        self.is_default = is_default and off_switch is None

    def chosen(self, choice: pb.Extractor, field: str) -> bool:
        """Whether this choice of a request, which stands in `field`, is the model.

        Raises InvalidInputError or NotEnabledError.
        """
        if choice not in pb.Extractor.values():
            text = (
                f"has the unknown value {choice}; use one of: {', '.join(pb.Extractor.keys()[1:])}"
            )
            checks.raise_any([Violation(field, InvalidReason.INVALID_OPTION, text)])
        if choice != pb.EXTRACTOR_MODEL:
            return False
        if self._off_switch is not None:
            raise NotEnabledError(
                "splitting a text by a model", self._off_switch, "the name of a backend"
            )
        return True

    async def find(
        self, text: str, question: str, by_rules: Sequence[Claim], call: ExtractionCall
    ) -> Extracted:
        """The claims of a text, of which the rules have found these."""
        with self._telemetry.traced_span("groundwire.extract_by_model", {}) as headers:
            found = await self._extractor.extract(text, question, by_rules, call, headers)
        if found.extraction.fallback is not None:
            log.warning("the rules found the claims: %s", found.extraction.fallback.value)
        return found


@writes(Extraction)
def extraction(value: Extraction) -> pb.Extraction:
    """How claims were found."""
    return message(
        pb.Extraction, value, dropped_claims=value.dropped, restored_claims=value.restored
    )
