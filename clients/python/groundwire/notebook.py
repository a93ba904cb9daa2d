"""Claims checked in one line, for a notebook or an agent's REPL.

from groundwire import verify_claim

verify_claim("The bridge opened in 1932.", evidence="The bridge opened in March 1932.")
"""

import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext

from groundwire.client import Client
from groundwire.errors import DeadlineExceededError, UnavailableError
from groundwire.facts import FactInput, GateResult
from groundwire.inputs import ClaimInput, Document, Evidence, VerifyOptions
from groundwire.outputs import Turn, VerificationStatus
from groundwire.traces import ChatMessage, TraceAudit
from groundwire.verdicts import AnswerClaim, VerifiedClaim

_TIMEOUT_S = 300.0
"""The time-out of a client made here: a small machine may read many claims."""


def verify_claim(
    claim: str,
    evidence: Evidence | str,
    confidence: float | None = None,
    *,
    client: Client | None = None,
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
    text: str, context: Evidence | str, *, client: Client | None = None
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
    client: Client | None = None,
) -> GateResult:
    """Decides which facts may be stored, as `Client.check_facts`.

    `client` is as in `verify_claim`; its server, or `in_process`, needs `memory_gate_enabled`.

    Raises:
        GroundwireError: the call failed; its subclass says how.
    """
    with _client(client) as used:
        return used.check_facts(facts, evidence)


def audit_trace(
    steps: Iterable[str] | Iterable[ChatMessage],
    context: Evidence | str = "",
    answer: str = "",
    *,
    question: str = "",
    client: Client | None = None,
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


def _client(client: Client | None) -> AbstractContextManager[Client]:
    return Client(timeout_s=_TIMEOUT_S) if client is None else nullcontext(client)
