"""The HallucinationDetection service: requests to use cases, and verdicts to responses."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import hallucination_detection_pb2_grpc as pb_grpc
from groundwire_server.features.detection import detection_messages as messages
from groundwire_server.features.detection import detection_requests as requests
from groundwire_server.features.detection.answering import Answering
from groundwire_server.features.detection.claim_finding import extraction_message
from groundwire_server.features.detection.corpus_evidence import CorpusEvidence
from groundwire_server.features.detection.drafts import Drafts
from groundwire_server.features.detection.parts import Parts
from groundwire_server.records.detections import Judged
from groundwire_server.rpc.calls import Context
from groundwire_verifier.checks.answers import check_extract, language_of, with_confidence
from groundwire_verifier.checks.explanations.explaining import Said
from groundwire_verifier.domain.tasks import retrieve
from groundwire_verifier.text.claims.wording.sentence import rules_for
from groundwire_verifier.verdicts.types import ClaimVerdict


class HallucinationDetectionService(pb_grpc.HallucinationDetectionServicer):
    """Answers the calls of the contract."""

    def __init__(self, parts: Parts, corpora: CorpusEvidence) -> None:
        self._verifier = parts.verifier
        self._calls = parts.calls
        self._defaults = parts.defaults
        self._finder = parts.finder
        self._answering = Answering(parts, corpora)
        self._drafts = Drafts(parts, self._answering)

    async def ExtractClaims(  # noqa: N802 - named by the contract
        self, request: pb.ExtractClaimsRequest, context: Context
    ) -> pb.ExtractClaimsResponse:
        """Split a text into claims."""
        self._calls.admission.raise_if_draining()
        arrival = self._calls.arrival()
        options = requests.extract_options(request.options, "options", request.source_ids)
        check_extract(request.text, options, self._verifier.limits, "text", "options")
        claims, extraction = await self._finder.find(
            request.text, options, request.options, arrival
        )
        plain = self._defaults(self._verifier.calibration(""), None).plain_confidence
        language = language_of(claims)
        return pb.ExtractClaimsResponse(
            claims=[messages.claim(with_confidence(value, plain)) for value in claims],
            language=language,
            rules=rules_for(language),
            extraction=extraction_message(extraction),
        )

    async def VerifyClaims(  # noqa: N802 - named by the contract
        self, request: pb.VerifyClaimsRequest, context: Context
    ) -> pb.VerifyClaimsResponse:
        call = self._calls.detecting("VerifyClaims")
        batch = requests.claims_input(request, self._defaults, self._verifier)
        said = [Said.alone(claim.text) for claim in request.claims]
        async with self._answering.planned(batch, call.arrival, len(said)) as planned:
            verification = await self._answering.read(planned, said)
        judged = tuple(map(Judged, range(len(said)), verification.verdicts))
        total_s = self._calls.record(call, request, judged=judged, verification=verification)
        return pb.VerifyClaimsResponse(
            verdicts=[messages.claim_verdict(verdict) for verdict in verification.verdicts],
            run=messages.run(call.id, verification, total_s),
        )

    async def VerifyAnswer(  # noqa: N802 - named by the contract
        self, request: pb.VerifyAnswerRequest, context: Context
    ) -> pb.VerifyAnswerResponse:
        call = self._calls.detecting("VerifyAnswer")
        answer = requests.answer_input(request, self._defaults, self._verifier, "")
        answered = await self._answering.answered(answer, request, call.arrival)
        return self._answering.report(call, request, answered)

    async def VerifyAnswerStream(  # noqa: N802 - named by the contract
        self, request: pb.VerifyAnswerStreamRequest, context: Context
    ) -> AsyncIterator[pb.VerifyAnswerStreamResponse]:
        """The same, each verdict as it is known."""
        call = self._calls.detecting("VerifyAnswerStream")
        answer = requests.answer_input(request.request, self._defaults, self._verifier, "request")
        asked = self._answering.planned_answer(answer, request.request, call.arrival)
        async with asked as planned:
            found = planned.found
            # Only now: before the first message a call that fails can be tried again.
            yield pb.VerifyAnswerStreamResponse(found=messages.claims_found(found.claims))
            known: asyncio.Queue[pb.ClaimKnown | None] = asyncio.Queue()

            def tell(task: int, verdict: ClaimVerdict) -> None:
                known.put_nowait(messages.claim_known(found.indexes[task], verdict))

            work = asyncio.create_task(
                self._answering.read_answer(planned, request.request, call.arrival, tell)
            )
            work.add_done_callback(lambda _: known.put_nowait(None))
            work.add_done_callback(retrieve)
            try:
                while (claim := await known.get()) is not None:
                    yield pb.VerifyAnswerStreamResponse(known=claim)
                answered = await work
            finally:
                work.cancel()
                # The places are given back when the work has really ended.
                await asyncio.wait((work,))
        report = self._answering.report(call, request.request, answered)
        yield pb.VerifyAnswerStreamResponse(report=report)

    async def VerifyDraft(  # noqa: N802 - named by the contract
        self, requests: AsyncIterator[pb.VerifyDraftRequest], context: Context
    ) -> AsyncIterator[pb.VerifyDraftResponse]:
        """The same while the answer is being written."""
        async with contextlib.aclosing(self._drafts.verify(requests)) as responses:
            async for response in responses:
                yield response
