"""Claims whose cited source says so, while another says the same, on a scripted engine."""

from collections.abc import AsyncIterator

import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.scripted import Scripted, scripted_server
from tests.scripted_services.detection import (
    BELIEVED,
    DOUBTED,
    believes,
    documents,
    verify_answer,
    verify_claims,
)

CHUNK = "The lease ends on 30 June. Rent is due on the first day of each month."
OVERLAP = "Rent is due on the first day of each month. Pets are allowed."
OTHER = "The building has three floors."
RENT, PETS = "Rent is due on the first day of each month.", "Pets are allowed."
HEBREW_CHUNK, HEBREW_OVERLAP = "החנות נפתחת בשמונה. החניה בתשלום.", "החניה בתשלום. הכניסה חופשית."
HEBREW = "החניה בתשלום."


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server() as served:
        served.engine.answer = believes({RENT: RENT, PETS: PETS, HEBREW: HEBREW})
        yield served


async def verdict_of(
    served: Scripted,
    claim: str,
    evidence: pb.Evidence,
    options: pb.VerifyOptions | None = None,
    cited: tuple[str, ...] = ("S0",),
) -> pb.ClaimVerdict:
    (found,) = await verify_claims(served, {claim: cited}, evidence, options)
    return found


@pytest.mark.parametrize(
    ("claim", "evidence", "reason"),
    [
        (
            RENT,
            documents(CHUNK, OVERLAP, OTHER),
            "probability 0.98 with the cited sources alone, and without any source 0.02; 0.95 is "
            "needed; others say the same: S1 alone gives 0.98",
        ),
        (
            HEBREW,
            documents(HEBREW_CHUNK, HEBREW_OVERLAP, OTHER),
            "הסתברות של 0.98 עם המקורות שהטענה מפנה אליהם לבדם, ובלי שום מקור 0.02; נדרשת הסתברות "
            "של 0.95; מקורות אחרים אומרים אותו דבר: S1 לבדו נותן 0.98",
        ),
    ],
)
async def test_a_right_citation_beside_an_overlapping_chunk_is_supported(
    served: Scripted, claim: str, evidence: pb.Evidence, reason: str
) -> None:
    found = await verdict_of(served, claim, evidence)
    assert found.verdict == pb.VERDICT_SUPPORTED
    assert found.reason == pb.VERDICT_REASON_CORROBORATED
    assert found.grounded
    assert not found.warning
    assert [other.id for other in found.other_sources if other.carries] == ["S1"]
    assert found.closed_book.probability < 0.5 < found.cited_alone.probability
    assert found.reason_text == reason


async def test_a_citation_of_a_chunk_that_does_not_say_so_stays_miscited(served: Scripted) -> None:
    found = await verdict_of(served, RENT, documents(OTHER, OVERLAP, CHUNK))
    assert found.reason == pb.VERDICT_REASON_OTHER_SOURCE
    assert found.cited_alone.probability < 0.5


async def test_two_cited_sources_that_carry_a_claim_only_together_are_read_together(
    served: Scripted,
) -> None:
    # A third holds both halves.
    first, second = "Rent is due on the first day.", "That holds for each month."

    def answer(prompt: str) -> tuple[float, ...]:
        context = prompt.partition("\nClaim: ")[0]
        says_so = RENT in context or (first in context and second in context)
        return BELIEVED if says_so else DOUBTED

    served.engine.answer = answer
    evidence = documents(first, second, RENT)
    found = await verdict_of(served, RENT, evidence, cited=("S0", "S1"))
    assert found.reason == pb.VERDICT_REASON_CORROBORATED


@pytest.mark.parametrize(
    ("confidence", "verdict"),
    [(0.9, pb.VERDICT_SUPPORTED), (0.97, pb.VERDICT_SUPPORTED), (0.99, pb.VERDICT_UNCERTAIN)],
)
async def test_what_is_asked_of_a_claim_is_asked_of_the_cited_sources_alone(
    served: Scripted, confidence: float, verdict: pb.Verdict
) -> None:
    options = pb.VerifyOptions(thresholds=pb.Thresholds(default_confidence=confidence))
    found = await verdict_of(served, RENT, documents(CHUNK, OVERLAP), options)
    assert found.verdict == verdict


async def test_a_cited_source_that_the_model_cannot_judge_alone_leaves_the_claim_uncertain(
    served: Scripted,
) -> None:
    known = believes({RENT: RENT})
    served.engine.answer = lambda prompt: (
        (0.01, 0.01, 0.0) if "30 June" in prompt and "Pets" not in prompt else known(prompt)
    )
    found = await verdict_of(served, RENT, documents(CHUNK, OVERLAP, OTHER))
    assert found.verdict == pb.VERDICT_UNCERTAIN
    assert not found.grounded


async def test_an_answer_of_such_claims_is_grounded(served: Scripted) -> None:
    answer = "Rent is due on the first day of each month [S0]. Pets are allowed [S1]."
    response = await verify_answer(served, answer, documents(CHUNK, OVERLAP, OTHER))
    assert response.summary.overall_grounded
    assert [claim.verdict.reason for claim in response.claims] == [
        pb.VERDICT_REASON_CORROBORATED,
        pb.VERDICT_REASON_BUDGET_COVERED,
    ]


@pytest.mark.parametrize(
    ("claim", "cited", "prompts"),
    [
        # p1, p0, closed book, S0 alone, and S1 and S2 alone.
        (RENT, ("S0",), 6),
        # Its own source alone says so: p0 is low.
        (PETS, ("S1",), 2),
        # Nothing is left to cite.
        (RENT, ("S0", "S1", "S2"), 2),
        (RENT, (), 2),
        # Not believed: the stance is asked.
        ("Dogs are forbidden.", ("S1",), 3),
    ],
)
async def test_more_is_read_only_where_a_claim_is_believed_without_what_it_cites(
    served: Scripted, claim: str, cited: tuple[str, ...], prompts: int
) -> None:
    await verdict_of(served, claim, documents(CHUNK, OVERLAP, OTHER), cited=cited)
    assert len(served.engine.prompts) == prompts
