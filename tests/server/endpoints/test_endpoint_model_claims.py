"""A larger model behind an endpoint finds the claims, and the local one reads them."""

import json

import pytest

from groundwire import Evidence, Extraction, ExtractOptions, Extractor, ExtractorFallback
from tests.scripted_services.endpoint import Reply, Request, answered
from tests.server.endpoints.test_endpoint_served import served

ANSWER = (
    "Ada Moreno kept the lighthouse on Cape Arden, which was finished in 1871 [S0]. She wrote a "
    "log of every storm, and gave it up in 1903 [S1]. I think the lamp is not electric. Shall I "
    "go on?"
)
WRITTEN = (
    ("Ada Moreno kept the lighthouse on Cape Arden",) * 2,
    (
        "lighthouse on Cape Arden, which was finished in 1871",
        "The lighthouse on Cape Arden was finished in 1871.",
    ),
    ("She wrote a log of every storm", "Ada Moreno wrote a log of every storm."),
    ("gave it up in 1903", "Ada Moreno gave up the log in 1903."),
    ("the lamp is not electric", "The lamp of the lighthouse is not electric."),
    ("She was born in Melk", "Ada Moreno was born in Melk."),
)
MODEL = ExtractOptions(extractor=Extractor.MODEL)
EVIDENCE = Evidence.documents({"S0": "The lighthouse was finished in 1871.", "S1": "A log."})


def writing(request: Request, answer: str) -> Reply:
    """Claims are written by the endpoint, which is asked nothing else."""
    assert "Split a text into claims" in request.text
    return answered(request, answer)


@pytest.mark.parametrize("fenced", [False, True], ids=["in the form", "around it"])
async def test_its_claims_stand_alone_and_each_points_to_the_answer(*, fenced: bool) -> None:
    answer = json.dumps({"claims": [{"quote": q, "claim": c} for q, c in WRITTEN]})
    if fenced:
        answer = f"Here are the claims:\n```json\n{answer}\n```"
    async with served(claim_extractor_backend="external", verify_default_confidence=0.95) as server:
        server.endpoint.script = lambda request: writing(request, answer)
        report = await server.client.verify_answer(ANSWER, EVIDENCE, extract=MODEL)
    assert [claim.content for claim in report] == [
        *(claim for _, claim in WRITTEN[:-1]),
        "Shall I go on?",
    ]
    assert [claim.span.of(ANSWER).rstrip(".") for claim in report][:-1] == [
        quote for quote, _ in WRITTEN[:-1]
    ]
    assert [claim.cited_ids for claim in report][:4] == [("S0",), ("S0",), ("S1",), ("S1",)]
    lamp = report[4]
    assert lamp.confidence < report[0].confidence
    assert report.extraction == Extraction(
        Extractor.MODEL, dropped_claims=1, backend="external", model="some-model"
    )
    assert report.run.backend == "local"


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(status=500), ExtractorFallback.BACKEND_FAILED),
        (Reply(status=401), ExtractorFallback.BACKEND_FAILED),
        (Reply(status=429, headers={"retry-after": "99"}), ExtractorFallback.BACKEND_FAILED),
        (Reply(b"garbage"), ExtractorFallback.BACKEND_FAILED),
        (Reply(hangs=True), ExtractorFallback.OUT_OF_TIME),
    ],
    ids=["error", "refusal", "rate limit", "garbage", "silence"],
)
async def test_an_endpoint_that_fails_leaves_it_to_the_rules(
    reply: Reply, why: ExtractorFallback
) -> None:
    async with served(
        claim_extractor_backend="external", claim_extractor_timeout="300ms"
    ) as server:
        server.endpoint.script = lambda _: reply
        by_rules = await server.client.extract_claims(ANSWER)
        result = await server.client.extract_claims(ANSWER, options=MODEL)
    assert list(result) == list(by_rules)
    assert (result.extraction.extractor, result.extraction.fallback) == (Extractor.RULES, why)
    assert by_rules.extraction == Extraction()
