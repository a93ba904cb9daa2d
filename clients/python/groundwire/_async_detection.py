"""The calls about texts, claims and answers of the client for asyncio."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING

from groundwire import _claim_messages, _detection_requests, _report_messages
from groundwire._async_connection import AsyncConnection
from groundwire.claims import ExtractOptions, ExtractResult
from groundwire.evidence import Evidence
from groundwire.policies import ClaimInput, VerifyOptions
from groundwire.reports import AnswerEvent, AnswerReport, VerifyResult
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub

if TYPE_CHECKING:
    from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionAsyncStub


class AsyncDetectionCalls(AsyncConnection):
    """The methods of the service HallucinationDetection."""

    async def extract_claims(
        self,
        text: str,
        *,
        source_ids: Iterable[str] = (),
        options: ExtractOptions | None = None,
        timeout_s: float | None = None,
    ) -> ExtractResult:
        """Splits a text into claims, as `Client.extract_claims`."""
        request = _detection_requests.extract_request(text, source_ids, options)
        response = await self._call(self._detection().ExtractClaims, request, timeout_s)
        return _claim_messages.extract_result(response, len(text))

    async def verify_claims(
        self,
        claims: Iterable[str | ClaimInput],
        evidence: Evidence | str,
        *,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> VerifyResult:
        """Verifies claims, as `Client.verify_claims`."""
        request = _detection_requests.claims_request(claims, evidence, options)
        response = await self._call(self._detection().VerifyClaims, request, timeout_s)
        return _report_messages.verify_result(response, len(request.claims))

    async def verify_answer(
        self,
        answer: str,
        evidence: Evidence | str,
        *,
        question: str = "",
        extract: ExtractOptions | None = None,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> AnswerReport:
        """Extracts the claims of an answer and verifies them, as `Client.verify_answer`."""
        request = _detection_requests.answer_request(answer, evidence, question, extract, options)
        response = await self._call(self._detection().VerifyAnswer, request, timeout_s)
        return _report_messages.answer_report(response, len(answer))

    def verify_answer_stream(
        self,
        answer: str,
        evidence: Evidence | str,
        *,
        question: str = "",
        extract: ExtractOptions | None = None,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> AsyncGenerator[AnswerEvent, None]:
        """As `verify_answer`, piece by piece, for `async for`; see `Client.verify_answer_stream`.

        After leaving the loop the event loop cancels the call soon; `aclose()` on the iterator,
        or `contextlib.aclosing` around it, does so at once.
        """
        request = _detection_requests.answer_stream_request(
            answer, evidence, question, extract, options
        )
        call_s = self._settings.call_timeout_s(timeout_s)
        return self._events(request, len(answer), call_s)

    async def _events(
        self, request: pb.VerifyAnswerStreamRequest, characters: int, timeout_s: float
    ) -> AsyncGenerator[AnswerEvent, None]:
        reader = _report_messages.StreamReader(characters)
        method = self._detection().VerifyAnswerStream
        async with aclosing(self._stream(method, request, timeout_s)) as responses:
            async for response in responses:
                event = reader.read(response)
                if event is not None:
                    yield event
        yield reader.report()

    def _detection(self) -> "HallucinationDetectionAsyncStub":
        return HallucinationDetectionStub(self._opened())
