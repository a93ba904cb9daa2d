"""The client that blocks. What it shares with AsyncClient lies in the private modules."""

import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing
from types import TracebackType
from typing import Self, TypeVar

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
from groundwire.errors import ClientClosedError, RpcFailedError
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

Request = TypeVar("Request")
Response = TypeVar("Response")


class Client:
    """A client of one Groundwire server, over one channel. Threads may share it.

    A call that finds the server UNAVAILABLE is tried up to four times, about
    0.2, 0.4 and 0.8 s apart; nothing else is tried again. Retries have a budget,
    which all clients of a process share for one target: after four or five
    failures in a row there are none until calls have succeeded, ten for each.
    Every call has a time-out, retries included. Calls raise the exceptions of
    `groundwire.errors`.
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
        """Checks the arguments; the first call connects.

        Args:
            target: `host:port`, or another target that gRPC knows, such as `unix:/run/socket`.
            token: sent as `authorization: Bearer` with every call; None: no token.
            timeout_s: the time-out of a call that names none, in seconds; above 0.
            tls: None: plaintext, which only loopback targets and Unix sockets take.
            allow_plaintext: take plaintext, the token included, to any target.
            max_message_bytes: the largest message, in either direction.
            options: channel arguments of gRPC, which come before those of the client.

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
        self._channel = self._open()
        self._stub = VerifierBackendStub(self._channel)
        self._detection = HallucinationDetectionStub(self._channel)
        self._gate = MemoryGateStub(self._channel)
        self._traces = TraceAuditStub(self._channel)
        self._similarity = SimilarityStub(self._channel)
        self._assessments = ResponseAssessmentStub(self._channel)
        self._corpus = CorpusVerificationStub(self._channel)
        self._outputs = OutputVerificationStub(self._channel)
        self._feedback = FeedbackStub(self._channel)
        self._closed = False

    def close(self) -> None:
        """Closes the channel. Calls in flight raise CallCancelledError."""
        self._closed = True
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def estimate(
        self,
        claim: str,
        context: str = "",
        *,
        backend: str = "",
        skip_result_cache: bool = False,
        split_long_context: bool = False,
        timeout_s: float | None = None,
    ) -> EstimateResult:
        """Reads the probability that one claim is true, given a context.

        Args:
            claim: the statement to judge, with at least one visible character.
            context: the evidence to judge it by.
            backend: one of `ServerInfo.backends`; empty: the server's default.
            skip_result_cache: compute the reading anew, whatever the server's result cache holds.
            split_long_context: read a context that is too long in chunks; `Estimate.chunk` names
                the one that supports the claim most.
            timeout_s: in seconds, above 0; None: the client's.

        Raises:
            RpcFailedError: the call failed; its subclass says how.
            InvalidResponseError: the answer breaks the contract.
            ConfigurationError: `timeout_s` cannot be used.
            ClientClosedError: the client was closed.
        """
        request = requests.estimate_request(
            claim,
            context,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
        return responses.estimate_result(
            self._call(self._stub.EstimateProbability, request, timeout_s)
        )

    def batch_estimate(
        self,
        claims: Iterable[str],
        context: str = "",
        *,
        backend: str = "",
        skip_result_cache: bool = False,
        split_long_context: bool = False,
        timeout_s: float | None = None,
    ) -> BatchResult:
        """Reads many claims against one context; the answers keep the order of the claims.

        Args and errors are those of `estimate`. `claims` holds 1 to
        `Limits.max_claims` statements; one str is a TypeError. A batch is run
        whole or refused whole.
        """
        request = requests.batch_request(
            claims,
            context,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
        response = self._call(self._stub.BatchEstimate, request, timeout_s)
        return responses.batch_result(response, len(request.claims))

    def server_info(self, *, backend: str = "", timeout_s: float | None = None) -> ServerInfo:
        """Tells which model answers, and the limits; also while the server loads.

        `backend` is the one to describe, one of `ServerInfo.backends`; empty: the default.
        `timeout_s` and the errors are those of `estimate`.
        """
        request = pb.GetServerInfoRequest(backend=backend)
        return responses.server_info(self._call(self._stub.GetServerInfo, request, timeout_s))

    def wait_until_serving(self, timeout_s: float) -> ServerInfo:
        """Waits until the server's state is SERVING, and returns what it says then.

        The server need not run yet. `timeout_s` is in seconds, above 0.

        Raises:
            UnavailableError: it does not serve in time, or its engine has failed.
            UnauthenticatedError: the token is wrong, which waiting does not mend.
            RpcFailedError: another failure that waiting does not mend.
        """
        wait = ServingWait(timeout_s, self._settings.timeout_s)
        request = pb.GetServerInfoRequest()
        while True:
            call_s = wait.next_call_s()
            try:
                response = self._call(
                    self._stub.GetServerInfo, request, call_s, wait_for_ready=True
                )
            except RpcFailedError as error:
                wait.failed(error)
            else:
                info = responses.server_info(response)
                if wait.is_over(info):
                    return info
            time.sleep(wait.pause_s())

    def extract_claims(
        self,
        text: str,
        *,
        source_ids: Iterable[str] = (),
        options: ExtractOptions | None = None,
        timeout_s: float | None = None,
    ) -> ExtractResult:
        """Splits a text into claims; needs no model, and works while the server loads.

        Args:
            text: at least one visible character, at most `Limits.max_text_characters`.
            source_ids: ids that count as citations beside numbered ones; one str is a TypeError.
            options: how to split; None: the defaults.
            timeout_s: in seconds, above 0; None: the client's.

        Raises:
            RpcFailedError: the call failed; its subclass says how.
            InvalidResponseError: the answer breaks the contract.
            ConfigurationError: `timeout_s` cannot be used.
            ClientClosedError: the client was closed.
        """
        request = requests.extract_request(text, source_ids, options)
        response = self._call(self._detection.ExtractClaims, request, timeout_s)
        return verification_responses.extract_result(response, len(text))

    def verify_claims(
        self,
        claims: Iterable[str | ClaimInput],
        evidence: Evidence | str,
        *,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> VerifyResult:
        """Verifies claims; the result keeps their order.

        Args:
            claims: 1 to `Limits.max_claims` of them; one str is a TypeError. A text alone cites
                nothing and has the default confidence.
            evidence: what they are judged by; a str is a context that is one source.
            options: how to verify; None: the defaults.
            timeout_s: in seconds, above 0; None: the client's.

        The errors are those of `extract_claims`.
        """
        request = requests.claims_request(claims, evidence, options)
        response = self._call(self._detection.VerifyClaims, request, timeout_s)
        return verification_responses.verify_result(
            response, [claim.text for claim in request.claims]
        )

    def check_facts(
        self,
        facts: Iterable[str | FactInput],
        evidence: Evidence | str | None = None,
        *,
        backend: str = "",
        skip_result_cache: bool = False,
        split_long_context: bool = False,
        timeout_s: float | None = None,
    ) -> GateResult:
        """Decides which facts may be stored; the result keeps their order.

        Args:
            facts: 1 to `Limits.max_claims` of them; one str is a TypeError. A text alone has no
                id, cites nothing and has the default confidence.
            evidence: what those facts are judged by that have no evidence of their own; a str is
                one source. None: each has its own.
            backend: one of `ServerInfo.backends`; empty: the server's default.
            skip_result_cache: compute every reading anew, whatever the server's cache holds.
            split_long_context: read evidence that is too long in chunks.
            timeout_s: in seconds, above 0; None: the client's. The server decides shortly before
                it, and after 2 s at the latest unless it is set otherwise.

        The errors are those of `extract_claims`, and NotEnabledError where the server's operator
        has not switched the gate on. `MemoryGate` turns them into decisions.
        """
        request = requests.facts_request(
            facts,
            evidence,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
        response = self._call(self._gate.CheckFacts, request, timeout_s)
        return gate_responses.gate_result(response, request)

    def verify_answer(
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
        """Extracts the claims of an answer and verifies them.

        Args:
            answer: at least one visible character, at most `Limits.max_text_characters`.
            evidence: the sources that the answer was given; a str is a context that is one source.
            question: what was answered; empty: claims are read by themselves.
            corpus: the name of a corpus of the server's operator, whose passages are the evidence
                in place of `evidence`; `AnswerReport.sources` has them.
            language: of all warnings, "en" or "he"; empty: that of each claim, and of the answer.
            extract: how claims are found; None: the defaults.
            options: how they are verified; None: the defaults.
            timeout_s: in seconds, above 0; None: the client's.

        The errors are those of `extract_claims`.
        """
        request = requests.answer_request(
            answer, evidence, question, extract, options, corpus=corpus, language=language
        )
        response = self._call(self._detection.VerifyAnswer, request, timeout_s)
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
    ) -> Generator[AnswerEvent, None, None]:
        """As `verify_answer`, piece by piece: all claims, each claim with its verdict, the report.

        Arguments are checked at once; the call is made when the first piece is asked for, and
        the time-out counts from there to the report. Leaving the loop, or `close()` on the
        iterator, cancels the call. The errors are those of `extract_claims`; a stream without
        an error ends with its AnswerReport.
        """
        request = requests.answer_stream_request(
            answer, evidence, question, extract, options, corpus=corpus, language=language
        )
        call_s = self._settings.call_timeout_s(timeout_s)
        return self._events(request, len(answer), call_s)

    def audit_trace(
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
        """Says where a chain of reasoning leaves its evidence, and whether its answer follows.

        A step is judged by the context and by those steps before it that are entailed. The server
        answers only where its operator has switched trace auditing on.

        Args:
            steps: the steps in their order, at least one; one str is a TypeError.
            context: what the steps were taken from; a str is one source. Empty: no step can be
                judged, and only the answer is checked.
            answer: the final answer; empty: there is none.
            question: what the trace answers; empty: not known.
            options: how steps are judged; None: the defaults.
            check_post_hoc: whether to check that the answer follows from the steps alone; None:
                as the server is set.
            timeout_s: in seconds, above 0; None: the client's.

        Raises:
            NotEnabledError: trace auditing is off on this server.

        The other errors are those of `extract_claims`.
        """
        request = requests.audit_request(
            steps, context, answer, question, options, check_post_hoc=check_post_hoc
        )
        response = self._call(self._traces.AuditTrace, request, timeout_s)
        return trace_responses.trace_audit(response, request.steps, answer)

    def check_similarity(
        self,
        answer: str,
        contexts: Iterable[str],
        *,
        threshold: float | None = None,
        timeout_s: float | None = None,
    ) -> SimilarityResult:
        """Says which sentences of an answer are like none of the texts that it was given.

        It is fast, and no verdict: a sentence with another number, or one that says the opposite,
        is mostly as near to a text as one that repeats it. `verify_answer` reads what they mean.
        The server answers only where its operator has switched similarity on.

        Args:
            answer: at least one visible character, at most `Limits.max_text_characters`.
            contexts: the texts, 1 to `Limits.max_sources`; one str is a TypeError.
            threshold: the cosine from which a sentence counts as supported, in [0, 1]; sensible
                from .55 to .70. None: the server's.
            timeout_s: in seconds, above 0; None: the client's.

        Raises:
            NotEnabledError: similarity is off on this server.

        The other errors are those of `extract_claims`.
        """
        request = requests.similarity_request(answer, contexts, threshold)
        response = self._call(self._similarity.CheckSimilarity, request, timeout_s)
        return similarity_responses.similarity_result(response, len(answer), len(request.contexts))

    def assess_response(
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
        """Says how likely a response is made up, given the tool calls that were made for it.

        The server answers only where its operator has switched response assessment on.

        Args:
            response: the response, with a visible character.
            tool_calls: the calls that were made, in their order.
            question: what the user asked; empty: not known.
            layers: the layers to ask; empty: all. HEURISTIC alone needs no model.
            language: of reasons and user text, "en" or "he"; empty: that of the response.
            backend: who reads; empty: as the server is set.
            skip_result_cache: whether to read all anew and remember nothing.
            timeout_s: in seconds, above 0; None: the client's.

        Raises:
            NotEnabledError: response assessment is off on this server.

        The other errors are those of `extract_claims`.
        """
        request = requests.assess_request(
            response,
            tool_calls,
            question=question,
            layers=layers,
            language=language,
            backend=backend,
            skip_result_cache=skip_result_cache,
        )
        found = self._call(self._assessments.AssessResponse, request, timeout_s)
        return assessment_responses.response_assessment(found, len(response))

    def analyze_text(
        self,
        text: str,
        corpus: str = "",
        *,
        extract: ExtractOptions | None = None,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> CorpusAnalysis:
        """Says what a corpus of the server has on the claims of a text, and how large the risk is.

        Verdicts are signals, not judgments: show `CorpusAnalysis.notice` with them. The server
        answers only where its operator has switched epistemic risk on.

        Args:
            text: the text, such as the response of a language model.
            corpus: the operator's name of the corpus; empty: the only one.
            extract: how the text is split into claims; None: the defaults.
            options: how claims are read; None: the defaults.
            timeout_s: in seconds, above 0; None: the client's.

        Raises:
            NotEnabledError: epistemic risk is off on this server.

        The other errors are those of `extract_claims`.
        """
        request = requests.analyze_request(text, corpus, extract, options)
        response = self._call(self._corpus.AnalyzeText, request, timeout_s)
        return analysis_responses.corpus_analysis(response, text)

    def submit_verification(
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
        """Has an output of an agent verified in the background.

        The status says at once whether it is QUEUED or SKIPPED, and its id is for
        `get_verification` and `watch_verification`. A call that fails is not tried again, since
        it could be accepted twice.

        Args:
            response: what the agent has said, with at least one visible character.
            turns: the conversation before it; all turns but the agent's own are evidence.
            documents: what the agent was given besides, or their texts by id.
            format: the form that the response was asked to have; None: any.
            question: what it answers; empty: claims are read by themselves.
            extract: how claims are found; None: the defaults.
            options: how they are verified; None: the defaults.
            timeout_s: in seconds, above 0; None: the client's.

        Raises:
            NotEnabledError: output verification is off on this server.
            UnavailableError: the server's store cannot be used now; nothing was accepted.

        The other errors are those of `extract_claims`.
        """
        request = requests.output_request(
            response,
            turns,
            documents,
            stated=format,
            question=question,
            extract=extract,
            options=options,
        )
        answer = self._call(self._outputs.SubmitVerification, request, timeout_s)
        return output_responses.verification_status(answer)

    def get_verification(self, id: str, *, timeout_s: float | None = None) -> VerificationStatus:
        """Tells how far a verification is, and its result.

        `id` is that of `submit_verification`, by this client's token; `timeout_s` and the errors
        are those of it, and NotFoundError.
        """
        request = output_pb.GetVerificationRequest(id=requests.own_id(id))
        answer = self._call(self._outputs.GetVerification, request, timeout_s)
        return output_responses.verification_status(answer, id)

    def watch_verification(
        self, id: str, *, timeout_s: float | None = None
    ) -> Generator[VerificationStatus, None, None]:
        """As `get_verification`, at once and at each change until the final one.

        The time-out counts for all of it. Leaving the loop cancels the call.
        """
        request = output_pb.WatchVerificationRequest(id=requests.own_id(id))
        call_s = self._settings.call_timeout_s(timeout_s)
        return self._changes(request, call_s)

    def _changes(
        self, request: output_pb.WatchVerificationRequest, timeout_s: float
    ) -> Generator[VerificationStatus, None, None]:
        method = self._outputs.WatchVerification
        last: VerificationStatus | None = None
        with closing(self._stream(method, request, timeout_s)) as responses:
            for response in responses:
                last = output_responses.verification_status(response, request.id)
                yield last
        output_responses.check_ended(last)

    def record_feedback(
        self,
        detection_id: str,
        index: int,
        verdict: FeedbackVerdict,
        *,
        note: str = "",
        timeout_s: float | None = None,
    ) -> RecordedFeedback:
        """Stores what a person says of one verdict, for the server's calibration to learn from.

        A second call for the same claim replaces the first.

        Args:
            detection_id: that of the result which the verdict is in.
            index: the verdict's index there, from 0: of the claim, the fact or the step. The
                post-hoc check of a trace has the number of its steps.
            verdict: what the person says.
            note: why, at most 2,000 characters; it is stored as it is.
            timeout_s: in seconds, above 0; None: the client's.

        Raises:
            NotFoundError: there is no such verdict of a call with this token, or no more.
            NotEnabledError: feedback is off on this server.

        The other errors are those of `extract_claims`.
        """
        request = requests.feedback_request(detection_id, index, verdict, note)
        response = self._call(self._feedback.RecordFeedback, request, timeout_s)
        return RecordedFeedback(replaced=response.replaced)

    def _events(
        self, request: detection_pb.VerifyAnswerStreamRequest, characters: int, timeout_s: float
    ) -> Generator[AnswerEvent, None, None]:
        reader = verification_responses.StreamReader(characters)
        method = self._detection.VerifyAnswerStream
        with closing(self._stream(method, request, timeout_s)) as responses:
            for response in responses:
                yield from reader.read(response)
        yield reader.report()

    def _open(self) -> grpc.Channel:
        settings = self._settings
        if settings.credentials is None:
            return grpc.insecure_channel(settings.target, settings.options)
        return grpc.secure_channel(settings.target, settings.credentials, settings.options)

    def _call(
        self,
        method: "grpc.UnaryUnaryMultiCallable[Request, Response]",
        request: Request,
        timeout_s: float | None,
        wait_for_ready: bool = False,
    ) -> Response:
        if self._closed:
            raise ClientClosedError("the client was closed")
        try:
            return method(
                request,
                timeout=self._settings.call_timeout_s(timeout_s),
                metadata=self._settings.call_metadata(),
                wait_for_ready=wait_for_ready,
            )
        except grpc.RpcError as error:
            raise failure(error) from error

    def _stream(
        self,
        method: "grpc.UnaryStreamMultiCallable[Request, Response]",
        request: Request,
        timeout_s: float,
    ) -> Generator[Response, None, None]:
        """Calls when the first response is asked for; closing it cancels the call."""
        if self._closed:
            raise ClientClosedError("the client was closed")
        metadata = self._settings.call_metadata()
        call = method(request, timeout=timeout_s, metadata=metadata)
        try:
            yield from call
        except grpc.RpcError as error:
            raise failure(error) from error
        finally:
            call.cancel()
