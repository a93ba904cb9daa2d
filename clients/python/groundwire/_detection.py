"""The calls about texts, claims and answers of the client that blocks."""

from collections.abc import Generator, Iterable
from contextlib import closing

from groundwire import _claim_messages, _detection_requests, _report_messages
from groundwire._connection import Connection
from groundwire.claims import ExtractOptions, ExtractResult
from groundwire.evidence import Evidence
from groundwire.policies import ClaimInput, VerifyOptions
from groundwire.reports import AnswerEvent, AnswerReport, VerifyResult
from groundwire.v1 import hallucination_detection_pb2 as pb


class DetectionCalls(Connection):
    """The methods of the service HallucinationDetection."""

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
        request = _detection_requests.extract_request(text, source_ids, options)
        response = self._call(self._detection.ExtractClaims, request, timeout_s)
        return _claim_messages.extract_result(response, len(text))

    def verify_claims(
        self,
        claims: Iterable[str | ClaimInput],
        evidence: Evidence | str,
        *,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> VerifyResult:
        """Verifies claims; the verdicts keep the order of the claims.

        Args:
            claims: 1 to `Limits.max_claims` of them; one str is a TypeError. A text alone cites
                nothing and has the default confidence.
            evidence: what they are judged by; a str is a context that is one source.
            options: how to verify; None: the defaults.
            timeout_s: in seconds, above 0; None: the client's.

        The errors are those of `extract_claims`.
        """
        request = _detection_requests.claims_request(claims, evidence, options)
        response = self._call(self._detection.VerifyClaims, request, timeout_s)
        return _report_messages.verify_result(response, len(request.claims))

    def verify_answer(
        self,
        answer: str,
        evidence: Evidence | str,
        *,
        question: str = "",
        extract: ExtractOptions | None = None,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> AnswerReport:
        """Extracts the claims of an answer and verifies them.

        Args:
            answer: at least one visible character, at most `Limits.max_text_characters`.
            evidence: the sources that the answer was given; a str is a context that is one source.
            question: what was answered; empty: claims are read by themselves.
            extract: how claims are found; None: the defaults.
            options: how they are verified; None: the defaults.
            timeout_s: in seconds, above 0; None: the client's.

        The errors are those of `extract_claims`.
        """
        request = _detection_requests.answer_request(answer, evidence, question, extract, options)
        response = self._call(self._detection.VerifyAnswer, request, timeout_s)
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
    ) -> Generator[AnswerEvent, None, None]:
        """As `verify_answer`, piece by piece: the claims, each verdict, and last the report.

        Arguments are checked at once; the call is made when the first piece is asked for, and
        the time-out counts from there to the report. Leaving the loop, or `close()` on the
        iterator, cancels the call. The errors are those of `extract_claims`; a stream without
        an error ends with its AnswerReport.
        """
        request = _detection_requests.answer_stream_request(
            answer, evidence, question, extract, options
        )
        call_s = self._settings.call_timeout_s(timeout_s)
        return self._events(request, len(answer), call_s)

    def _events(
        self, request: pb.VerifyAnswerStreamRequest, characters: int, timeout_s: float
    ) -> Generator[AnswerEvent, None, None]:
        reader = _report_messages.StreamReader(characters)
        method = self._detection.VerifyAnswerStream
        with closing(self._stream(method, request, timeout_s)) as responses:
            for response in responses:
                event = reader.read(response)
                if event is not None:
                    yield event
        yield reader.report()
