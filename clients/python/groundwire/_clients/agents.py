"""The calls that an agent makes: gate, audits, outputs in the background, feedback."""

from collections.abc import AsyncGenerator, Iterable, Mapping

from groundwire._calls import facts as facts_calls
from groundwire._calls import feedback, outputs, traces
from groundwire._clients.connections import AsyncConnection
from groundwire.facts import FactInput, GateResult
from groundwire.feedback import ErasedDetections, FeedbackVerdict, RecordedFeedback
from groundwire.inputs import Document, Evidence, ExtractOptions, VerifyOptions
from groundwire.outputs import StatedFormat, Turn, VerificationStatus
from groundwire.traces import ChatMessage, TraceAudit


class AsyncAgentCalls(AsyncConnection):
    """The calls of an agent."""

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
                it, and after 2 s at the latest.

        The errors are those of `extract_claims`, and NotEnabledError where the server's operator
        has not switched the gate on. `MemoryGate` turns them into decisions.
        """
        call = facts_calls.check_facts(
            facts,
            evidence,
            backend,
            skip_result_cache=skip_result_cache,
            split_long_context=split_long_context,
        )
        return await self._run(call, timeout_s)

    async def audit_trace(
        self,
        steps: Iterable[str] | Iterable[ChatMessage],
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
            steps: the steps in their order, at least one; one str is a TypeError. Or chat messages
                with tool calls, in the shape of OpenAI's API, as dicts: what the assistant says
                and calls are steps, all else is context, and the last message is the answer.
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
        call = traces.audit_trace(
            steps, context, answer, question, options, check_post_hoc=check_post_hoc
        )
        return await self._run(call, timeout_s)

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
        call = outputs.submit_verification(
            response,
            turns,
            documents,
            stated=format,
            question=question,
            extract=extract,
            options=options,
        )
        return await self._run(call, timeout_s)

    async def get_verification(
        self, id: str, *, timeout_s: float | None = None
    ) -> VerificationStatus:
        """Tells how far a verification is, and its result.

        `id` is that of `submit_verification`, by this client's token; `timeout_s` and the errors
        are those of it, and NotFoundError.
        """
        return await self._run(outputs.get_verification(id), timeout_s)

    def watch_verification(
        self, id: str, *, timeout_s: float | None = None
    ) -> AsyncGenerator[VerificationStatus, None]:
        """As `get_verification`, at once and at each change until the final one.

        The time-out counts for all of it. The loop is left as that of `verify_answer_stream`.
        """
        return self._stream(outputs.watch_verification(id), timeout_s)

    async def record_feedback(
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
        return await self._run(
            feedback.record_feedback(detection_id, index, verdict, note), timeout_s
        )

    async def erase_detection(
        self, detection_id: str, *, timeout_s: float | None = None
    ) -> ErasedDetections:
        """Deletes what the server keeps of one detection of this caller.

        It goes from the feedback file, from the outputs and from the files of the audit record. An
        id of which nothing is kept is no error.

        Args:
            detection_id: that of a result, or the id of the status of an output.
            timeout_s: in seconds, above 0; None: the client's.

        Raises:
            InvalidRequestError: `detection_id` is no id.
            UnavailableError: not all of it could be deleted; call again.

        The other errors are those of `extract_claims`.
        """
        return await self._run(feedback.erase_detection(detection_id), timeout_s)

    async def erase_all_detections(self, *, timeout_s: float | None = None) -> ErasedDetections:
        """Deletes what the server keeps of all detections of this caller's tenant.

        Where its token names no tenant, those of this token. For the errors see `erase_detection`.
        """
        return await self._run(feedback.erase_all_detections(), timeout_s)
