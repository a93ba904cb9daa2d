"""What a chatbot is told of a report on its answer, claim by claim."""

from dataclasses import replace

from groundwire import (
    AnswerClaim,
    Correction,
    DecidingPassage,
    Edit,
    EditKind,
    PassageRelation,
    Policy,
    SourceConflict,
    Span,
    SpanKind,
    Strictness,
    UnsupportedSpan,
    Verdict,
    VerdictReason,
    VerifyOptions,
)
from groundwire_server.doors.chatbot.shape import (
    CheckedSource,
    CheckOptions,
    HallucinationCheckRequest,
    HallucinationCheckResponse,
    checked_response,
    verify_options,
)
from tests.server.reports.answer_reports import checked, claim, verdict

ANSWER = "Hello! The tower is tall [S0]. It is red [S1]. It is old [S7]. It is wide."
TALL = claim(ANSWER, "The tower is tall", verdict(p1=0.92, p0=0.25, cited=["S0"]))
RED = claim(
    ANSWER,
    "It is red",
    verdict(Verdict.UNSUPPORTED, p1=0.45, p0=0.42, cited=["S1"], warning="No support."),
)
HELLO = claim(
    ANSWER,
    "Hello!",
    replace(verdict(Verdict.NOT_VERIFIED), reason=VerdictReason.NON_ASSERTIVE),
)
WIDE = claim(
    ANSWER,
    "It is wide",
    replace(
        verdict(Verdict.NOT_VERIFIED, warning="Not checked."),
        reason=VerdictReason.BEYOND_MAX_CLAIMS,
    ),
)
REQUEST = HallucinationCheckRequest(
    answer=ANSWER,
    sources=(
        CheckedSource(id="S0", text="It is 300 m tall."),
        CheckedSource(id="S1", text="Paint."),
    ),
)


def told(*claims: AnswerClaim, warning: str = "") -> HallucinationCheckResponse:
    return checked_response(REQUEST, checked(ANSWER, claims, warning=warning).report)


def test_a_claim_that_was_asked_about_is_told_with_what_explains_it() -> None:
    passage = DecidingPassage("S0", Span(4, 9), "is 330", PassageRelation.CONTRADICTS, 0.1)
    tall = replace(
        TALL,
        deciding_passages=(passage,),
        unsupported_spans=(UnsupportedSpan(Span(20, 24), SpanKind.DETAIL),),
        conflicts=(SourceConflict(passage, "S1"),),
        explained=True,
    )
    request = REQUEST.model_copy(update={"options": CheckOptions(explain=True)})
    shown = checked_response(request, checked(ANSWER, [tall]).report)
    quoted = {
        "source_id": "S0",
        "text": "is 330",
        "start": 4,
        "end": 9,
        "relation": "CONTRADICTS",
        "probability": 0.1,
    }
    (claim,) = shown.hallucination_check.claims
    assert claim.explanation is not None
    assert claim.explanation.model_dump() == {
        "deciding_passages": (quoted,),
        "unsupported": (
            {"kind": "DETAIL", "start": 20, "end": 24, "start_utf16": 20, "end_utf16": 24},
        ),
        "conflicts": ({**quoted, "newer_id": "S1"},),
        "complete": True,
    }


def test_a_correction_counts_the_claims_that_are_listed() -> None:
    edit = Edit(Span(29, 44), "", EditKind.SENTENCE_LEFT_OUT, claim_index=2)
    report = replace(
        checked(ANSWER, [HELLO, TALL, RED, WIDE]).report,
        correction=Correction("Hello!", (edit,), None, untried_claims=(3,)),
    )
    shown = checked_response(REQUEST, report)
    assert shown.correction is not None
    assert shown.correction.model_dump() == {
        "corrected_answer": "Hello!",
        "edits": (
            {
                "claim": 1,
                "kind": "SENTENCE_LEFT_OUT",
                "start": 29,
                "end": 44,
                "start_utf16": 29,
                "end_utf16": 44,
                "replacement": "",
                "source_id": "",
                "probability": None,
            },
        ),
        "overall_grounded": None,
        "untried_claims": (2,),
    }


def test_what_is_asked_of_the_server_is_what_the_requirement_has() -> None:
    assert verify_options(REQUEST, 1000) == VerifyOptions(
        policy=Policy.GROUNDING_SCORE,
        max_claims=10,
        min_claim_characters=15,
        split_long_context=True,
    )


def test_options_change_what_is_asked_of_the_server() -> None:
    options = CheckOptions(
        policy="budget",
        strictness="strict",
        max_claims=30,
        max_contradicted=0,
        split_long_context=False,
    )
    request = REQUEST.model_copy(update={"options": options})
    assert verify_options(request, 1000) == VerifyOptions(
        policy=Policy.BUDGET,
        strictness=Strictness.STRICT,
        max_claims=30,
        max_contradicted=0,
        min_claim_characters=15,
        split_long_context=False,
    )


def test_null_is_as_good_as_left_out_where_a_field_may_be() -> None:
    body = (
        '{"answer": "A.", "sources": [{"id": "S0", "text": "t", "title": null}],'
        ' "question": null, "language": null}'
    )
    request = HallucinationCheckRequest.model_validate_json(body)
    assert request == HallucinationCheckRequest(
        answer="A.", sources=(CheckedSource(id="S0", text="t"),)
    )
