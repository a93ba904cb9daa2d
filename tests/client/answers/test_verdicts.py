"""What the clients make of verdicts, and which ones they refuse."""

import pytest

from groundwire import (
    Budget,
    CitationRole,
    CitationStatus,
    ClaimInput,
    ConfidenceSource,
    DecidingPassage,
    DerivedOperation,
    DerivedValue,
    NonAssertiveReason,
    NonEvidence,
    OtherSource,
    PassageRelation,
    Policy,
    ReadPassage,
    Role,
    Run,
    SharedUsage,
    Source,
    SourceConflict,
    Span,
    SpanKind,
    Stance,
    Strictness,
    Thresholds,
    Timing,
    UnsupportedSpan,
    Verdict,
    VerdictReason,
)
from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.client.plain_answers import NO_PROBABILITY, changed, estimate, setting
from tests.client.scripted import AnyClient, ScriptedServer, settle

PASSAGE = pb.DecidingPassage(
    source_id="S1",
    span=pb.Span(start=4, end=8),
    text="text",
    relation=pb.PASSAGE_RELATION_CONTRADICTS,
    probability=0.25,
)


async def test_verdicts_keep_the_order_of_the_claims(client: AnyClient) -> None:
    result = await settle(client.verify_claims(["0.75", "0.125", NO_PROBABILITY], "context"))

    assert [each.verdict for each in result] == [
        Verdict.SUPPORTED,
        Verdict.UNSUPPORTED,
        Verdict.NOT_VERIFIED,
    ]


async def test_a_verdict_carries_its_probabilities(client: AnyClient) -> None:
    result = await settle(client.verify_claims(["0.75"], "context"))

    assert (result[0].p1, result[0].p0) == (0.75, 0.25)
    assert result[0].posterior is not None
    assert result[0].posterior.source is Source.MODEL


async def test_a_verified_claim_has_the_text_that_was_sent(client: AnyClient) -> None:
    result = await settle(client.verify_claims(["0.75", ClaimInput("0.125")], "context"))

    assert [each.content for each in result] == ["0.75", "0.125"]


async def test_a_claim_that_was_not_read_has_no_probability(client: AnyClient) -> None:
    result = await settle(client.verify_claims([NO_PROBABILITY], "context"))

    assert (result[0].p1, result[0].gap_bits) == (None, None)
    assert result[0].budget is None


