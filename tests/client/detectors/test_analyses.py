"""What the clients make of an analysis, and which ones they refuse."""

from datetime import date

import pytest

from groundwire import (
    AsyncClient,
    Contradiction,
    EvidenceReason,
    EvidenceVerdict,
    InvalidRequestError,
    Penalty,
    Relation,
    RelationDecidedBy,
    Verdict,
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


async def test_an_analysis_has_every_claim_with_its_evidence_and_numbers() -> None:
    async with analyzing() as served, AsyncClient(served.running.target) as client:
        served.engine.answer = reads
        analysis = await client.analyze_text(TEXT, "python")

    removed, optional = analysis
    assert removed.verdict is EvidenceVerdict.HALLUCINATED
    assert removed.reason is EvidenceReason.CONTRADICTED
    assert removed.contradictions == (Contradiction.DIRECT_NEGATION,)
    against = removed.evidence[0]
    assert (against.document, against.relation) == ("gil.md", Relation.CONTRADICTS)
    assert (against.dated, against.is_old) == (date(2020, 1, 1), True)
    assert against.decided_by is RelationDecidedBy.MODEL
    assert removed.numbers is not None
    ((penalty, points),) = removed.numbers.penalties
    assert penalty is Penalty.CONTRADICTION
    assert points == pytest.approx(0.6)
    assert optional.verdict is EvidenceVerdict.GROUNDED
    assert optional.budget is not None
    assert optional.budget.verdict is Verdict.SUPPORTED
    assert "people decide" in analysis.notice
    assert analysis.corpus == "python"
    assert analysis.rules.hallucination_threshold == pytest.approx(0.3)
    assert analysis.uncertain == ()


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
