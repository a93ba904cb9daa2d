"""A scripted server that answers HallucinationDetection as well."""

from collections.abc import AsyncIterable, Callable, Iterable, Iterator
from typing import TypeVar, cast

import grpc
from google.protobuf.message import Message

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import trace_audit_pb2 as trace_pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from groundwire.v1.hallucination_detection_pb2_grpc import (
    HallucinationDetectionServicer,
    add_HallucinationDetectionServicer_to_server,
)
from groundwire.v1.trace_audit_pb2_grpc import (
    TraceAuditServicer,
    add_TraceAuditServicer_to_server,
)
from tests.client.scripted import NO_PROBABILITY, TIMING, ScriptedServer, Step, estimate

Piece = TypeVar("Piece")
Change = Callable[[pb.ClaimVerdict], object]

PRIOR = "0.25"
THRESHOLDS = pb.Thresholds(
    default_confidence=0.95,
    min_posterior=0.5,
    prior_margin=0.125,
    max_gap_bits=0.0,
    min_contradiction=0.5,
    min_evidence_use=0.25,
    score_bonus_posterior=0.75,
    min_grounding_score=0.5,
    min_grounded_ratio=0.5,
    max_unsupported_posterior=0.25,
    min_miscitation=0.375,
)
RUN = pb.Run(
    policy=pb.POLICY_BUDGET,
    thresholds=THRESHOLDS,
    strictness=backend_pb.STRICTNESS_STRICT,
    model="tiny",
    prompt_version="yes-no/1",
    backend="main",
    usage=pb.SharedUsage(
        distinct_prompts=4,
        prompt_tokens=80,
        computed_tokens=50,
        minimal_tokens=48,
        block_tokens=16,
    ),
    timing=TIMING,
    non_evidence=[
        pb.NonEvidence(
            source_id="S0", span=pb.Span(start=3, end=9), kind=pb.NON_ASSERTIVE_REASON_QUESTION
        )
    ],
    skip_non_evidence=True,
    detection_id="0123456789abcdef0123456789abcdef",
)
BUDGET = pb.Budget(
    required_bits=1.5,
    observed_bits=2.0,
    gap_bits=-0.5,
    required_nats=1.04,
    observed_nats=1.39,
    gap_nats=-0.35,
)


async def collect(pieces: Iterable[Piece] | AsyncIterable[Piece]) -> list[Piece]:
    """All pieces of the stream of either client."""
    if isinstance(pieces, AsyncIterable):
        return [piece async for piece in pieces]
    return list(pieces)


async def next_piece(pieces: Iterator[Piece] | AsyncIterable[Piece]) -> Piece:
    """The next piece of the stream of either client."""
    if isinstance(pieces, AsyncIterable):
        return await anext(aiter(pieces))
    return next(pieces)


class Pieces:
    """A step that sends these messages, and takes the steps between them."""

    def __init__(self, *steps: Step) -> None:
        self.steps = steps

    def __call__(self, context: grpc.ServicerContext) -> None:
        raise NotImplementedError("these pieces are for VerifyAnswerStream")


class PiecesAtTheEnd(Pieces):
    """The same for VerifyDraft, once the text has come to its end."""


class PiecesAfterText(Pieces):
    """The same once some text has come."""


