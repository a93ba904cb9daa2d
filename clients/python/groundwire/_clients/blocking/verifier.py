# Made by scripts/blocking_client.py from ../verifier.py.
"""The calls of the verifier: probabilities, claims, answers."""

import time
from collections.abc import Generator, Iterable

from groundwire._calls import answers, drafts, estimates, verdicts
from groundwire._calls import claims as claim_calls
from groundwire._clients.connections import Connection
from groundwire._wire.serving import ServingWait
from groundwire.claims import ExtractResult
from groundwire.errors import RpcFailedError
from groundwire.inputs import ClaimInput, Evidence, ExtractOptions, VerifyOptions
from groundwire.outputs import Turn
from groundwire.reports import AnswerEvent, AnswerReport, DraftEvent, VerifyResult
from groundwire.results import BatchResult, EstimateResult, ServerInfo


class VerifierCalls(Connection):
    """The calls of the verifier."""

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
        call = estimates.estimate(
            claim,
            context,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
        return self._run(call, timeout_s)

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
        call = estimates.batch_estimate(
            claims,
            context,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
        return self._run(call, timeout_s)

    def server_info(self, *, backend: str = "", timeout_s: float | None = None) -> ServerInfo:
        """Tells which model answers, and the limits; also while the server loads.

        `backend` is the one to describe, one of `ServerInfo.backends`; empty: the default.
        `timeout_s` and the errors are those of `estimate`.
        """
        return self._run(estimates.server_info(backend), timeout_s)

    def wait_until_serving(self, timeout_s: float) -> ServerInfo:
        """Waits until the server's state is SERVING, and returns what it says then.

        The server need not run yet. `timeout_s` is in seconds, above 0.

        Raises:
            UnavailableError: it does not serve in time, or its engine has failed.
            UnauthenticatedError: the token is wrong, which waiting does not fix.
            RpcFailedError: another failure that waiting does not fix.
        """
        wait = ServingWait(timeout_s, self._settings.timeout_s)
        call = estimates.server_info()
        while True:
            call_s = wait.next_call_s()
            try:
                info = self._run(call, call_s, wait_for_ready=True)
            except RpcFailedError as error:
                wait.failed(error)
            else:
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
        return self._run(claim_calls.extract_claims(text, source_ids, options), timeout_s)

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
        return self._run(verdicts.verify_claims(claims, evidence, options), timeout_s)

    def verify_answer(
        self,
        answer: str,
        evidence: Evidence | str = "",
        *,
        question: str = "",
        corpus: str = "",
        language: str = "",
        turns: Iterable[Turn] = (),
        correct: bool = False,
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
            turns: the conversation before the answer, which is evidence for nothing. A question
                that goes on with the one before is read with it; without `question` a claim that
                begins with a pronoun, and a short answer, are read with the user's last turn.
            correct: whether to put the answer right, too: `AnswerReport.correction`. It reads more,
                and explains the claims as `VerifyOptions.explain` does.
            extract: how claims are found; None: the defaults.
            options: how they are verified; None: the defaults.
            timeout_s: in seconds, above 0; None: the client's.

        The errors are those of `extract_claims`.
        """
        request = answers.answer_request(
            "",
            answer,
            evidence,
            question=question,
            extract=extract,
            options=options,
            corpus=corpus,
            language=language,
            turns=turns,
            correct=correct,
        )
        return self._run(answers.verify_answer(request), timeout_s)

    def verify_answer_stream(
        self,
        answer: str,
        evidence: Evidence | str = "",
        *,
        question: str = "",
        corpus: str = "",
        language: str = "",
        turns: Iterable[Turn] = (),
        correct: bool = False,
        extract: ExtractOptions | None = None,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> Generator[AnswerEvent, None, None]:
        """As `verify_answer`, piece by piece: all claims, each claim with its verdict, the report.

        Arguments are checked at once; the call is made when the first piece is asked for, and
        the time-out counts from there to the report. The errors are those of `extract_claims`; a
        stream without an error ends with its AnswerReport.

        Leaving the loop cancels the call soon; `close()` on the iterator, or
        `contextlib.closing` around it, does so at once.
        """
        request = answers.answer_request(
            "request.",
            answer,
            evidence,
            question=question,
            extract=extract,
            options=options,
            corpus=corpus,
            language=language,
            turns=turns,
            correct=correct,
        )
        return self._stream(answers.verify_answer_stream(request), timeout_s)

    def verify_draft(
        self,
        text: Iterable[str],
        evidence: Evidence | str,
        *,
        question: str = "",
        language: str = "",
        turns: Iterable[Turn] = (),
        extract: ExtractOptions | None = None,
        options: VerifyOptions | None = None,
        correct: bool = False,
        stop_at_contradicted: bool = False,
        min_share_grounded: float | None = None,
        timeout_s: float | None = None,
    ) -> Generator[DraftEvent, None, None]:
        """As `verify_answer`, while the answer is being written.

        The call is made when the first event is asked for: the server reads the evidence ahead, and
        verifies each sentence of `text` once it is complete. The last event is the AnswerReport on
        the whole text. Its verdicts alone count, since later text may change those before it.

        Args:
            text: the pieces of the answer as they come, such as a model's stream. It is asked for
                pieces while events are waited for, and no more after a DraftStop. The server ends a
                call that gets nothing for 120 s; an empty piece counts as something.
            stop_at_contradicted: stop at the first claim that comes out CONTRADICTED.
            min_share_grounded: stop when the share of grounded claims falls below it, in [0, 1]; it
                counts from the third claim on. None: do not.
            timeout_s: of all of it, the writing included, in seconds, above 0; None: the client's.

        The other arguments are those of `verify_answer`, and so are the errors; what `text` raises
        is raised, too. The loop is left as that of `verify_answer_stream`.
        """
        call = drafts.verify_draft(
            evidence,
            question,
            extract,
            options,
            language=language,
            turns=turns,
            correct=correct,
            stop_at_contradicted=stop_at_contradicted,
            min_share_grounded=min_share_grounded,
        )
        return self._talk(call, text, timeout_s)
