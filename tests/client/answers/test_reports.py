"""What the clients make of the report on an answer, and which ones they refuse."""

import importlib.util
import json
from dataclasses import replace
from datetime import date

import pytest

from groundwire import (
    NonAssertiveReason,
    RetrievedSource,
    Span,
    Verdict,
)
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.reports.as_json import json_value
from tests.client.plain_answers import NO_PROBABILITY, answer_response, unverified
from tests.client.scripted import AnyClient, ScriptedServer, settle
from tests.server.reports.answer_reports import checked, claim, verdict

ANSWER = "0.75 0.5 0.125"


async def test_a_report_holds_the_claims_in_the_order_of_the_answer(client: AnyClient) -> None:
    report = await settle(client.verify_answer(ANSWER, "context"))

    assert [(each.content, each.p1) for each in report] == [
        ("0.75", 0.75),
        ("0.5", 0.5),
        ("0.125", 0.125),
    ]
    assert report[1].span == Span(5, 8)


async def test_the_confidence_of_a_claim_is_the_one_that_is_asked_for(
    client: AnyClient, server: ScriptedServer
) -> None:
    response = answer_response("0.75 0.5")
    response.claims[0].claim.confidence = 0.5
    response.claims[0].claim.confidence_source = pb.CONFIDENCE_SOURCE_STATED
    server.script(response)

    stated, plain = await settle(client.verify_answer("0.75 0.5", "context"))

    assert (stated.confidence, stated.text_confidence) == (0.95, 0.5)
    assert (plain.confidence, plain.text_confidence) == (0.95, None)


async def test_a_report_has_its_claims_worst_first(
    client: AnyClient, server: ScriptedServer
) -> None:
    response = answer_response("0.75 0.4375")
    response.claims[1].verdict.verdict = pb.VERDICT_UNCERTAIN
    response.summary.uncertain_claims = 1
    response.summary.review_order[:] = [1, 0]
    server.script(response)

    report = await settle(client.verify_answer("0.75 0.4375", "context"))

    assert [each.verdict for each in report.worst_first] == [Verdict.UNCERTAIN, Verdict.SUPPORTED]
    assert report.summary.uncertain_claims == 1
    assert not report[1].grounded


async def test_a_server_that_knows_no_uncertain_verdict_has_fewer_thresholds(
    client: AnyClient, server: ScriptedServer
) -> None:
    response = answer_response(ANSWER)
    for name in ("max_unsupported_posterior", "min_miscitation"):
        response.run.thresholds.ClearField(name)
    server.script(response)

    thresholds = (await settle(client.verify_answer(ANSWER, "context"))).run.thresholds

    assert (thresholds.max_unsupported_posterior, thresholds.min_miscitation) == (None, None)


def contradicted(most: int | None) -> pb.VerifyAnswerResponse:
    """An answer that is grounded with one contradicted claim of two."""
    response = answer_response("0.75 0.25")
    response.claims[1].verdict.verdict = pb.VERDICT_CONTRADICTED
    response.claims[1].verdict.reason = pb.VERDICT_REASON_MODEL_SAYS_NO
    response.claims[1].verdict.stance.no = 0.75
    response.run.thresholds.ClearField("max_contradicted")
    if most is not None:
        response.run.thresholds.max_contradicted = most
    return response


@pytest.mark.parametrize("most", [None, 1])
async def test_a_report_counts_its_contradicted_claims(
    client: AnyClient, server: ScriptedServer, most: int | None
) -> None:
    server.script(contradicted(most))

    report = await settle(client.verify_answer("0.75 0.25", "context"))

    assert (report.overall_grounded, report.contradicted_claims) == (True, 1)
    assert report.run.thresholds.max_contradicted == most


async def test_an_answer_may_have_no_claims(client: AnyClient, server: ScriptedServer) -> None:
    response = answer_response(ANSWER)
    del response.claims[:]
    response.summary.CopyFrom(pb.AnswerSummary(language="en"))
    server.script(response)

    report = await settle(client.verify_answer(ANSWER, "context"))

    assert len(report) == 0
    assert not report.overall_grounded


async def test_a_skipped_claim_does_not_count(client: AnyClient, server: ScriptedServer) -> None:
    response = answer_response(f"0.75 {NO_PROBABILITY}")
    response.summary.total_claims = response.summary.skipped_claims = 1
    response.summary.grounding_ratio = 1.0
    server.script(response)

    report = await settle(client.verify_answer(f"0.75 {NO_PROBABILITY}", "context"))

    assert report.grounding_ratio == 1.0
    assert report[1].verdict is Verdict.NOT_VERIFIED