async def test_a_verdict_carries_its_words_and_citations(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(
        changed(
            setting(
                warning="careful",
                citation_status=pb.CITATION_STATUS_UNKNOWN,
                cited_ids=["S0", "S9"],
                unknown_ids=["S9"],
            ),
            NO_PROBABILITY,
        )
    )

    result = (await settle(client.verify_claims(["0.5"], "context")))[0]

    assert result.reason is VerdictReason.LABEL_MASS_BELOW_FLOOR
    assert (result.reason_text, result.warning) == ("the reason", "careful")
    assert result.citation_status is CitationStatus.UNKNOWN
    assert (result.cited_ids, result.unknown_ids) == (("S0", "S9"), ("S9",))


async def test_a_verdict_carries_its_budget(client: AnyClient) -> None:
    result = (await settle(client.verify_claims(["0.75"], "context")))[0]

    assert (result.confidence, result.confidence_source) == (0.95, ConfidenceSource.REQUEST)
    assert (result.grounding_score, result.evidence_use) == (0.5, 0.5)
    assert result.budget == Budget(
        required_bits=1.5,
        observed_bits=2.0,
        gap_bits=-0.5,
        required_exceeds_observed=False,
        required_nats=1.04,
        observed_nats=1.39,
        gap_nats=-0.35,
    )


def miscited(verdict: pb.ClaimVerdict) -> None:
    verdict.verdict, verdict.reason = pb.VERDICT_MISCITED, pb.VERDICT_REASON_OTHER_SOURCE
    verdict.grounded = False
    verdict.closed_book.CopyFrom(estimate("0.25"))
    verdict.other_sources.add(id="S1", probability=0.75, carries=True)
    verdict.other_sources.add(id="S2")


async def test_a_miscited_claim_names_the_source_that_carries_it(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(changed(miscited))

    result = (await settle(client.verify_claims(["0.5"], "context")))[0]

    assert (result.verdict, result.grounded) == (Verdict.MISCITED, False)
    assert result.closed_book is not None
    assert result.closed_book.probability == 0.25
    assert result.other_sources == (OtherSource("S1", 0.75, True), OtherSource("S2", None, False))
    assert result.carried_by == ("S1",)


def corroborated(verdict: pb.ClaimVerdict) -> None:
    verdict.reason = pb.VERDICT_REASON_CORROBORATED
    verdict.closed_book.CopyFrom(estimate("0.25"))
    verdict.cited_alone.CopyFrom(estimate("0.75"))
    verdict.other_sources.add(id="S1", probability=0.75, carries=True)


async def test_a_corroborated_claim_is_supported_and_names_what_says_the_same(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(changed(corroborated))

    result = (await settle(client.verify_claims(["0.5"], "context")))[0]

    assert (result.verdict, result.reason) == (Verdict.SUPPORTED, VerdictReason.CORROBORATED)
    assert result.cited_alone is not None
    assert result.cited_alone.probability == 0.75
    assert result.carried_by == ("S1",)


async def test_a_miscited_claim_may_name_a_source_that_disagrees(
    client: AnyClient, server: ScriptedServer
) -> None:
    def change(verdict: pb.ClaimVerdict) -> None:
        miscited(verdict)
        verdict.conflicts.add(passage=PASSAGE, newer_id="S1")

    server.script(changed(change))
    (result,) = await settle(client.verify_claims(["0.5"], "context"))
    assert [each.passage.source_id for each in result.conflicts] == ["S1"]


async def test_a_supported_claim_names_the_sources_that_disagree(
    client: AnyClient, server: ScriptedServer
) -> None:
    conflict = pb.SourceConflict(passage=PASSAGE, newer_id="S1")
    server.script(changed(setting(conflicts=[conflict])))
    (result,) = await settle(client.verify_claims(["0.75"], "context"))
    told = DecidingPassage("S1", Span(4, 8), "text", PassageRelation.CONTRADICTS, 0.25)
    assert result.conflicts == (SourceConflict(told, "S1"),)
    assert result.grounded


async def test_a_verdict_carries_what_was_asked_beside(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(
        changed(
            setting(
                stance=pb.Stance(yes=0.5, no=0.25, unsure=0.25, label_mass=0.75),
                citation_roles=[
                    pb.CitationRole(id="S0", role=pb.ROLE_REDUNDANT, drop=-0.5, alone=0.0),
                    pb.CitationRole(id="S1"),
                ],
                prior_title_ids=["S0"],
                unstated_values=["50,000"],
                derived_values=[
                    pb.DerivedValue(
                        value="62",
                        operation=pb.DERIVED_OPERATION_SUM,
                        operands=["14", "48"],
                    )
                ],
                read_passages=[pb.ReadPassage(source_id="S0", span=pb.Span(start=4, end=90))],
                deciding_passages=[PASSAGE],
                unsupported_spans=[
                    pb.UnsupportedSpan(span=pb.Span(start=0, end=1), kind=pb.SPAN_KIND_NUMBER),
                    pb.UnsupportedSpan(span=pb.Span(start=0, end=3)),
                ],
                explained=True,
            )
        )
    )

    result = (await settle(client.verify_claims(["0.5"], "context")))[0]

    assert result.stance == Stance(yes=0.5, no=0.25, unsure=0.25, label_mass=0.75)
    assert result.citation_roles == (
        CitationRole("S0", Role.REDUNDANT, -0.5, 0.0),
        CitationRole("S1", None, None, None),
    )
    assert result.prior_title_ids == ("S0",)
    assert result.unstated_values == ("50,000",)
    assert result.derived_values == (DerivedValue("62", DerivedOperation.SUM, ("14", "48")),)
    assert result.read_passages == (ReadPassage("S0", Span(4, 90)),)
    assert result.deciding_passages == (
        DecidingPassage("S1", Span(4, 8), "text", PassageRelation.CONTRADICTS, 0.25),
    )
    assert result.unsupported_spans == (
        UnsupportedSpan(Span(0, 1), SpanKind.NUMBER),
        UnsupportedSpan(Span(0, 3), None),
    )
    assert result.explained


async def test_a_result_says_what_was_done(client: AnyClient) -> None:
    result = await settle(client.verify_claims(["0.75"], "context"))

    assert result.run == Run(
        policy=Policy.BUDGET,
        thresholds=Thresholds(0.95, 0.5, 0.125, 0.0, 0.5, 0.25, 0.75, 0.5, 0.5, 0.25, 0.375),
        strictness=Strictness.STRICT,
        model="tiny",
        prompt_version="yes-no/1",
        backend="main",
        usage=SharedUsage(4, 80, 50, 48, 16),
        timing=Timing(queue_s=0.25, inference_s=1.5, total_s=2.0),
        non_evidence=(NonEvidence("S0", Span(3, 9), NonAssertiveReason.QUESTION),),
        skip_non_evidence=True,
        detection_id="0123456789abcdef0123456789abcdef",
    )


async def test_results_are_values(client: AnyClient) -> None:
    first = await settle(client.verify_claims(["0.75"], "context"))
    second = await settle(client.verify_claims(["0.75"], "context"))

    assert first == second
    assert hash(first) == hash(second)


@pytest.mark.parametrize("number", [0, 99])
async def test_values_of_a_newer_server_are_unknown(
    client: AnyClient, server: ScriptedServer, number: int
) -> None:
    def change(message: pb.ClaimVerdict) -> None:
        message.grounded = False
        for field in ("verdict", "reason", "citation_status", "confidence_source"):
            setattr(message, field, number)

    response = changed(change)
    response.run.policy = number  # type: ignore[assignment]
    server.script(response)

    result = await settle(client.verify_claims(["0.5"], "context"))

    assert result[0].verdict is Verdict.UNKNOWN
    assert result[0].reason is VerdictReason.UNKNOWN
    assert result[0].citation_status is CitationStatus.UNRECOGNISED
    assert result[0].confidence_source is ConfidenceSource.UNKNOWN
    assert result.run.policy is Policy.UNKNOWN
