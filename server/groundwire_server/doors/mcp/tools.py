"""The tools of the MCP door: what an agent reads of them, and the call that each one makes."""

import inspect
import re
from collections.abc import AsyncIterable, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol, TypeVar

from groundwire import (
    AnswerEvent,
    AnswerReport,
    AsyncClient,
    ClaimsFound,
    Evidence,
    VerifyOptions,
)
from groundwire_server.doors.mcp import arguments as given
from groundwire_server.doors.mcp import results as found
from groundwire_server.doors.mcp.failures import Fields

A = TypeVar("A", bound=given.Arguments)
R = TypeVar("R", bound=found.Result)


class Progress(Protocol):
    """Tells the agent's client how far a call is."""

    async def __call__(self, done: float, total: float | None, message: str) -> None:
        """`done` of `total`, where that is known, and the same in words."""


Run = Callable[[AsyncClient, Progress], Awaitable[found.Result]]
"""The call that a tool makes, once its arguments are known."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. The docstring of its function is its description."""

    name: str
    title: str
    description: str
    arguments: type[given.Arguments]
    result: type[found.Result]
    prepared: Callable[[object], Run]
    """From what was sent to the call. Raises pydantic's ValidationError for another form."""
    fields: Fields
    """What it calls fields of the contract, where that is its own."""


def _tool(
    title: str,
    arguments: type[A],
    result: type[R],
    run: Callable[[AsyncClient, A, Progress], Awaitable[R]],
    fields: Fields = (),
) -> Tool:
    def prepared(sent: object) -> Run:
        asked = arguments.model_validate(sent)
        return lambda client, progress: run(client, asked, progress)

    description = inspect.cleandoc(run.__doc__ or "")
    return Tool(run.__name__, title, description, arguments, result, prepared, fields)


async def verify_claim(
    client: AsyncClient, asked: given.VerifyClaim, progress: Progress
) -> found.OneClaim:
    """Check one statement against sources, before you state it or to find out whether it is so.

    The verdict is the server's, from probabilities of a small local model. SUPPORTED: the sources
    carry it. UNCERTAIN: they do not confirm it. UNSUPPORTED: they do not carry it. CONTRADICTED:
    they say otherwise. PRIOR_KNOWLEDGE: believed without the sources, so they were not what it
    stands on. NOT_VERIFIED: nothing is known of it, which is neither a yes nor a no. `instruction`
    says what to do. p1 and p0 are probabilities in [0, 1] with the sources and without those that
    are cited; bits are information. For several statements on the same sources use verify_claims,
    which reads the sources once.
    """
    claim = given.Claim(text=asked.claim, cited_ids=asked.cited_ids, confidence=asked.confidence)
    result = await client.verify_claims(
        [claim.as_input()],
        given.evidence_of(asked.sources),
        options=VerifyOptions(explain=asked.explain),
    )
    (verdict,) = (found.ClaimVerdict.model_validate(each) for each in result)
    verdict.quote(asked.claim)
    return found.OneClaim(
        **verdict.model_dump(), detection_id=result.detection_id, model=result.run.model
    )


async def verify_claims(
    client: AsyncClient, asked: given.VerifyClaims, progress: Progress
) -> found.Claims:
    """Check several statements against the same sources; see verify_claim for the verdicts.

    Use it for statements that you have already. To check a whole text use verify_answer, which
    finds the statements itself. The results keep the order of the statements.
    """
    evidence = given.evidence_of(asked.sources)
    result = await client.verify_claims(
        [claim.as_input() for claim in asked.claims],
        evidence,
        options=VerifyOptions(explain=asked.explain),
    )
    claims = found.Claims.model_validate(result)
    for each, claim in zip(claims.claims, asked.claims, strict=True):
        each.quote(claim.text)
    claims.non_evidence = found.non_evidence(result.run, evidence)
    return claims


async def verify_answer(
    client: AsyncClient, asked: given.VerifyAnswer, progress: Progress
) -> found.Answer:
    """Check an answer that you are about to give against the sources that it was made from.

    The server finds the claims of the answer and their citations, as [S0] or [1], and gives each a
    verdict; see verify_claim. Give `sources`, or the name of a `corpus` of the server. If
    overall_grounded is false, fix the answer by following the `instruction` of each claim, and
    check again, or show `warning` with it. With `correct` the server corrects it, if the sources
    say how. Claims with the verdict NOT_VERIFIED were not checked: their reason says why. Claims
    that are not grounded come first, and left_out counts those that are not listed. It reports its
    progress, claim by claim.
    """
    evidence: Evidence | str = given.evidence_of(asked.sources) if asked.sources else ""
    events = client.verify_answer_stream(
        asked.answer,
        evidence,
        question=asked.question,
        corpus=asked.corpus,
        turns=[turn.as_turn() for turn in asked.turns],
        correct=asked.correct,
        options=VerifyOptions(explain=asked.explain),
    )
    async with aclosing(events):
        report = await _report(events, progress)
    answer = found.Answer.model_validate(report)
    for each in answer.claims:
        each.quote(asked.answer)
    for edit in answer.edits:
        edit.text = asked.answer[edit.start : edit.end]
    read = evidence if isinstance(evidence, Evidence) else report.sources
    answer.non_evidence = found.non_evidence(report.run, read)
    return answer