def skipping(
    reason: str, kind: str = "NON_ASSERTIVE_REASON_UNSPECIFIED"
) -> pb.VerifyAnswerResponse:
    """A grounded claim, and one that was skipped for a reason."""
    response = answer_response(f"0.75 {NO_PROBABILITY}")
    skipped = pb.AnswerClaim(
        claim=pb.Claim(non_assertive_reason=kind), verdict=pb.ClaimVerdict(reason=reason)
    )
    response.claims[1].MergeFrom(skipped)
    response.summary.total_claims = response.summary.skipped_claims = 1
    response.summary.grounding_ratio = 1.0
    response.summary.unverified[0].CopyFrom(unverified(1, reason, kind))
    return response


async def test_a_kind_of_skip_that_is_newer_than_the_client_is_unknown(
    client: AnyClient, server: ScriptedServer
) -> None:
    response = skipping("VERDICT_REASON_NON_ASSERTIVE", "NON_ASSERTIVE_REASON_CODE")
    # Generated enums are open: a newer server's numbers arrive as they are.
    response.claims[1].claim.non_assertive_reason = 99  # type: ignore[assignment]
    response.summary.unverified[0].non_assertive_reason = 99  # type: ignore[assignment]
    server.script(response)

    report = await settle(client.verify_answer(f"0.75 {NO_PROBABILITY}", "context"))

    assert report.summary.unverified[0].non_assertive_reason is NonAssertiveReason.UNKNOWN


HOSTILE = '<img src=x onerror="alert(1)"> & so on'
ADA = claim("Ada", "Ada", verdict(p1=0.9, p0=0.2))
CLAIMS = [ADA, replace(ADA, content=HOSTILE)]
REPORT = checked("Ada", CLAIMS).report
DATED = RetrievedSource("P1", "a.md", "", "A text.", Span(0, 7), 0.5, date(2026, 11, 27), "name")


def test_a_report_is_a_dict_that_json_takes_with_p1_p0_and_bits_of_each_claim() -> None:
    report = replace(REPORT, sources=(DATED,))
    found = json.loads(json.dumps(report.to_dict()))
    assert list(found) == ["claims", "summary", "run", "extraction", "sources", "correction"]
    first = found["claims"][0]
    assert [first[key] for key in ("content", "verdict", "p1", "p0", "gap_bits")] == [
        *("Ada", CLAIMS[0].verdict, CLAIMS[0].p1, CLAIMS[0].p0, CLAIMS[0].gap_bits)
    ]
    assert first["budget"]["required_bits"] == CLAIMS[0].required_bits
    assert found["sources"][0]["dated"] == "2026-11-27"


def test_the_command_line_writes_the_claims_of_the_same_dict() -> None:
    assert json_value(checked("Ada", CLAIMS))["claims"] == REPORT.to_dict()["claims"]


async def test_verified_claims_are_a_dict_too(client: AnyClient) -> None:
    result = await settle(client.verify_claims(["0.75", "0.25"], "context"))
    found = json.loads(json.dumps(result.to_dict()))
    assert [each["p1"] for each in found["claims"]] == [0.75, 0.25]
    assert found["run"]["model"] == result.run.model


def test_a_notebook_shows_every_claim_and_runs_nothing_of_it() -> None:
    page = REPORT._repr_html_()
    assert page.count("<tr>") == len(CLAIMS) + 1
    assert "The answer is " in page
    assert f"{CLAIMS[0].p1:.2f}" in page
    assert "<img" not in page
    assert "&lt;img" in page


def test_the_direction_of_a_text_in_a_notebook_is_its_own() -> None:
    hebrew = replace(CLAIMS[0], content="המגדל גבוה")
    assert 'dir="auto" style="text-align: start">המגדל גבוה<' in (
        replace(REPORT, claims=(hebrew,))._repr_html_()
    )


def test_without_pandas_a_data_frame_says_what_to_install() -> None:
    if importlib.util.find_spec("pandas") is not None:
        pytest.skip("pandas is installed here")
    with pytest.raises(ImportError, match=r"to_pandas needs pandas.*pip install pandas"):
        REPORT.to_pandas()
