"""What the clients make of the claims of a text."""

from groundwire import (
    ConfidenceSource,
    Extraction,
    ExtractOptions,
)
from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.client.plain_answers import extract_response
from tests.client.scripted import AnyClient, ScriptedServer, settle

TEXT = "Probably one [S0]."


def response() -> pb.ExtractClaimsResponse:
    """One claim of TEXT."""
    claim = pb.Claim(
        content="one",
        span=pb.Span(start=9, end=12),
        citations=[pb.Citation(span=pb.Span(start=13, end=17), ids=["S0", "S0", "S1"])],
        confidence=0.75,
        confidence_source=pb.CONFIDENCE_SOURCE_INFERRED,
        language="en",
    )
    return pb.ExtractClaimsResponse(claims=[claim], language="en")


async def test_a_span_cuts_its_characters_from_the_text(client: AnyClient) -> None:
    text = "\U0001f600 \u05d0\u05d7\u05d3 two"

    result = await settle(client.extract_claims(text))

    assert [claim.span.of(text) for claim in result] == text.split()


async def test_a_claim_names_each_cited_id_once(client: AnyClient, server: ScriptedServer) -> None:
    server.script(response())

    result = await settle(client.extract_claims(TEXT))

    assert result[0].cited_ids == ("S0", "S1")


async def test_a_text_that_does_not_say_how_sure_it_is_has_the_default(client: AnyClient) -> None:
    claim = (await settle(client.extract_claims("one")))[0]

    assert (claim.confidence, claim.confidence_source) == (0.95, ConfidenceSource.DEFAULT)
    assert claim.stated_confidence is None


async def test_a_text_without_claims_has_an_empty_result(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(extract_response(""))

    assert list(await settle(client.extract_claims("!", options=ExtractOptions()))) == []


async def test_a_server_that_does_not_say_it_has_rules_only(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(response())

    assert (await settle(client.extract_claims(TEXT))).extraction == Extraction()
