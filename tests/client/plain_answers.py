"""What the scripted server of the clients' tests answers where a test scripts nothing else."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from groundwire.v1 import feedback_pb2 as feedback_pb
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as gate_pb
from groundwire.v1 import output_verification_pb2 as output_pb
from groundwire.v1 import response_assessment_pb2 as assessment_pb
from groundwire.v1 import similarity_pb2 as similarity_pb
from groundwire.v1 import trace_audit_pb2 as trace_pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb

OUTPUT_ID = "0123456789abcdef"


NO_PROBABILITY = "none"


USAGE = backend_pb.Usage(prompt_tokens=40, cached_tokens=32, context_tokens=16, distinct_prompts=2)


TIMING = backend_pb.Timing(
    queue_duration=Duration(nanos=250_000_000),
    inference_duration=Duration(seconds=1, nanos=500_000_000),
    total_duration=Duration(seconds=2),
)


def estimate(claim: str) -> backend_pb.Estimate:
    """The plain reading of a claim."""
    if claim == NO_PROBABILITY:
        return backend_pb.Estimate(
            label_mass=0.01,
            source=backend_pb.ESTIMATE_SOURCE_MODEL,
            no_probability_reason=backend_pb.NO_PROBABILITY_REASON_LABEL_MASS_BELOW_FLOOR,
        )
    return backend_pb.Estimate(
        probability=float(claim),
        label_mass=0.5,
        yes_log_probability=-0.75,
        no_log_probability=-1.5,
        source=backend_pb.ESTIMATE_SOURCE_MODEL,
        raw_probability=float(claim),
    )


def estimate_response(claim: str) -> backend_pb.EstimateProbabilityResponse:
    """The plain answer for one claim."""
    return backend_pb.EstimateProbabilityResponse(
        estimate=estimate(claim),
        usage=USAGE,
        timing=TIMING,
        model="tiny",
        prompt_version="yes-no/1",
        backend="main",
    )


def batch_response(*claims: str) -> backend_pb.BatchEstimateResponse:
    """The plain answer for many claims."""
    return backend_pb.BatchEstimateResponse(
        estimates=[estimate(claim) for claim in claims],
        usage=USAGE,
        timing=TIMING,
        model="tiny",
        prompt_version="yes-no/1",
        backend="main",
    )


def info_response(state: int = backend_pb.SERVER_STATE_SERVING) -> backend_pb.GetServerInfoResponse:
    """The plain answer to GetServerInfo."""
    return backend_pb.GetServerInfoResponse(
        server_version="0.1.0",
        state=cast(backend_pb.ServerState, state),
        backends=["main", "other"],
        model="tiny",
        window_tokens=2048,
        dtype="bfloat16",
        prompt_version="yes-no/1",
        label_forms=[backend_pb.LabelForm(label="YES", text=" Yes", token_id=7)],
        label_mass_floor=0.125,
        limits=backend_pb.Limits(
            max_claims=32,
            max_claim_tokens=128,
            max_context_tokens=1024,
            max_text_characters=10_000,
            max_message_bytes=1_000_000,
            max_pending_claims=64,
            max_sources=16,
            max_prompts=200,
            max_evidence_characters=2_000_000,
            max_claims_characters=50_000,
            max_extracted_claims=500,
            max_question_characters=400,
            max_title_characters=300,
            max_id_characters=64,
            max_cited_ids=50,
            max_citation_styles=16,
            max_citation_prefixes=15,
            max_citation_prefix_characters=14,
            max_message_fields=10_000,
            max_pending_calls=48,
            max_pending_bytes=2_000_000,
            max_text_ids=700,
            max_marker_characters=90,
        ),
        identity="5e" * 32,
        calibration=backend_pb.Calibration(
            method=backend_pb.CALIBRATION_METHOD_PLATT,
            rows=500,
            data="claims of a test",
            operating_points=[
                backend_pb.OperatingPoint(strictness=backend_pb.STRICTNESS_STRICT, confidence=0.875)
            ],
        ),
    )


Change = Callable[[detection_pb.ClaimVerdict], object]


PRIOR = "0.25"


THRESHOLDS = detection_pb.Thresholds(
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


RUN = detection_pb.Run(
    policy=detection_pb.POLICY_BUDGET,
    thresholds=THRESHOLDS,
    strictness=backend_pb.STRICTNESS_STRICT,
    model="tiny",
    prompt_version="yes-no/1",
    backend="main",
    usage=detection_pb.SharedUsage(
        distinct_prompts=4,
        prompt_tokens=80,
        computed_tokens=50,
        minimal_tokens=48,
        block_tokens=16,
    ),
    timing=TIMING,
    non_evidence=[
        detection_pb.NonEvidence(
            source_id="S0",
            span=detection_pb.Span(start=3, end=9),
            kind=detection_pb.NON_ASSERTIVE_REASON_QUESTION,
        )
    ],
    skip_non_evidence=True,
    detection_id="0123456789abcdef0123456789abcdef",
)


BUDGET = detection_pb.Budget(
    required_bits=1.5,
    observed_bits=2.0,
    gap_bits=-0.5,
    required_nats=1.04,
    observed_nats=1.39,
    gap_nats=-0.35,
)


def claim_of(text: str, word: str) -> detection_pb.Claim:
    """A word of a text as a claim."""
    start = text.index(word)
    span = detection_pb.Span(start=start, end=start + len(word))
    return detection_pb.Claim(
        content=word,
        span=span,
        confidence=THRESHOLDS.default_confidence,
        confidence_source=detection_pb.CONFIDENCE_SOURCE_DEFAULT,
        language="en",
    )


def extract_response(text: str) -> detection_pb.ExtractClaimsResponse:
    """The plain answer to ExtractClaims."""
    claims = [claim_of(text, word) for word in text.split()]
    return detection_pb.ExtractClaimsResponse(claims=claims, language="en")


def verdict(claim: str) -> detection_pb.ClaimVerdict:
    """The plain verdict of a claim."""
    plain = detection_pb.ClaimVerdict(
        verdict=detection_pb.VERDICT_NOT_VERIFIED,
        reason=detection_pb.VERDICT_REASON_LABEL_MASS_BELOW_FLOOR,
        reason_text="the reason",
        citation_status=detection_pb.CITATION_STATUS_NONE,
        posterior=estimate(claim),
        prior=estimate(PRIOR),
        confidence=0.95,
        confidence_source=detection_pb.CONFIDENCE_SOURCE_REQUEST,
    )
    if claim == NO_PROBABILITY:
        return plain
    supported = float(claim) >= 0.5
    plain.verdict = (
        detection_pb.VERDICT_SUPPORTED if supported else detection_pb.VERDICT_UNSUPPORTED
    )
    plain.reason = (
        detection_pb.VERDICT_REASON_BUDGET_COVERED
        if supported
        else detection_pb.VERDICT_REASON_LOW_POSTERIOR
    )
    plain.grounded = supported
    plain.budget.CopyFrom(BUDGET)
    plain.grounding_score = 0.5
    plain.evidence_use = float(claim) - float(PRIOR)
    return plain


def claims_response(*claims: str) -> detection_pb.VerifyClaimsResponse:
    """The plain answer to VerifyClaims."""
    return detection_pb.VerifyClaimsResponse(verdicts=[verdict(claim) for claim in claims], run=RUN)


def answer_response(answer: str) -> detection_pb.VerifyAnswerResponse:
    """The plain answer to VerifyAnswer."""
    words = answer.split()
    claims = [
        detection_pb.AnswerClaim(claim=claim_of(answer, word), verdict=verdict(word))
        for word in words
    ]
    grounded = sum(each.verdict.grounded for each in claims)
    unread = words.count(NO_PROBABILITY)
    summary = detection_pb.AnswerSummary(
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
    return detection_pb.VerifyAnswerResponse(claims=claims, summary=summary, run=RUN)


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
) -> detection_pb.UnverifiedClaims:
    """So many claims that are not verified for one reason; by default those of the plain answer."""
    return detection_pb.UnverifiedClaims(reason=reason, non_assertive_reason=kind, claims=claims)


def found(answer: str) -> detection_pb.VerifyAnswerStreamResponse:
    """The first piece for an answer, with no verdict known."""
    claims = [detection_pb.AnswerClaim(claim=claim_of(answer, word)) for word in answer.split()]
    return detection_pb.VerifyAnswerStreamResponse(found=detection_pb.ClaimsFound(claims=claims))


def known(index: int, claim: str) -> detection_pb.VerifyAnswerStreamResponse:
    """The piece with the plain verdict of one claim."""
    return detection_pb.VerifyAnswerStreamResponse(
        known=detection_pb.ClaimKnown(index=index, verdict=verdict(claim))
    )


def report(answer: str) -> detection_pb.VerifyAnswerStreamResponse:
    """The last piece for an answer."""
    return detection_pb.VerifyAnswerStreamResponse(report=answer_response(answer))


def stream_responses(answer: str) -> list[detection_pb.VerifyAnswerStreamResponse]:
    """The plain pieces for an answer; the last claim is known first."""
    words = list(enumerate(answer.split()))
    return [found(answer), *(known(i, word) for i, word in reversed(words)), report(answer)]


def draft_responses(text: str) -> list[detection_pb.VerifyDraftResponse]:
    """The plain pieces for a draft, behind the first."""
    report = answer_response(text)
    return [
        *(drafted(index, claim) for index, claim in enumerate(report.claims)),
        detection_pb.VerifyDraftResponse(settled=detection_pb.DraftSettled(characters=len(text))),
        detection_pb.VerifyDraftResponse(report=report),
    ]


def drafted(index: int, claim: detection_pb.AnswerClaim) -> detection_pb.VerifyDraftResponse:
    """The piece with the verdict of a claim of a draft."""
    return detection_pb.VerifyDraftResponse(
        verdict=detection_pb.DraftVerdict(index=index, claim=claim)
    )


def changed(change: Change, claim: str = "0.75") -> detection_pb.VerifyClaimsResponse:
    """The plain answer for one claim after a change to its verdict."""
    response = claims_response(claim)
    change(response.verdicts[0])
    return response


def setting(**values: object) -> Change:
    """Sets fields of a verdict."""

    def change(message: detection_pb.ClaimVerdict) -> None:
        make: Callable[..., detection_pb.ClaimVerdict] = detection_pb.ClaimVerdict
        message.MergeFrom(make(**values))

    return change


def gate_response(*facts: gate_pb.Fact) -> gate_pb.CheckFactsResponse:
    """The plain answer for these facts."""
    return gate_pb.CheckFactsResponse(facts=[checked(fact) for fact in facts], run=RUN)


def checked(fact: gate_pb.Fact) -> gate_pb.CheckedFact:
    """The plain decision on a fact."""
    found = gate_pb.CheckedFact(id=fact.id, reason_text="the reason", verdict=verdict(fact.text))
    if fact.HasField("confidence"):
        found.verdict.confidence = fact.confidence
    if fact.text == NO_PROBABILITY:
        found.verdict.reason = detection_pb.VERDICT_REASON_OUT_OF_TIME
        found.decision = gate_pb.GATE_DECISION_ACCEPTED_UNVERIFIED
        found.reason = gate_pb.GATE_REASON_OUT_OF_TIME
        found.confidence = 0.25
    elif found.verdict.grounded:
        found.decision, found.reason = gate_pb.GATE_DECISION_ACCEPTED, gate_pb.GATE_REASON_GROUNDED
        found.confidence = found.verdict.confidence
    else:
        found.decision, found.reason = (
            gate_pb.GATE_DECISION_REJECTED,
            gate_pb.GATE_REASON_FACT_NOT_GROUNDED,
        )
        found.confidence = 0.125
    return found


def changed_fact(
    change: Callable[[gate_pb.CheckedFact], object], text: str
) -> gate_pb.CheckFactsResponse:
    """The plain answer for one fact after a change to its decision."""
    response = gate_response(gate_pb.Fact(text=text))
    change(response.facts[0])
    return response


RESPONSE = "It is 12 °C."


def assessment() -> assessment_pb.AssessResponseResponse:
    """The plain answer: two layers doubt the response, and the third could not tell."""
    claim = detection_pb.Claim(
        content=RESPONSE,
        span=detection_pb.Span(start=0, end=len(RESPONSE)),
        confidence=0.95,
        confidence_source=detection_pb.CONFIDENCE_SOURCE_DEFAULT,
        language="en",
    )
    response = assessment_pb.AssessResponseResponse(
        is_likely_hallucination=True,
        confidence=0.75,
        suggested_action=assessment_pb.SUGGESTED_ACTION_WARN,
        reasons=[
            assessment_pb.AssessmentReason(
                layer=assessment_pb.ASSESSMENT_LAYER_HEURISTIC,
                kind=assessment_pb.ASSESSMENT_REASON_KIND_LIVE_DATA,
                text="[Heuristic] live data that no tool call gave: 12 °C",
            )
        ],
        layers=[
            assessment_pb.LayerReport(
                layer=assessment_pb.ASSESSMENT_LAYER_HEURISTIC,
                state=assessment_pb.LAYER_STATE_RAN,
                score=0.5,
            ),
            assessment_pb.LayerReport(
                layer=assessment_pb.ASSESSMENT_LAYER_COMMON_SENSE,
                state=assessment_pb.LAYER_STATE_RAN,
                score=0.9,
                cut_characters=7,
            ),
            assessment_pb.LayerReport(
                layer=assessment_pb.ASSESSMENT_LAYER_DETAILED,
                state=assessment_pb.LAYER_STATE_FAILED,
                reason=assessment_pb.LAYER_REASON_OUT_OF_TIME,
            ),
        ],
        common_sense=assessment_pb.CommonSenseReport(
            makes_logical_sense=True,
            verdict=assessment_pb.COMMON_SENSE_VERDICT_LIKELY_FABRICATED,
            concerns=[assessment_pb.ASSESSMENT_REASON_KIND_FABRICATED],
            answers=[
                assessment_pb.CommonSenseAnswer(
                    question="Is something made up?",
                    kind=assessment_pb.ASSESSMENT_REASON_KIND_FABRICATED,
                    answered=True,
                    shares=detection_pb.Stance(yes=0.9, no=0.1, label_mass=0.8),
                    concern=0.9,
                )
            ],
        ),
        claims=[detection_pb.AnswerClaim(claim=claim, verdict=verdict("0.75"))],
        user_text=assessment_pb.UserText(badge="Confidence: 75%", text="Check what matters:"),
        language="en",
        run=RUN,
    )
    response.layers[0].duration.FromMilliseconds(3)
    return response


def similarity_response() -> similarity_pb.CheckSimilarityResponse:
    """The plain answer on ANSWER, of which the first sentence is supported."""
    return similarity_pb.CheckSimilarityResponse(
        sentences=[
            similarity_pb.ComparedSentence(
                text="It rained.",
                span=detection_pb.Span(start=0, end=10),
                similarity=0.75,
                context_index=1,
                supported=True,
            ),
            similarity_pb.ComparedSentence(
                text="It snowed.", span=detection_pb.Span(start=11, end=21), similarity=-0.25
            ),
        ],
        short_sentences=1,
        hallucination_score=0.5,
        threshold=0.6,
        embedder="tiny",
        total_duration=Duration(seconds=1, nanos=500_000_000),
    )


def queued() -> output_pb.VerificationStatus:
    return output_pb.VerificationStatus(id=OUTPUT_ID, state=output_pb.VERIFICATION_STATE_QUEUED)


PLAIN: Mapping[str, Callable[[Any], Message]] = {
    "EstimateProbability": lambda request: estimate_response(request.claim),
    "BatchEstimate": lambda request: batch_response(*request.claims),
    "GetServerInfo": lambda _: info_response(),
    "ExtractClaims": lambda request: extract_response(request.text),
    "VerifyClaims": lambda request: claims_response(*(claim.text for claim in request.claims)),
    "VerifyAnswer": lambda request: answer_response(request.answer),
    "AuditTrace": lambda request: audit_response(*request.steps),
    "CheckFacts": lambda request: gate_response(*request.facts),
    "AssessResponse": lambda _: assessment(),
    "CheckSimilarity": lambda _: similarity_response(),
    "SubmitVerification": lambda _: output_pb.SubmitVerificationResponse(status=queued()),
    "GetVerification": lambda _: output_pb.GetVerificationResponse(status=queued()),
    "RecordFeedback": lambda _: feedback_pb.RecordFeedbackResponse(replaced=True),
    "EraseDetections": lambda _: feedback_pb.EraseDetectionsResponse(
        feedback=1, outputs=2, audit_lines=3
    ),
}
"""The answer to a request by the name of its method; streams are the server's own."""