async def _report(events: AsyncIterable[AnswerEvent], progress: Progress) -> AnswerReport:
    """The report at the end of the stream, whose pieces are the progress."""
    total, known = 0, 0
    async for event in events:
        if isinstance(event, AnswerReport):
            return event
        if isinstance(event, ClaimsFound):
            total = len(event.claims)
            await progress(0, total, f"the answer makes {total} claims")
        else:
            known += 1
            await progress(known, total, f"claim {event.index}: {event.claim.verdict}")
    raise AssertionError("a stream without an error ends with its report")


async def audit_trace(
    client: AsyncClient, asked: given.AuditTrace, progress: Progress
) -> found.Trace:
    """Check a chain of reasoning: where it leaves its sources, and whether its answer follows.

    Call it before you rely on a conclusion that took several steps. Each step is judged by the
    sources and by the steps before it that hold. Without sources only the answer is checked
    against the steps. UNVERIFIABLE and NOT_CHECKED mean that nothing is known. The server's
    operator has to switch it on (trace_auditing_enabled).
    """
    audit = await client.audit_trace(
        asked.trace,
        given.evidence_of(asked.sources) if asked.sources else "",
        answer=asked.answer,
        question=asked.question,
    )
    return found.Trace.model_validate(audit)


async def check_facts(
    client: AsyncClient, asked: given.CheckFacts, progress: Progress
) -> found.Facts:
    """Decide which facts may be written to a memory or a database. Call it before you store any.

    ACCEPTED: the sources carry it; store it with its confidence. REJECTED: do not store it.
    ACCEPTED_UNVERIFIED: nobody could check it within two seconds; its confidence is reduced, and it
    is to be marked as unverified. The server's operator has to switch it on (memory_gate_enabled).
    """
    evidence = given.evidence_of(asked.sources)
    result = await client.check_facts([fact.as_fact() for fact in asked.facts], evidence)
    return found.Facts.model_validate(result)


async def assess_response(
    client: AsyncClient, asked: given.AssessResponse, progress: Progress
) -> found.Assessment:
    """Say how likely a response is made up, given the tool calls that were made for it.

    Call it on a response that states live data, numbers or results of tools, before you show it.
    Three layers look at it: patterns of words and values, questions of common sense, and its claims
    against the results of the tools. A confidence of null means that nothing is known. The server's
    operator has to switch it on (response_assessment_enabled).
    """
    assessed = await client.assess_response(
        asked.response, [call.as_call() for call in asked.tool_calls], question=asked.question
    )
    return found.Assessment.model_validate(assessed)


async def search_corpus(
    client: AsyncClient, asked: given.SearchCorpus, progress: Progress
) -> found.Passages:
    """Find passages of a corpus of the server that are near to a question or a statement.

    Use them as `sources` of verify_claims, by their ids, and cite them so. It says nothing of
    whether a passage supports anything. The server's operator names the corpora
    (retrieval_corpora).
    """
    search = await client.search_corpus(asked.query, asked.corpus, max_passages=asked.max_passages)
    return found.Passages.model_validate(search)


_ONE_CLAIM: Fields = (
    (re.compile(r"^claims(\[0\]\.text)?$"), "claim"),
    (re.compile(r"^claims\[0\]\."), ""),
)

TOOLS = (
    _tool("Verify an answer", given.VerifyAnswer, found.Answer, verify_answer),
    _tool("Verify a claim", given.VerifyClaim, found.OneClaim, verify_claim, _ONE_CLAIM),
    _tool("Verify claims", given.VerifyClaims, found.Claims, verify_claims),
    _tool("Audit a chain of reasoning", given.AuditTrace, found.Trace, audit_trace),
    _tool("Check facts before they are stored", given.CheckFacts, found.Facts, check_facts),
    _tool("Assess a response", given.AssessResponse, found.Assessment, assess_response),
    _tool("Search a corpus", given.SearchCorpus, found.Passages, search_corpus),
)
