"""What the clients make of the report on an answer, and which ones they refuse."""

from collections.abc import Callable

import pytest

from groundwire import AnswerSummary, InvalidResponseError, Span, Verdict
from groundwire.v1 import hallucination_detection_pb2 as pb

from .scripted import NO_PROBABILITY, AnyClient, settle
from .scripted_detection import DetectionServer, answer_response

Change = Callable[[pb.VerifyAnswerResponse], object]
ANSWER = "0.75 0.5 0.125"


async def test_a_report_holds_the_claims_in_the_order_of_the_answer(client: AnyClient) -> None:
    report = await settle(client.verify_answer(ANSWER, "context"))

    assert [(each.claim.content, each.verdict.p1) for each in report] == [
        ("0.75", 0.75),
        ("0.5", 0.5),
        ("0.125", 0.125),
    ]
    assert report[1].claim.span == Span(5, 8)


async def test_a_report_sums_up_the_answer(client: AnyClient) -> None:
    report = await settle(client.verify_answer("0.75 0.25", "context"))

    assert report.summary == AnswerSummary(
        overall_grounded=True,
        grounded_claims=1,
        total_claims=2,
        grounding_ratio=0.5,
        warning="the warning",
        language="en",
        skipped_claims=0,
    )
    assert (report.overall_grounded, report.grounding_ratio) == (True, 0.5)
    assert report.warning == "the warning"


async def test_a_report_says_what_was_done(client: AnyClient) -> None:
    report = await settle(client.verify_answer(ANSWER, "context"))

    assert (report.run.model, report.run.usage.computed_tokens) == ("tiny", 50)


async def test_an_answer_may_have_no_claims(client: AnyClient, server: DetectionServer) -> None:
    response = answer_response(ANSWER)
    del response.claims[:]
    response.summary.CopyFrom(pb.AnswerSummary(language="en"))
    server.script(response)

    report = await settle(client.verify_answer(ANSWER, "context"))

    assert len(report) == 0
    assert not report.overall_grounded


async def test_a_skipped_claim_does_not_count(client: AnyClient, server: DetectionServer) -> None:
    response = answer_response(f"0.75 {NO_PROBABILITY}")
    response.summary.total_claims = response.summary.skipped_claims = 1
    response.summary.grounding_ratio = 1.0
    server.script(response)

    report = await settle(client.verify_answer(f"0.75 {NO_PROBABILITY}", "context"))

    assert report.grounding_ratio == 1.0
    assert report[1].verdict.verdict is Verdict.NOT_VERIFIED


def summary(**values: object) -> Change:
    """Sets fields of the summary."""

    def change(response: pb.VerifyAnswerResponse) -> None:
        for name, value in values.items():
            setattr(response.summary, name, value)

    return change


def nothing_verified(response: pb.VerifyAnswerResponse) -> None:
    """Skips every claim, and says that the answer is grounded all the same."""
    response.CopyFrom(answer_response(NO_PROBABILITY))
    response.claims[0].claim.span.CopyFrom(pb.Span(start=0, end=4))
    response.summary.overall_grounded = True
    response.run.thresholds.overall_from = 0.0


REFUSED: dict[str, tuple[Change, str]] = {
    "no summary": (lambda response: response.ClearField("summary"), "without summary"),
    "no run": (lambda response: response.ClearField("run"), "without run"),
    "a claim without a verdict": (
        lambda response: response.claims[1].ClearField("verdict"),
        "AnswerClaim without verdict",
    ),
    "a verdict without a claim": (
        lambda response: response.claims[1].ClearField("claim"),
        "AnswerClaim without claim",
    ),
    "a span beyond the answer": (
        lambda response: response.claims[2].claim.span.CopyFrom(pb.Span(start=9, end=15)),
        "in a text of 14 characters",
    ),
    "more grounded claims than there are": (
        summary(grounded_claims=3),
        "3 grounded claims in the summary, 2 in the report",
    ),
    "claims that are not in the report": (
        summary(total_claims=4),
        "4 claims and 0 skipped ones in the summary, 3 in the report",
    ),
    "less than no skipped claims": (summary(total_claims=4, skipped_claims=-1), "-1 skipped"),
    "a ratio above one": (summary(grounding_ratio=1.5), "a grounding_ratio of 1.5"),
    "a ratio that does not fit": (summary(grounding_ratio=1.0), "for 2 of 3 claims"),
    "grounded below the threshold": (
        lambda response: setattr(response.run.thresholds, "overall_from", 0.75),
        "below 0.75",
    ),
    "grounded with nothing verified": (nothing_verified, "without a claim that was verified"),
}


@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED)
async def test_a_report_that_breaks_the_contract_is_refused(
    client: AnyClient, server: DetectionServer, change: Change, message: str
) -> None:
    response = answer_response(ANSWER)
    change(response)
    server.script(response)

    with pytest.raises(InvalidResponseError, match=message):
        await settle(client.verify_answer(ANSWER, "context"))
