"""Cells of tables that say otherwise than a claim; the engine believes each claim."""

from collections.abc import AsyncIterator

import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.scripted import Scripted, scripted_server
from tests.scripted_services.detection import believes, documents, verify_answer

TABLE = "| Plan | SSO |\n|---|---|\n| Lite | ✗ |\n| Pro | ✓ |"
RIGHT, WRONG = "Pro includes SSO.", "Lite includes SSO."


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server() as served:
        served.engine.answer = believes({RIGHT: "SSO", WRONG: "SSO"})
        yield served


async def test_a_claim_that_a_cell_denies_is_contradicted_however_it_reads(
    served: Scripted,
) -> None:
    response = await verify_answer(served, f"{RIGHT} {WRONG}", documents(TABLE))
    right, wrong = (each.verdict for each in response.claims)
    assert right.verdict == pb.VERDICT_SUPPORTED
    assert wrong.verdict == pb.VERDICT_CONTRADICTED
    assert wrong.reason == pb.VERDICT_REASON_CELL_SAYS_OTHERWISE
    assert "Lite, SSO: ✗" in wrong.reason_text
    assert not response.summary.overall_grounded


async def test_a_table_of_another_source_disagrees_and_changes_no_verdict(
    served: Scripted,
) -> None:
    evidence = documents(WRONG, TABLE)
    response = await verify_answer(served, f"{WRONG[:-1]} [S0].", evidence)
    (claim,) = response.claims
    assert claim.verdict.verdict == pb.VERDICT_SUPPORTED
    assert [each.passage.source_id for each in claim.verdict.conflicts] == ["S1"]

    response = await verify_answer(served, f"{WRONG[:-1]} [S1].", evidence)
    assert response.claims[0].verdict.verdict != pb.VERDICT_SUPPORTED
