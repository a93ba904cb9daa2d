"""The CorpusVerification service: a text and the name of a corpus to the use case, and back."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib import metadata

from groundwire.v1 import corpus_verification_pb2 as pb
from groundwire.v1 import corpus_verification_pb2_grpc as pb_grpc
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire_server.config.extras import check_provider
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.features.detection import detection_requests as requests
from groundwire_server.features.detection.corpus_evidence import retrieved_source
from groundwire_server.features.detection.detection_messages import run
from groundwire_server.features.detection.messages import message, writes
from groundwire_server.features.detection.parts import Parts
from groundwire_server.records.detections import Judged
from groundwire_server.rpc.calls import Context
from groundwire_verifier.checks.answers import (
    MAX_QUESTION_CHARACTERS,
    AnswerInput,
    check_extract,
    choose_claims,
)
from groundwire_verifier.checks.corpus.analysis import AnalysisInput, CorpusAnalyzer
from groundwire_verifier.checks.corpus.explaining import LLMProvider, explained
from groundwire_verifier.checks.corpus.findings import CorpusAnalysis, RelatedPassage, RiskNumbers
from groundwire_verifier.checks.corpus.passages import (
    EvidenceProvider,
    RetrievalFailedError,
    retrieved,
)
from groundwire_verifier.checks.corpus.risk_words import words_in
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import CorpusUnavailableError, InvalidReason, Violation
from groundwire_verifier.domain.tasks import in_thread
from groundwire_verifier.domain.urgency import Arrival
from groundwire_verifier.session import Session
from groundwire_verifier.verdicts.options import EvidenceInput, VerifyOptions, check_options

GROUP = "groundwire.llm_providers"

MakeProvider = Callable[[str, float], LLMProvider]
"""Called with the model's name, empty for the provider's own choice, and the temperature."""


def chosen_provider(settings: ServerSettings) -> LLMProvider | None:
    """The provider of the settings; None where they name none. Raises ConfigError."""
    name = settings.epistemic_risk_llm_provider
    if name is None:
        return None
    registered = {point.name: point for point in metadata.entry_points(group=GROUP)}
    if name not in registered:
        known = ", ".join(sorted(registered)) or "none"
        raise ConfigError(
            f"epistemic_risk_llm_provider: no package registers {name!r} under {GROUP} "
            f"(registered: {known}). Install a package that does; or leave the provider out, and "
            "no verdict is explained; or, to have claims read by a model behind a URL in place of "
            "this machine's, add it to backends"
        )
    try:
        make: MakeProvider = registered[name].load()
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"epistemic_risk_llm_provider: {name!r} cannot be loaded: {error}"
        ) from error
    provider = make(settings.epistemic_risk_llm_model, settings.epistemic_risk_llm_temperature)
    check_provider("epistemic_risk_llm_provider", name, provider, "complete")
    return provider


log = logging.getLogger("groundwire.server")

MOST_PASSAGES = 100
"""Most passages of one search, as many as `retrieval_top_k` may ask for."""


class CorpusVerificationService(pb_grpc.CorpusVerificationServicer):
    """Answers the calls of the contract. `corpora` are the operator's, by name.

    `explainer` is None where nobody explains verdicts.
    """

    def __init__(
        self,
        parts: Parts,
        analyzer: CorpusAnalyzer,
        corpora: Mapping[str, EvidenceProvider],
        explainer: LLMProvider | None,
    ) -> None:
        self._parts = parts
        self._analyzer = analyzer
        self._corpora = corpora
        self._explainer = explainer

    async def AnalyzeText(  # noqa: N802 - named by the contract
        self, request: pb.AnalyzeTextRequest, context: Context
    ) -> pb.AnalyzeTextResponse:
        calls = self._parts.calls
        detection = calls.detecting("AnalyzeText", self._parts.timeout_s)
        name = self._corpus_name(request.corpus)
        options = self._options(request)
        calls.admission.raise_if_draining()
        asked = await self._claims(request, options, detection.arrival)
        count = len(asked.found.tasks)
        with (
            calls.admission.admit(max(1, count)),
            calls.telemetry.traced_span(
                "groundwire.analyze", {"groundwire.claims": count}
            ) as headers,
        ):
            session = Session(
                self._parts.verifier,
                calls.cache_scope.salt(),
                detection.arrival.urgency(count),
                trace_headers=headers,
                answer_by_s=detection.arrival.answer_by_s(count),
            )
            analysis = await self._analyzer.analyze(asked, self._corpora[name], session)
            analysis = await self._explained(analysis, session.answer_by_s)
        judged = tuple(
            Judged(i, each.budget)
            for i, each in enumerate(analysis.claims)
            if each.budget is not None
        )
        total_s = calls.record(
            detection,
            request,
            judged=judged,
            verification=analysis.verification,
            outcomes=tuple(f"{a.verdict.name}/{a.reason.name}" for a in analysis.claims),
        )
        return message(
            pb.AnalyzeTextResponse,
            analysis,
            notice=words_in(analysis.language).notice,
            corpus=name,
            run=run(detection.id, analysis.verification, total_s),
            rules=self._analyzer.rules.risk,
        )

    async def SearchCorpus(  # noqa: N802 - named by the contract
        self, request: pb.SearchCorpusRequest, context: Context
    ) -> pb.SearchCorpusResponse:
        """Find the passages of a corpus that are nearest to a text."""
        name = self._corpus_name(request.corpus)
        wanted = (
            request.max_passages if request.HasField("max_passages") else self._analyzer.rules.top_k
        )
        checks.raise_any(_search_violations(request.query, wanted))
        admission = self._parts.calls.admission
        admission.raise_if_draining()
        with admission.admit(1):
            try:
                found = await retrieved(self._corpora[name], request.query, wanted)
            except RetrievalFailedError as error:
                raise CorpusUnavailableError(str(error)) from error
        return pb.SearchCorpusResponse(
            passages=[retrieved_source(i, passage) for i, passage in enumerate(found)], corpus=name
        )

    def _corpus_name(self, asked: str) -> str:
        """The corpus that a request means. Raises InvalidInputError, and names no other."""
        if asked in self._corpora:
            return asked
        if not asked and len(self._corpora) == 1:
            return next(iter(self._corpora))
        text = "names no corpus of this server; use a name that its operator gave to one"
        if not asked:
            text = (
                "is empty, and this server has several: name one"
                if self._corpora
                else "can name none: this server has no corpus; its operator sets retrieval_corpora"
            )
        checks.raise_any([Violation("corpus", InvalidReason.UNKNOWN_CORPUS, text)])
        raise AssertionError("a violation raises")

    def _options(self, request: pb.AnalyzeTextRequest) -> VerifyOptions:
        """What is asked of the reads, checked. Raises InvalidInputError."""
        verifier = self._parts.verifier
        wanted = detection_pb.VerifyOptions()
        wanted.CopyFrom(request.options)
        wanted.backend = wanted.backend or self._parts.settings.epistemic_risk_backend or ""
        options = requests.verify_options(wanted, self._parts.defaults, verifier, "options")
        checks.raise_any(check_options(options, verifier.limits, verifier.backends, "options"))
        return options

    async def _claims(
        self,
        request: pb.AnalyzeTextRequest,
        options: VerifyOptions,
        arrival: Arrival,
    ) -> AnalysisInput:
        """The claims of a text, and which of them are read. Raises InvalidInputError."""
        split = requests.extract_options(request.extract, "extract")
        if not request.extract.HasField("min_assertion_confidence"):
            # Here a hedge is a penalty, and no reason to leave a claim out.
            split = replace(split, min_assertion_confidence=0.0)
        check_extract(request.text, split, self._parts.verifier.limits, "text", "extract")
        claims, extraction = await self._parts.finder.find(
            request.text, split, request.extract, arrival
        )
        answer = AnswerInput(request.text, EvidenceInput(), options=options)
        found = await in_thread(choose_claims, answer, (), claims, extraction)
        today = datetime.now(UTC).date()
        return AnalysisInput(found, options, today)

    async def _explained(self, analysis: CorpusAnalysis, answer_by_s: float) -> CorpusAnalysis:
        """The same with texts of the operator's provider, where there is one and there is time."""
        provider = self._explainer
        if provider is None:
            return analysis
        left_s = min(answer_by_s - time.monotonic(), self._parts.timeout_s)
        claims, missing = await explained(analysis.claims, provider, analysis.language, left_s)
        if missing:
            log.warning("the LLM provider gave no explanation of %d claims", missing)
        return replace(analysis, claims=claims)


