"""What the clients make of an analysis, and which ones they refuse."""

import pytest

from groundwire import (
    AsyncClient,
    EvidenceVerdict,
    InvalidRequestError,
    Relation,
)
from groundwire._calls.analyses import read_analysis
from groundwire.v1 import corpus_verification_pb2 as pb
from tests.scripted_services.corpus import OPTIONAL, REMOVED, analyze, analyzing, reads

TEXT = f"{REMOVED} {OPTIONAL}"


@pytest.fixture(scope="module")
async def analysed() -> pb.AnalyzeTextResponse:
    """A claim that is hallucinated, and one that is grounded."""
    async with analyzing() as served:
        served.engine.answer = reads
        return await analyze(served, TEXT)


@pytest.fixture
def response(analysed: pb.AnalyzeTextResponse) -> pb.AnalyzeTextResponse:
    """The same, for a test that changes it."""
    changed = pb.AnalyzeTextResponse()
    changed.CopyFrom(analysed)
    return changed


async def test_a_text_that_is_not_unicode_is_refused_before_it_is_sent() -> None:
    async with AsyncClient("127.0.0.1:1") as client:
        with pytest.raises(InvalidRequestError):
            await client.analyze_text("\ud800")


async def test_a_verdict_of_a_newer_server_is_unknown_and_never_grounded(
    response: pb.AnalyzeTextResponse,
) -> None:
    response.claims[1].verdict = 99  # type: ignore[assignment]
    response.claims[1].evidence[0].relation = 99  # type: ignore[assignment]
    claim = read_analysis(response, TEXT)[1]
    assert claim.verdict is EvidenceVerdict.UNKNOWN
    assert claim.evidence[0].relation is Relation.UNKNOWN