class DetectionServer(ScriptedServer, HallucinationDetectionServicer, TraceAuditServicer):
    """As ScriptedServer; the plain answer takes each word of a text for a claim, and so each step.

    A claim is its own p1; p0 is 0.25. From 0.5 it is supported and grounded, and
    "none" is not verified.
    """

    def _add_services(self, server: grpc.Server) -> None:
        super()._add_services(server)
        add_HallucinationDetectionServicer_to_server(self, server)
        add_TraceAuditServicer_to_server(self, server)

    def AuditTrace(
        self, request: trace_pb.AuditTraceRequest, context: grpc.ServicerContext
    ) -> trace_pb.AuditTraceResponse:
        return self._answer(request, context, audit_response(*request.steps))

    def ExtractClaims(
        self, request: pb.ExtractClaimsRequest, context: grpc.ServicerContext
    ) -> pb.ExtractClaimsResponse:
        return self._answer(request, context, extract_response(request.text))

    def VerifyClaims(
        self, request: pb.VerifyClaimsRequest, context: grpc.ServicerContext
    ) -> pb.VerifyClaimsResponse:
        plain = claims_response(*(claim.text for claim in request.claims))
        return self._answer(request, context, plain)

    def VerifyAnswer(
        self, request: pb.VerifyAnswerRequest, context: grpc.ServicerContext
    ) -> pb.VerifyAnswerResponse:
        return self._answer(request, context, answer_response(request.answer))

    def VerifyAnswerStream(
        self, request: pb.VerifyAnswerStreamRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.VerifyAnswerStreamResponse]:
        step = self._next_step(request, context)
        if not isinstance(step, Pieces):
            if callable(step):
                step(context)
            step = Pieces(*stream_responses(request.request.answer))
        for piece in step.steps:
            if isinstance(piece, Message):
                yield cast(pb.VerifyAnswerStreamResponse, piece)
            else:
                piece(context)

    def VerifyDraft(
        self, requests: Iterator[pb.VerifyDraftRequest], context: grpc.ServicerContext
    ) -> Iterator[pb.VerifyDraftResponse]:
        """Plainly: a verdict for each word of the whole text, in its order, and the report."""
        step = self._next_step(next(requests), context)
        if callable(step) and not isinstance(step, Pieces):
            step(context)
        yield pb.VerifyDraftResponse(ready=pb.DraftReady())
        if isinstance(step, PiecesAtTheEnd):
            next(request for request in requests if request.HasField("end"))
        if isinstance(step, PiecesAfterText):
            next(request for request in requests if request.text)
        if isinstance(step, Pieces):
            for piece in step.steps:
                if isinstance(piece, Message):
                    yield cast(pb.VerifyDraftResponse, piece)
                else:
                    piece(context)
            return
        text = ""
        for request in requests:
            text += request.text
            if request.HasField("end"):
                yield from draft_responses(text)
                return


def claim_of(text: str, word: str) -> pb.Claim:
    """A word of a text as a claim."""
    start = text.index(word)
    span = pb.Span(start=start, end=start + len(word))
    return pb.Claim(
        content=word,
        span=span,
        confidence=THRESHOLDS.default_confidence,
        confidence_source=pb.CONFIDENCE_SOURCE_DEFAULT,
        language="en",
    )


def extract_response(text: str) -> pb.ExtractClaimsResponse:
    """The plain answer to ExtractClaims."""
    claims = [claim_of(text, word) for word in text.split()]
    return pb.ExtractClaimsResponse(claims=claims, language="en")


def verdict(claim: str) -> pb.ClaimVerdict:
    """The plain verdict of a claim."""
    plain = pb.ClaimVerdict(
        verdict=pb.VERDICT_NOT_VERIFIED,
        reason=pb.VERDICT_REASON_LABEL_MASS_BELOW_FLOOR,
        reason_text="the reason",
        citation_status=pb.CITATION_STATUS_NONE,
        posterior=estimate(claim),
        prior=estimate(PRIOR),
        confidence=0.95,
        confidence_source=pb.CONFIDENCE_SOURCE_REQUEST,
    )
    if claim == NO_PROBABILITY:
        return plain
    supported = float(claim) >= 0.5
    plain.verdict = pb.VERDICT_SUPPORTED if supported else pb.VERDICT_UNSUPPORTED
    plain.reason = (
        pb.VERDICT_REASON_BUDGET_COVERED if supported else pb.VERDICT_REASON_LOW_POSTERIOR
    )
    plain.grounded = supported
    plain.budget.CopyFrom(BUDGET)
    plain.grounding_score = 0.5
    plain.evidence_use = float(claim) - float(PRIOR)
    return plain


def claims_response(*claims: str) -> pb.VerifyClaimsResponse:
    """The plain answer to VerifyClaims."""
    return pb.VerifyClaimsResponse(verdicts=[verdict(claim) for claim in claims], run=RUN)


def answer_response(answer: str) -> pb.VerifyAnswerResponse:
    """The plain answer to VerifyAnswer."""
    words = answer.split()
    claims = [pb.AnswerClaim(claim=claim_of(answer, word), verdict=verdict(word)) for word in words]
    grounded = sum(each.verdict.grounded for each in claims)
    unread = words.count(NO_PROBABILITY)
    summary = pb.AnswerSummary(
        overall_grounded=grounded / len(words) >= THRESHOLDS.min_grounded_ratio,
        grounded_claims=grounded,
        total_claims=len(words),
        grounding_ratio=grounded / len(words),
        warning="the warning",
        language="en",
        unverified=[unverified(unread)] if unread else [],
        verified_share=1 - unread / len(words),
        complete=True,
        review_order=range(len(words)),
    )
    return pb.VerifyAnswerResponse(claims=claims, summary=summary, run=RUN)


