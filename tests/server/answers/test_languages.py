"""Answers in languages that the model's card names, and in others; the engine is scripted."""

from collections.abc import AsyncIterator

import httpx
import pytest

from groundwire import Document
from groundwire._calls.answers import read_report
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.reports.as_json import json_report
from groundwire_server.reports.content import CheckedAnswer
from groundwire_server.reports.markdown import markdown_report
from groundwire_server.reports.page import html_report
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server
from tests.scripted_services.detection import believes, documents, stub_of, verify_answer

GERMAN = "Das Museum ist bis fünf Uhr geöffnet."
LEVELS = "Es hat drei Etagen und einen Garten."
CHINESE, SHORT_CHINESE = "青溪桥建于1931年。", "是。"
ENGLISH = "The museum is open until five."
HEBREW = "המוזיאון פתוח עד חמש."
TOLD = "does not cover the language of this answer ({language})"


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server(languages=("en", "he"), http_listen="127.0.0.1:0") as served:
        texts = (GERMAN, LEVELS, CHINESE, ENGLISH, HEBREW)
        served.engine.answer = believes(dict(zip(texts, texts, strict=True)))
        yield served


async def summary_of(served: Scripted, answer: str) -> pb.AnswerSummary:
    return (await verify_answer(served, answer, documents(answer))).summary


@pytest.mark.parametrize(
    ("answer", "language", "rules", "covered"),
    [
        (ENGLISH, "en", "en", True),
        (HEBREW, "he", "he", True),
        (GERMAN, "de", "generic", False),
        (CHINESE, "zh", "generic", False),
    ],
)
async def test_a_response_names_the_language_and_says_whether_the_card_covers_it(
    served: Scripted, answer: str, language: str, rules: str, covered: bool
) -> None:
    summary = await summary_of(served, answer)
    assert (summary.text_language, summary.rules) == (language, rules)
    assert summary.language_covered is covered
    assert summary.overall_grounded
    assert (TOLD.format(language=language) in summary.warning) is not covered


async def test_a_model_without_a_card_covers_nobody_knows_what() -> None:
    async with scripted_server() as served:
        summary = await summary_of(served, GERMAN)
        assert not summary.HasField("language_covered")
        assert summary.text_language == "de"
        assert "card" not in summary.warning


@pytest.mark.parametrize(
    ("language", "words"), [("", "נדרשת"), ("he", "נדרשת"), ("en", "is needed")]
)
async def test_a_reason_is_in_the_language_of_the_warning_and_every_report_has_it(
    served: Scripted, language: str, words: str
) -> None:
    found = await verify_answer(served, HEBREW, documents(HEBREW), language=language)
    (claim,) = found.claims
    assert words in claim.verdict.reason_text
    report = read_report(found, len(HEBREW))
    source = Document("S0", HEBREW)
    checked = CheckedAnswer(HEBREW, "", (source,), report)
    for text in (html_report(checked), markdown_report(checked), json_report(checked)):
        assert words in text


async def test_extracted_claims_name_their_language_and_rules(served: Scripted) -> None:
    request = pb.ExtractClaimsRequest(text=f"{GERMAN} {LEVELS}")
    response = await stub_of(served).ExtractClaims(request, timeout=WAIT_LIMIT_S)
    assert (response.language, response.rules) == ("de", "generic")
    assert [claim.content for claim in response.claims] == [GERMAN, LEVELS]


async def test_what_is_too_short_in_a_language_without_rules_keeps_an_answer_from_being_grounded(
    served: Scripted,
) -> None:
    summary = await summary_of(served, f"{CHINESE}{SHORT_CHINESE}")
    assert (summary.grounded_claims, summary.total_claims) == (1, 1)
    assert not summary.overall_grounded

    response = await verify_answer(
        served,
        f"{GERMAN} Es regnet.",
        documents(GERMAN),
        options=pb.VerifyOptions(min_claim_characters=40),
    )
    # Eight Latin characters are enough, whatever a door takes for short in English.
    assert response.summary.total_claims == 2
    assert response.summary.skipped_claims == 0


@pytest.mark.parametrize("accept", ["application/json", "text/html"])
async def test_the_door_of_chatbots_says_it_beside_its_verdicts(
    served: Scripted, accept: str
) -> None:
    http = served.running.http
    assert http is not None
    async with httpx.AsyncClient(base_url=f"http://{http.target}", timeout=WAIT_LIMIT_S) as client:
        body = {"answer": GERMAN, "sources": [{"id": "S0", "text": GERMAN}]}
        response = await client.post(
            "/v1/hallucination-check", json=body, headers={"accept": accept}
        )
    assert response.status_code == 200
    assert TOLD.format(language="de") in response.text
