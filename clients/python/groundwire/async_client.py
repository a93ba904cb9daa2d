"""The client for asyncio. Probabilities, claims and answers are here; the others are inherited."""

import asyncio
from collections.abc import AsyncGenerator, Iterable

from groundwire._calls import answers, estimates, verdicts
from groundwire._calls import claims as claim_calls
from groundwire._clients.agents import AsyncAgentCalls
from groundwire._clients.detectors import AsyncDetectorCalls
from groundwire._wire.serving import ServingWait
from groundwire.claims import ExtractResult
from groundwire.errors import RpcFailedError
from groundwire.inputs import ClaimInput, Evidence, ExtractOptions, VerifyOptions
from groundwire.outputs import Turn
from groundwire.reports import AnswerEvent, AnswerReport, VerifyResult
from groundwire.results import BatchResult, EstimateResult, ServerInfo


class AsyncClient(AsyncAgentCalls, AsyncDetectorCalls):
    """As Client, for asyncio: the same arguments, results and errors.

    It may be made anywhere, and belongs to the event loop of its first call.
    Cancelling the task that awaits a call cancels the call in the server too.
    """

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
        call = estimates.estimate(
            claim,
            context,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
        return await self._run(call, timeout_s)

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
        call = estimates.batch_estimate(
            claims,
            context,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
        return await self._run(call, timeout_s)

    async def server_info(self, *, backend: str = "", timeout_s: float | None = None) -> ServerInfo:
        """Tells which model answers, and the limits, as `Client.server_info`."""
        return await self._run(estimates.server_info(backend), timeout_s)

    async def wait_until_serving(self, timeout_s: float) -> ServerInfo:
        """Waits until the server's state is SERVING, as `Client.wait_until_serving`."""
        wait = ServingWait(timeout_s, self._settings.timeout_s)
        call = estimates.server_info()
        while True:
            call_s = wait.next_call_s()
            try:
                info = await self._run(call, call_s, wait_for_ready=True)
            except RpcFailedError as error:
                wait.failed(error)
            else:
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
        return await self._run(claim_calls.extract_claims(text, source_ids, options), timeout_s)

    async def verify_claims(
        self,
        claims: Iterable[str | ClaimInput],
        evidence: Evidence | str,
        *,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> VerifyResult:
        """Verifies claims, as `Client.verify_claims`."""
        return await self._run(verdicts.verify_claims(claims, evidence, options), timeout_s)

    async def verify_answer(
        self,
        answer: str,
        evidence: Evidence | str = "",
        *,
        question: str = "",
        corpus: str = "",
        language: str = "",
        turns: Iterable[Turn] = (),
        extract: ExtractOptions | None = None,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> AnswerReport:
        """Extracts the claims of an answer and verifies them, as `Client.verify_answer`."""
        call = answers.verify_answer(
            answer,
            evidence,
            question,
            extract,
            options,
            corpus=corpus,
            language=language,
            turns=turns,
        )
        return await self._run(call, timeout_s)

    def verify_answer_stream(
        self,
        answer: str,
        evidence: Evidence | str = "",
        *,
        question: str = "",
        corpus: str = "",
        language: str = "",
        turns: Iterable[Turn] = (),
        extract: ExtractOptions | None = None,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> AsyncGenerator[AnswerEvent, None]:
        """As `verify_answer`, piece by piece, for `async for`; see `Client.verify_answer_stream`.

        After leaving the loop the event loop cancels the call soon; `aclose()` on the iterator,
        or `contextlib.aclosing` around it, does so at once.
        """
        call = answers.verify_answer_stream(
            answer,
            evidence,
            question,
            extract,
            options,
            corpus=corpus,
            language=language,
            turns=turns,
        )
        return self._stream(call, timeout_s)