def audit_response(*steps: str) -> trace_pb.AuditTraceResponse:
    """The plain answer to AuditTrace, whose answer follows."""
    audits = [audited(step) for step in steps]
    bad = (trace_pb.STEP_STATUS_CONTRADICTED, trace_pb.STEP_STATUS_NOT_IN_CONTEXT)
    first = next((i for i, each in enumerate(audits) if each.status in bad), None)
    return trace_pb.AuditTraceResponse(
        steps=audits,
        first_unsupported_step=first,
        post_hoc=trace_pb.PostHoc(
            status=trace_pb.POST_HOC_STATUS_FOLLOWS,
            reason=trace_pb.POST_HOC_REASON_SAME_ANSWER,
            reason_text="the same",
            executor=trace_pb.POST_HOC_EXECUTOR_GENERATION,
            derived_answer="42",
        ),
        sound=all(each.status == trace_pb.STEP_STATUS_ENTAILED for each in audits),
        run=RUN,
        rounds=1,
    )


def audited(step: str) -> trace_pb.StepAudit:
    """The plain audit of a step."""
    plain = verdict(step)
    status, reason = trace_pb.STEP_STATUS_NOT_IN_CONTEXT, None
    if step == NO_PROBABILITY:
        status = trace_pb.STEP_STATUS_UNVERIFIABLE
        reason = trace_pb.UNVERIFIABLE_REASON_LABEL_MASS_BELOW_FLOOR
    elif plain.grounded:
        status = trace_pb.STEP_STATUS_ENTAILED
    return trace_pb.StepAudit(
        status=status,
        unverifiable_reason=reason,
        reason_text=plain.reason_text,
        claims=1,
        content=step,
        verdict=plain,
    )


def unverified(
    claims: int,
    reason: str = "VERDICT_REASON_LABEL_MASS_BELOW_FLOOR",
    kind: str = "NON_ASSERTIVE_REASON_UNSPECIFIED",
) -> pb.UnverifiedClaims:
    """So many claims that are not verified for one reason; by default those of the plain answer."""
    return pb.UnverifiedClaims(reason=reason, non_assertive_reason=kind, claims=claims)


def found(answer: str) -> pb.VerifyAnswerStreamResponse:
    """The first piece for an answer, with no verdict known."""
    claims = [pb.AnswerClaim(claim=claim_of(answer, word)) for word in answer.split()]
    return pb.VerifyAnswerStreamResponse(found=pb.ClaimsFound(claims=claims))


def known(index: int, claim: str) -> pb.VerifyAnswerStreamResponse:
    """The piece with the plain verdict of one claim."""
    return pb.VerifyAnswerStreamResponse(known=pb.ClaimKnown(index=index, verdict=verdict(claim)))


def report(answer: str) -> pb.VerifyAnswerStreamResponse:
    """The last piece for an answer."""
    return pb.VerifyAnswerStreamResponse(report=answer_response(answer))


def stream_responses(answer: str) -> list[pb.VerifyAnswerStreamResponse]:
    """The plain pieces for an answer; the last claim is known first."""
    words = list(enumerate(answer.split()))
    return [found(answer), *(known(i, word) for i, word in reversed(words)), report(answer)]


def draft_responses(text: str) -> list[pb.VerifyDraftResponse]:
    """The plain pieces for a draft, behind the first."""
    report = answer_response(text)
    return [
        *(drafted(index, claim) for index, claim in enumerate(report.claims)),
        pb.VerifyDraftResponse(settled=pb.DraftSettled(characters=len(text))),
        pb.VerifyDraftResponse(report=report),
    ]


def drafted(index: int, claim: pb.AnswerClaim) -> pb.VerifyDraftResponse:
    """The piece with the verdict of a claim of a draft."""
    return pb.VerifyDraftResponse(verdict=pb.DraftVerdict(index=index, claim=claim))


def changed(change: Change, claim: str = "0.75") -> pb.VerifyClaimsResponse:
    """The plain answer for one claim after a change to its verdict."""
    response = claims_response(claim)
    change(response.verdicts[0])
    return response


def setting(**values: object) -> Change:
    """Sets fields of a verdict."""

    def change(message: pb.ClaimVerdict) -> None:
        make: Callable[..., pb.ClaimVerdict] = pb.ClaimVerdict
        message.MergeFrom(make(**values))

    return change


def clearing(*fields: str) -> Change:
    """Clears fields of a verdict."""

    def change(message: pb.ClaimVerdict) -> None:
        for field in fields:
            message.ClearField(field)

    return change
