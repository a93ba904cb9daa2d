"""The client for asyncio. What it shares with Client lies in the private modules."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import grpc

from groundwire._wire import (
    analysis_responses,
    assessment_responses,
    gate_responses,
    output_responses,
    requests,
    responses,
    similarity_responses,
    trace_responses,
    verification_responses,
)
from groundwire._wire.failures import failure
from groundwire._wire.serving import ServingWait
from groundwire._wire.settings import (
    DEFAULT_MAX_MESSAGE_BYTES,
    DEFAULT_TARGET,
    DEFAULT_TIMEOUT_S,
    TLS,
    Options,
    make_settings,
)
from groundwire.analyses import CorpusAnalysis
from groundwire.assessments import AssessmentLayer, ResponseAssessment, ToolCall
from groundwire.claims import ExtractResult
from groundwire.errors import (
    CallCancelledError,
    ClientClosedError,
    InternalError,
    RpcFailedError,
)
from groundwire.facts import FactInput, GateResult
from groundwire.feedback import FeedbackVerdict, RecordedFeedback
from groundwire.inputs import ClaimInput, Document, Evidence, ExtractOptions, VerifyOptions
from groundwire.outputs import StatedFormat, Turn, VerificationStatus
from groundwire.reports import AnswerEvent, AnswerReport, VerifyResult
from groundwire.results import BatchResult, EstimateResult, ServerInfo
from groundwire.similarity import SimilarityResult
from groundwire.traces import TraceAudit
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import output_verification_pb2 as output_pb
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1.corpus_verification_pb2_grpc import CorpusVerificationStub
from groundwire.v1.feedback_pb2_grpc import FeedbackStub
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from groundwire.v1.memory_gate_pb2_grpc import MemoryGateStub
from groundwire.v1.output_verification_pb2_grpc import OutputVerificationStub
from groundwire.v1.response_assessment_pb2_grpc import ResponseAssessmentStub
from groundwire.v1.similarity_pb2_grpc import SimilarityStub
from groundwire.v1.trace_audit_pb2_grpc import TraceAuditStub
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub

if TYPE_CHECKING:
    from groundwire.v1.corpus_verification_pb2_grpc import CorpusVerificationAsyncStub
    from groundwire.v1.feedback_pb2_grpc import FeedbackAsyncStub
    from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionAsyncStub
    from groundwire.v1.memory_gate_pb2_grpc import MemoryGateAsyncStub
    from groundwire.v1.output_verification_pb2_grpc import OutputVerificationAsyncStub
    from groundwire.v1.response_assessment_pb2_grpc import ResponseAssessmentAsyncStub
    from groundwire.v1.similarity_pb2_grpc import SimilarityAsyncStub
    from groundwire.v1.trace_audit_pb2_grpc import TraceAuditAsyncStub
    from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendAsyncStub

Request = TypeVar("Request")
Response = TypeVar("Response")


class AsyncClient:
    """As Client, for asyncio: the same arguments, results and errors.

    It may be made anywhere, and belongs to the event loop of its first call.
    Cancelling the task that awaits a call cancels the call in the server too.
    """

    def __init__(
        self,
        target: str = DEFAULT_TARGET,
        *,
        token: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        tls: TLS | None = None,
        allow_plaintext: bool = False,
        max_message_bytes: int = DEFAULT_MAX_MESSAGE_BYTES,
        options: Options = (),
    ) -> None:
        """Checks the arguments, which are those of `Client`; the first call connects.

        Raises:
            ConfigurationError: an argument cannot be used.
        """
        self._settings = make_settings(
            target,
            token=token,
            timeout_s=timeout_s,
            tls=tls,
            allow_plaintext=allow_plaintext,
            max_message_bytes=max_message_bytes,
            options=options,
        )
        self._channel: grpc.aio.Channel | None = None
        self._streams: set[grpc.aio.UnaryStreamCall[Any, Any]] = set()
        self._closed = False

    async def close(self) -> None:
        """Closes the channel. Calls in flight raise CallCancelledError."""
        self._closed = True
        for call in tuple(self._streams):
            # grpcio 1.76 leaves them waiting when the channel closes.
            call.cancel()
        if self._channel is not None:
            await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def estimate(
        self,
        claim: str,
        context: str = "",
        *,
        backend: str = "",
        skip_result_cache: bool = False,
        split_long_context: bool = False,
        timeout_s: float | None = None,
    ) -> EstimateResult:
        """Reads the probability that one claim is true, as `Client.estimate`."""
        request = requests.estimate_request(
            claim,
            context,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
        call = self._stub().EstimateProbability
        return responses.estimate_result(await self._call(call, request, timeout_s))

    async def batch_estimate(
        self,
        claims: Iterable[str],
        context: str = "",
        *,
        backend: str = "",
        skip_result_cache: bool = False,
        split_long_context: bool = False,
        timeout_s: float | None = None,
    ) -> BatchResult:
        """Reads many claims against one context, as `Client.batch_estimate`."""
        request = requests.batch_request(
            claims,
            context,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
        response = await self._call(self._stub().BatchEstimate, request, timeout_s)
        return responses.batch_result(response, len(request.claims))

    async def server_info(self, *, backend: str = "", timeout_s: float | None = None) -> ServerInfo:
        """Tells which model answers, and the limits, as `Client.server_info`."""
        request = pb.GetServerInfoRequest(backend=backend)
        response = await self._call(self._stub().GetServerInfo, request, timeout_s)
        return responses.server_info(response)

    async def wait_until_serving(self, timeout_s: float) -> ServerInfo:
        """Waits until the server's state is SERVING, as `Client.wait_until_serving`."""
        wait = ServingWait(timeout_s, self._settings.timeout_s)
        request = pb.GetServerInfoRequest()
        while True:
            call_s = wait.next_call_s()
            try:
                response = await self._call(
                    self._stub().GetServerInfo, request, call_s, wait_for_ready=True
                )
            except RpcFailedError as error:
                wait.failed(error)
            else:
                info = responses.server_info(response)
                if wait.is_over(info):
                    return info
            await asyncio.sleep(wait.pause_s())

    async def extract_claims(
        self,
        text: str,
        *,
        source_ids: Iterable[str] = (),
        options: ExtractOptions | None = None,
        timeout_s: float | None = None,
    ) -> ExtractResult:
        """Splits a text into claims, as `Client.extract_claims`."""
        request = requests.extract_request(text, source_ids, options)
        response = await self._call(self._detection().ExtractClaims, request, timeout_s)
        return verification_responses.extract_result(response, len(text))

    async def verify_claims(
        self,
        claims: Iterable[str | ClaimInput],
        evidence: Evidence | str,
        *,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> VerifyResult:
        """Verifies claims, as `Client.verify_claims`."""
        request = requests.claims_request(claims, evidence, options)
        response = await self._call(self._detection().VerifyClaims, request, timeout_s)
        return verification_responses.verify_result(
            response, [claim.text for claim in request.claims]
        )

    async def check_facts(
        self,
        facts: Iterable[str | FactInput],
        evidence: Evidence | str | None = None,
        *,
        backend: str = "",
        skip_result_cache: bool = False,
        split_long_context: bool = False,
        timeout_s: float | None = None,
    ) -> GateResult:
        """As `Client.check_facts`."""
        request = requests.facts_request(
            facts,
            evidence,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
        response = await self._call(self._gate().CheckFacts, request, timeout_s)
        return gate_responses.gate_result(response, request)

    async def verify_answer(
        self,
        answer: str,
        evidence: Evidence | str = "",
        *,
        question: str = "",
        corpus: str = "",
        language: str = "",
        extract: ExtractOptions | None = None,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> AnswerReport:
        """Extracts the claims of an answer and verifies them, as `Client.verify_answer`."""
        request = requests.answer_request(
            answer, evidence, question, extract, options, corpus=corpus, language=language
        )
        response = await self._call(self._detection().VerifyAnswer, request, timeout_s)
        return verification_responses.answer_report(response, len(answer))

    def verify_answer_stream(
        self,
        answer: str,
        evidence: Evidence | str = "",
        *,
        question: str = "",
        corpus: str = "",
        language: str = "",
        extract: ExtractOptions | None = None,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> AsyncGenerator[AnswerEvent, None]:
        """As `verify_answer`, piece by piece, for `async for`; see `Client.verify_answer_stream`.

        After leaving the loop the event loop cancels the call soon; `aclose()` on the iterator,
        or `contextlib.aclosing` around it, does so at once.
        """
        request = requests.answer_stream_request(
            answer, evidence, question, extract, options, corpus=corpus, language=language
        )
        call_s = self._settings.call_timeout_s(timeout_s)
        return self._events(request, len(answer), call_s)

    async def audit_trace(
        self,
        steps: Iterable[str],
        context: Evidence | str = "",
        *,
        answer: str = "",
        question: str = "",
        options: VerifyOptions | None = None,
        check_post_hoc: bool | None = None,
        timeout_s: float | None = None,
    ) -> TraceAudit:
        """Says where a chain of reasoning leaves its evidence, as `Client.audit_trace`."""
        request = requests.audit_request(
            steps, context, answer, question, options, check_post_hoc=check_post_hoc
        )
        response = await self._call(self._traces().AuditTrace, request, timeout_s)
        return trace_responses.trace_audit(response, request.steps, answer)

    async def check_similarity(
        self,
        answer: str,
        contexts: Iterable[str],
        *,
        threshold: float | None = None,
        timeout_s: float | None = None,
    ) -> SimilarityResult:
        """Says which sentences are like none of the texts, as `Client.check_similarity`."""
        request = requests.similarity_request(answer, contexts, threshold)
        response = await self._call(self._similarity().CheckSimilarity, request, timeout_s)
        return similarity_responses.similarity_result(response, len(answer), len(request.contexts))

    async def assess_response(
        self,
        response: str,
        tool_calls: Iterable[ToolCall] = (),
        *,
        question: str = "",
        layers: Iterable[AssessmentLayer] = (),
        language: str = "",
        backend: str = "",
        skip_result_cache: bool = False,
        timeout_s: float | None = None,
    ) -> ResponseAssessment:
        """Says how likely a response is made up, as `Client.assess_response`."""
        request = requests.assess_request(
            response,
            tool_calls,
            question=question,
            layers=layers,
            language=language,
            backend=backend,
            skip_result_cache=skip_result_cache,
        )
        found = await self._call(self._assessments().AssessResponse, request, timeout_s)
        return assessment_responses.response_assessment(found, len(response))

    async def analyze_text(
        self,
        text: str,
        corpus: str = "",
        *,
        extract: ExtractOptions | None = None,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> CorpusAnalysis:
        """Says what a corpus of the server has on a text, as `Client.analyze_text`."""
        request = requests.analyze_request(text, corpus, extract, options)
        response = await self._call(self._corpus().AnalyzeText, request, timeout_s)
        return analysis_responses.corpus_analysis(response, text)

    async def submit_verification(
        self,
        response: str,
        turns: Iterable[Turn] = (),
        *,
        documents: Mapping[str, str] | Iterable[Document] = (),
        format: StatedFormat | None = None,
        question: str = "",
        extract: ExtractOptions | None = None,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> VerificationStatus:
        """Has an output verified in the background, as `Client.submit_verification`."""
        request = requests.output_request(
            response,
            turns,
            documents,
            stated=format,
            question=question,
            extract=extract,
            options=options,
        )
        answer = await self._call(self._outputs().SubmitVerification, request, timeout_s)
        return output_responses.verification_status(answer)

    async def get_verification(
        self, id: str, *, timeout_s: float | None = None
    ) -> VerificationStatus:
        """Tells how far a verification is, and its result, as `Client.get_verification`."""
        request = output_pb.GetVerificationRequest(id=requests.own_id(id))
        answer = await self._call(self._outputs().GetVerification, request, timeout_s)
        return output_responses.verification_status(answer, id)

    def watch_verification(
        self, id: str, *, timeout_s: float | None = None
    ) -> AsyncGenerator[VerificationStatus, None]:
        """As `get_verification` at each change, for `async for`; see `Client.watch_verification`.

        The loop is left as that of `verify_answer_stream`.
        """
        request = output_pb.WatchVerificationRequest(id=requests.own_id(id))
        call_s = self._settings.call_timeout_s(timeout_s)
        return self._changes(request, call_s)

    async def _changes(
        self, request: output_pb.WatchVerificationRequest, timeout_s: float
    ) -> AsyncGenerator[VerificationStatus, None]:
        method = self._outputs().WatchVerification
        last: VerificationStatus | None = None
        async with aclosing(self._stream(method, request, timeout_s)) as responses:
            async for response in responses:
                last = output_responses.verification_status(response, request.id)
                yield last
        output_responses.check_ended(last)

    async def record_feedback(
        self,
        detection_id: str,
        index: int,
        verdict: FeedbackVerdict,
        *,
        note: str = "",
        timeout_s: float | None = None,
    ) -> RecordedFeedback:
        """Stores what a person says of one verdict, as `Client.record_feedback`."""
        request = requests.feedback_request(detection_id, index, verdict, note)
        response = await self._call(self._feedback().RecordFeedback, request, timeout_s)
        return RecordedFeedback(replaced=response.replaced)

    async def _events(
        self, request: detection_pb.VerifyAnswerStreamRequest, characters: int, timeout_s: float
    ) -> AsyncGenerator[AnswerEvent, None]:
        reader = verification_responses.StreamReader(characters)
        method = self._detection().VerifyAnswerStream
        async with aclosing(self._stream(method, request, timeout_s)) as responses:
            async for response in responses:
                for event in reader.read(response):
                    yield event
        yield reader.report()

    def _gate(self) -> "MemoryGateAsyncStub":
        return MemoryGateStub(self._opened())

    def _detection(self) -> "HallucinationDetectionAsyncStub":
        return HallucinationDetectionStub(self._opened())

    def _traces(self) -> "TraceAuditAsyncStub":
        return TraceAuditStub(self._opened())

    def _similarity(self) -> "SimilarityAsyncStub":
        return SimilarityStub(self._opened())

    def _assessments(self) -> "ResponseAssessmentAsyncStub":
        return ResponseAssessmentStub(self._opened())

    def _corpus(self) -> "CorpusVerificationAsyncStub":
        return CorpusVerificationStub(self._opened())

    def _outputs(self) -> "OutputVerificationAsyncStub":
        return OutputVerificationStub(self._opened())

    def _feedback(self) -> "FeedbackAsyncStub":
        return FeedbackStub(self._opened())

    def _stub(self) -> "VerifierBackendAsyncStub":
        return VerifierBackendStub(self._opened())

    def _opened(self) -> grpc.aio.Channel:
        if self._closed:
            raise ClientClosedError("the client was closed")
        if self._channel is None:
            # Not earlier: a channel is bound to the event loop that it is made in.
            self._channel = self._open()
        return self._channel

    def _open(self) -> grpc.aio.Channel:
        settings = self._settings
        if settings.credentials is None:
            return grpc.aio.insecure_channel(settings.target, settings.options)
        return grpc.aio.secure_channel(settings.target, settings.credentials, settings.options)

    async def _call(
        self,
        method: "grpc.aio.UnaryUnaryMultiCallable[Request, Response]",
        request: Request,
        timeout_s: float | None,
        wait_for_ready: bool = False,
    ) -> Response:
        try:
            response = await method(
                request,
                timeout=self._settings.call_timeout_s(timeout_s),
                metadata=self._settings.call_metadata(),
                wait_for_ready=wait_for_ready,
            )
        except grpc.RpcError as error:
            raise failure(error) from error
        except asyncio.CancelledError as error:
            self._raise_if_closed(error)
            raise
        return _readable(response)

    async def _stream(
        self,
        method: "grpc.aio.UnaryStreamMultiCallable[Request, Response]",
        request: Request,
        timeout_s: float,
    ) -> AsyncGenerator[Response, None]:
        """Closing it cancels the call."""
        metadata = self._settings.call_metadata()
        call = method(request, timeout=timeout_s, metadata=metadata)
        self._streams.add(call)
        try:
            async for response in call:
                yield _readable(response)
        except grpc.RpcError as error:
            raise failure(error) from error
        except asyncio.CancelledError as error:
            self._raise_if_closed(error)
            raise
        finally:
            self._streams.discard(call)
            call.cancel()

    def _raise_if_closed(self, error: asyncio.CancelledError) -> None:
        task = asyncio.current_task()
        if self._closed and task is not None and not task.cancelling():
            # It is the call that was cancelled, not the task that awaits it.
            raise CallCancelledError("the client was closed", grpc.StatusCode.CANCELLED) from error


def _readable(response: Response) -> Response:
    if response is None:
        # All that grpc.aio does with bytes that it cannot read is to log them.
        raise InternalError("the answer cannot be read", grpc.StatusCode.INTERNAL)
    return response
