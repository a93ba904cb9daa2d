"""The claims of a text or an answer, for every service that needs them: by rules, or by a model."""

import logging
from collections.abc import Sequence

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.features.detection.messages import message, writes
from groundwire_server.rpc.calls import Calls
from groundwire_server.rpc.status import NotEnabledError
from groundwire_server.rpc.telemetry import Telemetry
from groundwire_server.text_work.languages import named_claims, named_complete
from groundwire_server.text_work.pool import TextTimeoutError, TextWorks
from groundwire_verifier.checks.answers import (
    MAX_EXTRACTED_CLAIMS,
    MAX_TEXT_IDS,
    AnswerClaims,
    AnswerInput,
    check_answer,
    check_extracted,
    choose_claims,
    extract_options,
    extract_took_too_long,
)
from groundwire_verifier.checks.model_claims.extraction import BY_RULES, Extracted, Extraction
from groundwire_verifier.checks.model_claims.extractor import ExtractionCall, ModelExtractor
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import Claim, ClaimOptions
from groundwire_verifier.domain.errors import InvalidReason, Violation
from groundwire_verifier.domain.tasks import in_thread
from groundwire_verifier.domain.urgency import Arrival, Urgency
from groundwire_verifier.verification import VerificationInput, Verifier

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
def extraction_message(value: Extraction) -> pb.Extraction:
    """How claims were found."""
    return message(
        pb.Extraction, value, dropped_claims=value.dropped, restored_claims=value.restored
    )


class ClaimFinder:
    """Finds claims in the processes of `texts`, and by a model where a request or a setting says.

    Raises InvalidInputError for what is too long or holds too much, and NotEnabledError.
    """

    def __init__(
        self, verifier: Verifier, calls: Calls, texts: TextWorks, by_model: ModelClaims
    ) -> None:
        self._verifier = verifier
        self._calls = calls
        self._texts = texts
        self._by_model = by_model

    async def find(
        self,
        text: str,
        options: ClaimOptions,
        asked: pb.ExtractOptions,
        arrival: Arrival,
    ) -> tuple[Sequence[Claim], Extraction]:
        """The claims of a request's `text`, which is checked, and how they were found."""
        asks_model = self.asks_model(asked, "options")
        claims = await self.by_rules(text, options, "text")
        if not asks_model:
            return claims, BY_RULES
        with self._calls.admission.admit(1):
            found = await self._by_model.find(text, "", claims, self._model_call(arrival))
        return check_extracted(found.claims, "text"), found.extraction

    def asks_model(self, options: pb.ExtractOptions, field: str) -> bool:
        """Whether a model is to find the claims. Raises InvalidInputError or NotEnabledError."""
        if options.extractor:
            return self._by_model.chosen(options.extractor, f"{field}.extractor")
        return self._by_model.is_default

    async def choose_later(
        self, answer: AnswerInput, options: pb.ExtractOptions, salt: str, urgency: Urgency
    ) -> tuple[AnswerClaims, VerificationInput]:
        """The same for an answer that nobody waits for, asked by a caller with this salt."""
        try:
            asks_model = self.asks_model(options, "extract")
        except NotEnabledError:
            # It was on when the answer was accepted; the rules are what is left.
            asks_model = False
        return await self._choose(answer, ExtractionCall(salt, urgency) if asks_model else None)

    async def choose_now(
        self,
        answer: AnswerInput,
        options: pb.ExtractOptions,
        field: str,
        arrival: Arrival,
    ) -> tuple[AnswerClaims, VerificationInput]:
        """The claims of an answer, and the batch of those to verify. Raises InvalidInputError."""
        if not self.asks_model(options, field):
            return await self._choose(answer, None)
        with self._calls.admission.admit(1):
            return await self._choose(answer, self._model_call(arrival))

    async def choose_so_far(self, answer: AnswerInput) -> tuple[AnswerClaims, VerificationInput]:
        """The same for an answer that is still being written, by rules."""
        return await self._choose(answer, None)

    async def complete_characters(self, answer: AnswerInput) -> int:
        """How many characters of an answer that is still being written are complete sentences."""
        split = extract_options(answer, answer.evidence.build().ids)
        work = self._texts.for_text(answer.answer)
        try:
            return await work.run(named_complete, answer.answer, split, MAX_TEXT_IDS)
        except TextTimeoutError as error:
            raise extract_took_too_long(answer.answer_field, error.limit_s) from None

    def _model_call(self, arrival: Arrival) -> ExtractionCall:
        return ExtractionCall(self._calls.cache_scope.salt(), arrival.urgency(1))

    async def _choose(
        self, answer: AnswerInput, model_call: ExtractionCall | None
    ) -> tuple[AnswerClaims, VerificationInput]:
        check_answer(answer, self._verifier.limits, self._verifier.backends)
        self._calls.admission.raise_if_draining()
        evidence = answer.evidence.build()
        ids = evidence.ids
        split = extract_options(answer, ids)
        field = answer.answer_field
        claims = await self.by_rules(answer.answer, split, field)
        extraction = BY_RULES
        if model_call is not None:
            text, question = answer.answer, answer.question
            found = await self._by_model.find(text, question, claims, model_call)
            claims, extraction = check_extracted(found.claims, field), found.extraction
        chosen = await in_thread(choose_claims, answer, ids, claims, extraction)
        fields = f"{answer.prefix}evidence", f"{answer.prefix}options"
        return chosen, VerificationInput(chosen.tasks, evidence, answer.options, *fields)

    async def by_rules(self, text: str, options: ClaimOptions, field: str) -> Sequence[Claim]:
        """The claims of a text that stands in `field`."""
        with self._calls.telemetry.span("groundwire.extract", {}):
            try:
                # One more than may be, to see whether there are too many.
                count = MAX_EXTRACTED_CLAIMS + 1
                claims = await self._texts.for_text(text).run(
                    named_claims, text, options, count, MAX_TEXT_IDS
                )
            except TextTimeoutError as error:
                raise extract_took_too_long(field, error.limit_s) from None
        return check_extracted(claims, field)
