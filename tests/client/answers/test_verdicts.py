"""What the clients make of verdicts, and which ones they refuse."""

import pytest

from groundwire import (
    CitationStatus,
    ClaimInput,
    ConfidenceSource,
    OtherSource,
    Policy,
    Verdict,
    VerdictReason,
)
from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.client.plain_answers import NO_PROBABILITY, changed, estimate
from tests.client.scripted import AnyClient, ScriptedServer, settle

PASSAGE = pb.DecidingPassage(
    source_id="S1",
    span=pb.Span(start=4, end=8),
    text="text",
    relation=pb.PASSAGE_RELATION_CONTRADICTS,
    probability=0.25,
)


async def test_a_verified_claim_has_the_text_that_was_sent(client: AnyClient) -> None:
    result = await settle(client.verify_claims(["0.75", ClaimInput("0.125")], "context"))

    assert [each.content for each in result] == ["0.75", "0.125"]


async def test_a_claim_that_was_not_read_has_no_probability(client: AnyClient) -> None:
    result = await settle(client.verify_claims([NO_PROBABILITY], "context"))

    assert (result[0].p1, result[0].gap_bits) == (None, None)
    assert result[0].budget is None


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


async def test_a_miscited_claim_may_name_a_source_that_disagrees(
    client: AnyClient, server: ScriptedServer
) -> None:
    def change(verdict: pb.ClaimVerdict) -> None:
        miscited(verdict)
        verdict.conflicts.add(passage=PASSAGE, newer_id="S1")

    server.script(changed(change))
    (result,) = await settle(client.verify_claims(["0.5"], "context"))
    assert [each.passage.source_id for each in result.conflicts] == ["S1"]


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
