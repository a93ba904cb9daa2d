"""Claims checked in one line, for a notebook or an agent's REPL.

    from groundwire import verify_claim

    verify_claim("The bridge opened in 1932.", evidence="The bridge opened in March 1932.")

Anything with the methods of a client can take the place of one.
"""

import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, TypeVar

from groundwire.assessments import ResponseAssessment, ToolCall
from groundwire.client import Client
from groundwire.errors import DeadlineExceededError, UnavailableError
from groundwire.facts import FactInput, GateResult
from groundwire.inputs import ClaimInput, Document, Evidence, VerifyOptions
from groundwire.memory_gate import Checking
from groundwire.outputs import Turn, VerificationStatus
from groundwire.reports import AnswerReport, VerifyResult
from groundwire.results import ServerInfo
from groundwire.similarity import SimilarityResult
from groundwire.traces import ChatMessage, TraceAudit
from groundwire.verdicts import AnswerClaim, VerifiedClaim

Given = TypeVar("Given")

_TIMEOUT_S = 300.0
"""The time-out of a client made here: a small machine may read many claims."""


class Verifying(Protocol):
    """What these functions ask of a client."""

    def server_info(self) -> ServerInfo:
        """As `Client.server_info`."""

    def verify_claims(
        self, claims: Iterable[str | ClaimInput], evidence: Evidence | str
    ) -> VerifyResult:
        """As `Client.verify_claims`."""

    def verify_answer(
        self, answer: str, evidence: Evidence | str, *, options: VerifyOptions | None = None
    ) -> AnswerReport:
        """As `Client.verify_answer`."""

    def audit_trace(
        self,
        steps: Iterable[str] | Iterable[ChatMessage],
        context: Evidence | str = "",
        *,
        answer: str = "",
        question: str = "",
    ) -> TraceAudit:
        """As `Client.audit_trace`."""

    def check_similarity(
        self, answer: str, contexts: Iterable[str], *, threshold: float | None = None
    ) -> SimilarityResult:
        """As `Client.check_similarity`."""

    def assess_response(
        self, response: str, tool_calls: Iterable[ToolCall] = (), *, question: str = ""
    ) -> ResponseAssessment:
        """As `Client.assess_response`."""


def verify_claim(
    claim: str,
    evidence: Evidence | str,
    confidence: float | None = None,
    *,
    client: Verifying | None = None,
) -> VerifiedClaim:
    """Checks one claim.

    Args:
        claim: the statement to judge, with at least one visible character.
        evidence: what it is judged by; a str is one source.
        confidence: how sure the claim is stated, in [0, 1]. None: the server's default, which
            is the operating point of its calibration.
        client: a client to use and leave open; None: one for the default target, for this call.

    Raises:
        GroundwireError: the call failed; its subclass says how.
    """
    with _client(client) as used:
        result = used.verify_claims([ClaimInput(claim, confidence=confidence)], evidence)
    return result[0]


def verify_claims(
    text: str, context: Evidence | str, *, client: Verifying | None = None
) -> tuple[AnswerClaim, ...]:
    """Checks all claims of a text, in its order.

    As many claims as the server takes are read, however short. The others, and those
    that assert nothing, are listed as `NOT_VERIFIED`. A text without any claim gives
    an empty tuple, of which nothing was verified.

    Args:
        text: what makes the claims, with at least one visible character.
        context: what they are judged by; a str is one source.
        client: as in `verify_claim`.

    Raises:
        GroundwireError: a call failed; its subclass says how.
    """
    with _client(client) as used:
        options = VerifyOptions(
            max_claims=used.server_info().limits.max_claims, min_claim_characters=0
        )
        report = used.verify_answer(text, context, options=options)
    return report.claims


def check_facts(
    facts: Iterable[str | FactInput],
    evidence: Evidence | str | None = None,
    *,
    client: Checking | None = None,
) -> GateResult:
    """Decides which facts may be stored, as `Client.check_facts`.

    `client` is as in `verify_claim`; its server, or `in_process`, needs `memory_gate_enabled`.

    Raises:
        GroundwireError: the call failed; its subclass says how.
    """
    with _client(client) as used:
        return used.check_facts(facts, evidence)


def assess_response(
    response: str,
    tool_calls: Iterable[ToolCall] = (),
    *,
    question: str = "",
    client: Verifying | None = None,
) -> ResponseAssessment:
    """Assesses a response with its tool calls, on a server that has that switched on.

    Args:
        response: the response.
        tool_calls: the calls that were made for it, in their order.
        question: what the user asked; empty: not known.
        client: as in `verify_claim`.

    Raises:
        GroundwireError: the call failed; its subclass says how.
    """
    with _client(client) as used:
        return used.assess_response(response, tool_calls, question=question)


def audit_trace(
    steps: Iterable[str] | Iterable[ChatMessage],
    context: Evidence | str = "",
    answer: str = "",
    *,
    question: str = "",
    client: Verifying | None = None,
) -> TraceAudit:
    """Audits a chain of reasoning, on a server that has trace auditing switched on.

    Args:
        steps: the steps in their order; one str is a TypeError. Or chat messages, as in
            `Client.audit_trace`.
        context: what they were taken from, such as what tools returned; a str is one source.
            Empty: no step can be judged, and only the answer is checked.
        answer: the final answer; empty: there is none.
        question: what the trace answers; empty: not known.
        client: as in `verify_claim`.

    Raises:
        GroundwireError: the call failed; its subclass says how.
    """
    with _client(client) as used:
        return used.audit_trace(steps, context, answer=answer, question=question)


def check_similarity(
    answer: str,
    contexts: Iterable[str],
    threshold: float | None = None,
    *,
    client: Verifying | None = None,
) -> SimilarityResult:
    """Says which sentences of an answer are like none of the texts, which is no verdict.

    The arguments are those of `Client.check_similarity`, and `client` is as in `verify_claim`; its
    server, or `in_process`, needs `similarity_enabled`.

    Raises:
        GroundwireError: the call failed; its subclass says how.
    """
    with _client(client) as used:
        return used.check_similarity(answer, contexts, threshold=threshold)


def verify_output(
    response: str,
    turns: Iterable[Turn] = (),
    *,
    documents: Mapping[str, str] | Iterable[Document] = (),
    client: Client | None = None,
    timeout_s: float = _TIMEOUT_S,
) -> VerificationStatus:
    """Has an output of an agent verified in the background, and waits for the end of that.

    Args:
        response: what the agent has said, with at least one visible character.
        turns: the conversation before it.
        documents: what the agent was given besides, or their texts by id.
        client: as in `verify_claim`; its server needs `output_verification_enabled`.
        timeout_s: how long to wait for the end, in seconds. After that the last status is
            returned: it is not final, and `Client.get_verification` takes its id later.

    Raises:
        GroundwireError: a call failed; its subclass says how.
    """
    with _client(client) as used:
        end_s = time.monotonic() + timeout_s
        last = used.submit_verification(response, turns, documents=documents)
        while not last.is_final and (left_s := end_s - time.monotonic()) > 0.0:
            seen = False
            try:
                for status in used.watch_verification(last.id, timeout_s=left_s):
                    last, seen = status, True
            except DeadlineExceededError:
                pass  # a watch ends after the server's own limit on a call, too
            except UnavailableError:
                # One that broke goes on: what was accepted outlives the server's process. One that
                # did not begin has had its retries.
                if not seen:
                    raise
        return last


def _client(client: Given | None) -> AbstractContextManager[Given | Client]:
    return Client(timeout_s=_TIMEOUT_S) if client is None else nullcontext(client)