def _search_violations(query: str, max_passages: int) -> list[Violation]:
    found: list[Violation] = []
    if len(query) > MAX_QUESTION_CHARACTERS:
        text = checks.too_long(len(query), MAX_QUESTION_CHARACTERS, "characters", "the query")
        found.append(Violation("query", InvalidReason.TEXT_TOO_LONG, text))
    elif not checks.has_visible_character(query):
        text = "has no visible character; send what to look for"
        found.append(Violation("query", InvalidReason.EMPTY_TEXT, text))
    if not 1 <= max_passages <= MOST_PASSAGES:
        text = f"is {max_passages}; it must be 1 to {MOST_PASSAGES}"
        found.append(Violation("max_passages", InvalidReason.INVALID_OPTION, text))
    return found


@writes(RelatedPassage)
def _passage(value: RelatedPassage) -> pb.RelatedPassage:
    passage = value.passage
    return message(
        pb.RelatedPassage,
        value,
        document=passage.document,
        title=passage.title,
        text=passage.text,
        start=passage.start,
        end=passage.end,
        similarity=passage.similarity,
        dated="" if passage.dated is None else passage.dated.isoformat(),
        dated_by=passage.dated_by,
    )


@writes(RiskNumbers)
def _numbers(value: RiskNumbers) -> pb.RiskNumbers:
    strength = value.strength_interval
    return message(pb.RiskNumbers, value, strength_low=strength.low, strength_high=strength.high)
