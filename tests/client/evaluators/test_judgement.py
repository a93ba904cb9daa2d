"""From a report to what an evaluation says of its answer, without any framework."""

import copy
import pickle
from collections.abc import Iterator
from dataclasses import replace

import pytest

from groundwire import (
    AnswerReport,
    Client,
    Correction,
    DecidingPassage,
    PassageRelation,
    Policy,
    Span,
    SpanKind,
    Thresholds,
    UnsupportedSpan,
    Verdict,
    VerdictReason,
    VerifyOptions,
)
from groundwire.evaluators.judgement import UNREAD, NotVerifiedError, judge, with_threshold
from tests.client.scripted import ScriptedServer


@pytest.fixture
def blocking(server: ScriptedServer) -> Iterator[Client]:
    with Client(server.target) as client:
        yield client


def unverified(report: AnswerReport, index: int, reason: VerdictReason) -> AnswerReport:
    """The report with one claim that is not verified for a reason."""
    claims = list(report.claims)
    claims[index] = replace(
        claims[index], verdict=Verdict.NOT_VERIFIED, reason=reason, grounded=False
    )
    return replace(report, claims=tuple(claims))


def test_the_score_and_whether_it_passes_are_the_servers(blocking: Client) -> None:
    report = blocking.verify_answer("0.75 0.25")

    judgement = judge(report)

    assert judgement.score == report.grounding_ratio
    assert judgement.grounded == report.overall_grounded
    assert judgement.report is report


def abstaining(report: AnswerReport) -> AnswerReport:
    summary = replace(report.summary, abstained=True, total_claims=0, overall_grounded=False)
    return replace(report, claims=(), summary=summary)


def test_an_answer_that_abstains_passes_unless_it_is_told_not_to(blocking: Client) -> None:
    report = abstaining(blocking.verify_answer("0.75"))

    judgement = judge(report)

    assert (judgement.grounded, judgement.score, judgement.claims) == (True, 1.0, ())
    with pytest.raises(NotVerifiedError):
        judge(report, pass_abstentions=False)


def test_the_reason_counts_and_names_what_is_not_grounded(blocking: Client) -> None:
    assert judge(blocking.verify_answer("0.75 0.25")).reason == (
        "1 of 2 claims are grounded.\nUNSUPPORTED (LOW_POSTERIOR): 0.25"
    )


def test_the_reason_tells_what_explains_a_claim_that_is_not_grounded(blocking: Client) -> None:
    report = blocking.verify_answer("0.75 0.25")
    passage = DecidingPassage("S0", Span(0, 6), "It is.", PassageRelation.CONTRADICTS, 0.1)
    explained = [
        replace(
            each,
            unsupported_spans=(UnsupportedSpan(each.span, SpanKind.NUMBER),),
            deciding_passages=(passage,),
        )
        for each in report
    ]
    assert judge(replace(report, claims=tuple(explained))).reason == (
        "1 of 2 claims are grounded.\nUNSUPPORTED (LOW_POSTERIOR): 0.25\n"
        "  not borne out: NUMBER, characters 5 to 9\n  CONTRADICTS, S0: It is."
    )


@pytest.mark.parametrize(("corrected", "told"), [("0.75", "0.75"), ("", "nothing is left")])
def test_the_reason_ends_with_the_corrected_answer(
    blocking: Client, corrected: str, told: str
) -> None:
    report = blocking.verify_answer("0.75 0.25")
    assert judge(report).corrected_answer is None
    judgement = judge(replace(report, correction=Correction(corrected, (), None)))
    assert judgement.corrected_answer == corrected
    assert judgement.reason.endswith(f"\nCorrected: {told}")


def test_the_reason_says_that_too_many_claims_are_contradicted(blocking: Client) -> None:
    report = blocking.verify_answer("0.75 0.25")
    claims = (report[0], replace(report[1], verdict=Verdict.CONTRADICTED))
    thresholds = replace(report.run.thresholds, max_contradicted=0)
    report = replace(report, claims=claims, run=replace(report.run, thresholds=thresholds))

    assert judge(report).reason == (
        "1 of 2 claims are grounded.\n1 are contradicted, and at most 0 may be.\n"
        "CONTRADICTED (LOW_POSTERIOR): 0.25"
    )


@pytest.mark.parametrize("reason", sorted(UNREAD))
def test_an_answer_with_a_claim_that_nobody_read_has_no_score(
    blocking: Client, reason: VerdictReason
) -> None:
    report = unverified(blocking.verify_answer("0.75 0.5"), 1, reason)

    with pytest.raises(NotVerifiedError, match=f"1 of 2 claims were left unread: 1 {reason}") as e:
        judge(report)

    assert e.value.report is report


def test_an_answer_without_a_verdict_has_no_score(blocking: Client) -> None:
    with pytest.raises(NotVerifiedError, match=r"no claim .* was verified: 1 LABEL_MASS_BELOW"):
        judge(blocking.verify_answer("none"))


def test_an_answer_without_claims_has_no_score(blocking: Client) -> None:
    report = replace(blocking.verify_answer("0.75"), claims=())
    with pytest.raises(NotVerifiedError, match=r"no claim of the answer was verified$"):
        judge(report)


def test_a_claim_that_was_read_in_vain_counts_as_not_grounded(blocking: Client) -> None:
    judgement = judge(blocking.verify_answer("0.75 none"))
    assert [claim.grounded for claim in judgement.claims] == [True, False]
    assert "NOT_VERIFIED (LABEL_MASS_BELOW_FLOOR): none" in judgement.reason


def test_a_claim_that_asserts_nothing_does_not_count(blocking: Client) -> None:
    report = unverified(blocking.verify_answer("0.75 0.5"), 1, VerdictReason.NON_ASSERTIVE)
    judgement = judge(report)
    assert [claim.content for claim in judgement.claims] == ["0.75"]


def test_what_raised_repeats_nothing_of_the_answer_and_can_be_copied(blocking: Client) -> None:
    with pytest.raises(NotVerifiedError) as found:
        judge(blocking.verify_answer("none none"))
    assert "none" not in str(found.value)
    assert str(copy.copy(found.value)) == str(found.value)
    assert str(pickle.loads(pickle.dumps(found.value))) == str(found.value)  # noqa: S301 - our own


def test_a_threshold_leaves_the_other_options_as_they_are() -> None:
    options = VerifyOptions(
        policy=Policy.BUDGET, thresholds=Thresholds(min_posterior=0.6, min_grounded_ratio=0.1)
    )
    changed = with_threshold(options, 0.9)
    assert changed.policy is Policy.BUDGET
    assert changed.thresholds == Thresholds(min_posterior=0.6, min_grounded_ratio=0.9)


def test_a_threshold_without_options_is_the_only_one() -> None:
    expected = VerifyOptions(thresholds=Thresholds(min_grounded_ratio=0.9))
    assert with_threshold(None, 0.9) == expected
