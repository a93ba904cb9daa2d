"""POST /v1/hallucination-check, over HTTP, on a real server with a scripted engine."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from pydantic import JsonValue

from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server
from tests.scripted_services.detection import believes

PATH = "/v1/hallucination-check"
HEIGHT, YEAR = "The tower is 330 m high.", "It opened in 1889."
SOURCES: list[JsonValue] = [
    {"id": "S0", "text": HEIGHT, "title": "Height"},
    {"id": "S1", "text": YEAR},
]
TALL, OLD = "The tower is 330 metres high.", "The tower opened in 1850."
TALL_HE, OLD_HE = "המגדל מתנשא לגובה של 330 מטרים.", "המגדל נפתח לקהל בשנת 1850."


@pytest.fixture(scope="module")
async def running() -> AsyncIterator[Scripted]:
    async with scripted_server(http_listen="127.0.0.1:0") as served:
        yield served


@pytest.fixture
def served(running: Scripted) -> Scripted:
    """A server that has been asked nothing."""
    engine = running.engine
    engine.release()
    engine.answer = believes({TALL: HEIGHT, TALL_HE: HEIGHT}, frozenset({OLD, OLD_HE}))
    engine.prompts.clear()
    engine.claims.clear()
    return running


async def post(served: Scripted, body: JsonValue | bytes, **headers: str) -> httpx.Response:
    http = served.running.http
    assert http is not None
    async with httpx.AsyncClient(base_url=f"http://{http.target}", timeout=WAIT_LIMIT_S) as client:
        if isinstance(body, bytes):
            kind = {"content-type": "application/json"}
            return await client.post(PATH, content=body, headers=headers | kind)
        return await client.post(PATH, json=body, headers=headers)


async def check(served: Scripted, answer: str, **fields: JsonValue) -> dict[str, Any]:
    response = await post(served, {"answer": answer, "sources": SOURCES, **fields})
    assert response.status_code == 200
    found: dict[str, Any] = response.json()
    return found


async def test_a_short_answer_is_read_in_its_conversation(served: Scripted) -> None:
    turns: list[JsonValue] = [
        {"role": "user", "text": "How high is the tower?"},
        {"role": "assistant", "text": "330 m."},
        {"role": "user", "text": "And how old?"},
    ]
    found = await check(served, "136 years", turns=turns)
    assert found["hallucination_check"]["total_claims"] == 1
    asked = "Question: How high is the tower? And how old? Answer: 136 years"
    assert set(served.engine.claims) == {asked}


@pytest.mark.parametrize(
    ("turns", "field"),
    [
        ([{"role": "robot", "text": "x"}], "turns[0].role"),
        ([{"role": "user"}], "turns[0].text"),
    ],
)
async def test_bad_turns_are_refused_by_name(
    served: Scripted, turns: JsonValue, field: str
) -> None:
    body: JsonValue = {"answer": TALL, "sources": SOURCES, "turns": turns}
    response = await post(served, body)
    assert (response.status_code, response.json()["error"]["field"]) == (400, field)


async def test_an_answer_is_checked_claim_by_claim(served: Scripted) -> None:
    answer = f"Hello! {TALL[:-1]} [S0]. {OLD[:-1]} [S1]. The tower was painted by Monet [S7]."
    assert await check(served, answer, language="en") == {
        "success": True,
        "response": answer,
        "sources": [SOURCES[0], {"id": "S1", "text": YEAR, "title": None}],
        "skipped_sources": [],
        "hallucination_check": {
            "overall_grounded": False,
            "complete": True,
            "abstained": False,
            "grounded_claims": 1,
            "total_claims": 3,
            "grounding_ratio": pytest.approx(1 / 3),
            "claims": [
                {
                    "text": TALL,
                    "start": 7,
                    "end": 35,
                    "start_utf16": 7,
                    "end_utf16": 35,
                    "citing": ["S0"],
                    "p1": pytest.approx(0.97 / 0.99),
                    "p0": pytest.approx(0.02 / 0.99),
                    "confidence": 1.0,
                    "verdict": "SUPPORTED",
                    "reason": "SCORE_REACHED",
                    "carried_by": ["S0"],
                    "grounded": True,
                    "warning": None,
                    "unstated_values": [],
                    "derived_values": [],
                    "explanation": None,
                },
                {
                    "text": OLD,
                    "start": 42,
                    "end": 66,
                    "start_utf16": 42,
                    "end_utf16": 66,
                    "citing": ["S1"],
                    "p1": pytest.approx(0.02 / 0.99),
                    "p0": pytest.approx(0.02 / 0.99),
                    "confidence": 0.0,
                    "verdict": "CONTRADICTED",
                    "reason": "MODEL_SAYS_NO",
                    "carried_by": [],
                    "grounded": False,
                    "warning": "The sources say otherwise.",
                    "unstated_values": ["1850"],
                    "derived_values": [],
                    "explanation": None,
                },
                {
                    "text": "The tower was painted by Monet.",
                    "start": 73,
                    "end": 103,
                    "start_utf16": 73,
                    "end_utf16": 103,
                    "citing": ["S7"],
                    "p1": None,
                    "p0": None,
                    "confidence": None,
                    "verdict": "NOT_VERIFIED",
                    "reason": "UNKNOWN_CITATION",
                    "carried_by": [],
                    "grounded": False,
                    "warning": "This cites a source that does not exist.",
                    "unstated_values": [],
                    "derived_values": [],
                    "explanation": None,
                },
            ],
        },
        "correction": None,
        "warning": "Much of this answer needs a check: 2 of 3 statements are not grounded in the "
        "sources, 1 more was not verified. Not checked: 1 statement that cites a source that does "
        "not exist, 1 remark about the answer. 58% of the text was verified.",
    }


async def test_a_grounded_answer_has_no_warning(served: Scripted) -> None:
    found = await check(served, f"{TALL[:-1]} [S0].")
    assert found["warning"] is None
    assert found["hallucination_check"]["overall_grounded"] is True
    assert found["hallucination_check"]["grounding_ratio"] == 1.0


async def test_a_hebrew_answer_is_warned_of_in_hebrew(served: Scripted) -> None:
    found = await check(served, f"{TALL_HE[:-1]} [S0]. {OLD_HE[:-1]} [S1].")
    tall, old = found["hallucination_check"]["claims"]
    assert (tall["grounded"], old["grounded"]) == (True, False)
    assert old["warning"] == "המקורות אומרים אחרת."
    assert found["warning"] == (
        "חלקים רבים בתשובה דורשים בדיקה: טענה אחת מתוך 2 אינה מבוססת על המקורות."
    )


async def test_the_request_chooses_the_language_of_the_warnings(served: Scripted) -> None:
    found = await check(served, f"{OLD[:-1]} [S1].", language="he")
    assert found["hallucination_check"]["claims"][0]["warning"] == "המקורות אומרים אחרת."


async def test_each_claim_is_read_as_an_answer_to_the_question(served: Scripted) -> None:
    await check(served, f"{TALL[:-1]} [S0].", question="How tall is it?")
    assert set(served.engine.claims) == {f"Question: How tall is it? Answer: {TALL}"}


async def test_an_answer_without_claims_has_no_ratio_and_is_not_grounded(served: Scripted) -> None:
    found = await check(served, "Hello!")
    assert found["success"] is True
    assert found["hallucination_check"] == {
        "overall_grounded": False,
        "complete": True,
        "abstained": False,
        "grounded_claims": 0,
        "total_claims": 0,
        "grounding_ratio": None,
        "claims": [],
    }
    assert found["warning"].startswith("Nothing in this answer could be checked")


async def test_a_claim_that_nobody_read_is_listed_and_keeps_the_answer_from_being_grounded(
    served: Scripted,
) -> None:
    found = await check(served, f"{TALL[:-1]} [S0]. " * 10 + f"{OLD[:-1]} [S1].")
    result = found["hallucination_check"]
    assert (result["grounded_claims"], result["total_claims"]) == (10, 10)
    assert (result["overall_grounded"], result["complete"]) == (False, False)
    last = result["claims"][-1]
    assert (last["p1"], last["grounded"], last["warning"]) == (None, False, "This was not checked.")


async def test_a_server_that_takes_fewer_claims_checks_no_more_than_it_takes() -> None:
    async with scripted_server(http_listen="127.0.0.1:0", max_claims=2) as served:
        served.engine.answer = believes({TALL: HEIGHT})
        result = (await check(served, f"{TALL[:-1]} [S0]. " * 3))["hallucination_check"]
    assert (result["total_claims"], result["complete"]) == (2, False)


async def test_by_default_the_confidence_of_a_claim_is_what_its_grounding_goes_by(
    served: Scripted,
) -> None:
    # 1.5 x (0.62 - 0.12) is above 0.45; no budget of the model's would pay for it.
    served.engine.answer = lambda prompt: (
        (0.62, 0.38, 0.0) if HEIGHT in prompt else (0.12, 0.88, 0.0)
    )
    answer = f"{TALL[:-1]} [S0]."
    (claim,) = (await check(served, answer))["hallucination_check"]["claims"]
    assert (claim["grounded"], claim["reason"]) == (True, "SCORE_REACHED")
    assert claim["confidence"] == pytest.approx(0.75)
    by_budget = await check(served, answer, options={"policy": "budget"})
    (claim,) = by_budget["hallucination_check"]["claims"]
    assert (claim["grounded"], claim["reason"]) == (False, "BUDGET_EXCEEDED")


async def test_the_policy_of_the_server_is_that_of_its_other_doors() -> None:
    settings = {"http_listen": "127.0.0.1:0", "verify_policy": "budget"}
    async with scripted_server(**settings) as served:  # type: ignore[arg-type]
        served.engine.answer = believes({TALL: HEIGHT})
        (claim,) = (await check(served, f"{TALL[:-1]} [S0]."))["hallucination_check"]["claims"]
    assert claim["reason"] == "SCORE_REACHED"


async def test_an_option_is_read_whatever_its_case_and_null_is_as_left_out(
    served: Scripted,
) -> None:
    options: JsonValue = {"policy": "BUDGET", "strictness": "Strict", "max_claims": None}
    found = await check(served, f"{TALL[:-1]} [S0].", options=options)
    assert found["hallucination_check"]["claims"][0]["reason"] == "BUDGET_COVERED"


async def test_places_are_counted_in_code_points_and_in_units_of_utf16(served: Scripted) -> None:
    answer = f"Hello 🗼🗼! {TALL[:-1]} [S0]."
    (claim,) = (await check(served, answer))["hallucination_check"]["claims"]
    assert answer[claim["start"] : claim["end"]] == TALL[:-1]
    units = answer.encode("utf-16-le")[2 * claim["start_utf16"] : 2 * claim["end_utf16"]]
    assert units.decode("utf-16-le") == TALL[:-1]
    assert claim["start_utf16"] == claim["start"] + 2


async def test_the_sources_that_carry_a_claim_are_named(served: Scripted) -> None:
    sources: JsonValue = [*SOURCES, {"id": "S2", "text": f"As said: {HEIGHT}"}]
    body: JsonValue = {"answer": f"{TALL[:-1]} [S0].", "sources": sources}
    (both,) = (await post(served, body)).json()["hallucination_check"]["claims"]
    assert (both["reason"], both["grounded"]) == ("CORROBORATED", True)
    assert (both["carried_by"], both["confidence"]) == (["S0", "S2"], 1.0)
    body = {"answer": f"{TALL[:-1]} [S1].", "sources": SOURCES}
    (other,) = (await post(served, body)).json()["hallucination_check"]["claims"]
    assert (other["verdict"], other["carried_by"]) == ("MISCITED", ["S0"])


async def test_a_blank_source_is_skipped_and_named(served: Scripted) -> None:
    sources: list[JsonValue] = [{"id": "B", "text": " \n"}, *SOURCES]
    body: JsonValue = {"answer": f"{TALL[:-1]} [S0].", "sources": sources}
    found = (await post(served, body)).json()
    assert found["skipped_sources"] == ["B"]
    assert [source["id"] for source in found["sources"]] == ["B", "S0", "S1"]
    assert found["hallucination_check"]["overall_grounded"] is True


@pytest.mark.parametrize("citation", ["[S9]", "[b.pdf]", "(b.pdf)", "[Annual report]"])
@pytest.mark.parametrize("said", [TALL, TALL_HE])
async def test_a_claim_that_cites_a_blank_source_is_not_grounded(
    served: Scripted, said: str, citation: str
) -> None:
    blank: list[JsonValue] = [
        {"id": "S9", "text": "\u200b"},
        {"id": "b.pdf", "text": " ", "title": "Annual report"},
    ]
    body: JsonValue = {"answer": f"{said[:-1]} {citation}.", "sources": [*blank, *SOURCES]}
    (claim,) = (await post(served, body)).json()["hallucination_check"]["claims"]
    assert (claim["reason"], claim["grounded"]) == ("UNKNOWN_CITATION", False)
    assert claim["citing"] == [citation.strip("[()]")]
    assert citation not in claim["text"]


@pytest.mark.parametrize("others", [[], SOURCES])
async def test_too_many_blank_sources_are_refused_under_the_name_of_the_caller(
    served: Scripted, others: list[JsonValue]
) -> None:
    blank: list[JsonValue] = [{"id": f"b{i}", "text": " "} for i in range(1001)]
    error = (await post(served, {"answer": TALL, "sources": [*blank, *others]})).json()["error"]
    assert error["field"] == "sources"
    assert error["message"].startswith("sources: ")
    assert [each["field"] for each in error["fields"]] == ["sources"]


async def test_a_title_of_a_blank_source_cites_another_that_has_it_too(served: Scripted) -> None:
    sources: list[JsonValue] = [
        {"id": "b.pdf", "text": " ", "title": "The tower"},
        {"id": "c.pdf", "text": HEIGHT, "title": "the tower"},
    ]
    body: JsonValue = {"answer": f"{TALL[:-1]} [The tower].", "sources": sources}
    (claim,) = (await post(served, body)).json()["hallucination_check"]["claims"]
    assert (claim["citing"], claim["grounded"]) == (["c.pdf"], True)


async def test_without_text_in_any_source_its_citations_are_read(served: Scripted) -> None:
    body: JsonValue = {
        "answer": f"{TALL[:-1]} [b.pdf].",
        "sources": [{"id": "b.pdf", "text": ""}],
    }
    (claim,) = (await post(served, body)).json()["hallucination_check"]["claims"]
    assert (claim["text"], claim["citing"]) == (TALL, ["b.pdf"])


@pytest.mark.parametrize("sources", [[], [{"id": "S0", "text": " "}]])
@pytest.mark.parametrize(
    ("answer", "warning"),
    [
        (f"Hello! {TALL[:-1]} [S0]. {OLD}", "Nothing in this answer could be checked"),
        (f"{TALL_HE} {OLD_HE}", "לא ניתן היה לבדוק אף טענה"),
    ],
)
async def test_without_sources_every_claim_is_listed_and_none_is_grounded(
    served: Scripted, answer: str, warning: str, sources: list[JsonValue]
) -> None:
    response = await post(served, {"answer": answer, "sources": sources})
    assert response.status_code == 200
    found = response.json()
    result = found["hallucination_check"]
    assert (result["overall_grounded"], result["grounded_claims"]) == (False, 0)
    assert (result["total_claims"], result["grounding_ratio"]) == (2, 0.0)
    for claim in result["claims"]:
        assert (claim["verdict"], claim["reason"]) == ("NOT_VERIFIED", "NO_SOURCES")
        assert (claim["grounded"], claim["p1"]) == (False, None)
        assert claim["warning"]
    assert found["warning"].startswith(warning)
    assert found["skipped_sources"] == [source["id"] for source in found["sources"]]
    assert served.engine.prompts == []


@pytest.mark.parametrize(
    ("sources", "field"),
    [([], "sources"), ([SOURCES[0], {"id": "S1", "text": " "}], "sources[1].text")],
)
async def test_a_person_is_asked_for_the_sources_that_are_missing(
    served: Scripted, sources: list[JsonValue], field: str
) -> None:
    response = await post(served, {"answer": TALL, "sources": sources}, accept="text/html")
    assert (response.status_code, response.json()["error"]["field"]) == (400, field)


async def test_a_browser_that_asks_for_a_page_gets_the_report(served: Scripted) -> None:
    body: JsonValue = {"answer": f"{TALL[:-1]} [S0]. <script>alert(1)</script>", "sources": SOURCES}
    response = await post(served, body, accept="text/html, application/json")
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["cache-control"] == "no-store"
    assert "Grounding report" in response.text
    assert "<script>alert" not in response.text
    assert "&lt;script&gt;alert" in response.text


async def test_a_page_is_explained_unless_options_say_otherwise(served: Scripted) -> None:
    body: dict[str, JsonValue] = {"answer": f"{TALL[:-1]} [S0].", "sources": SOURCES}
    page = await post(served, body, accept="text/html")
    assert "Carried by" in page.text
    plain = await post(served, {**body, "options": {"explain": False}}, accept="text/html")
    assert "Carried by" not in plain.text


async def test_a_claim_says_why_where_options_ask(served: Scripted) -> None:
    found = await check(served, f"{TALL[:-1]} [S0].", options={"explain": True})
    (claim,) = found["hallucination_check"]["claims"]
    (passage,) = claim["explanation"]["deciding_passages"]
    assert (passage["source_id"], passage["relation"]) == ("S0", "SUPPORTS")
    assert (passage["start"], passage["end"]) == (0, len(passage["text"]))


WRONG, WRONG_HE = "The tower is 440 m high.", "גובה המגדל הוא 440 מטרים."
RIGHT_HE = "גובה המגדל הוא 330 מטרים."


@pytest.mark.parametrize(("wrong", "right"), [(WRONG, HEIGHT), (WRONG_HE, RIGHT_HE)])
async def test_a_corrected_answer_is_told_where_options_ask(
    served: Scripted, wrong: str, right: str
) -> None:
    served.engine.answer = believes({right: right})
    answer = f"Hello 🗼! {wrong}"
    sources: list[JsonValue] = [{"id": "S0", "text": right}]
    options: JsonValue = {"correct": True}
    found = await check(served, answer, sources=sources, options=options)
    correction = found["correction"]
    assert correction["corrected_answer"] == f"Hello 🗼! {right}"
    assert (correction["overall_grounded"], correction["untried_claims"]) == (True, [])
    (edit,) = correction["edits"]
    assert answer[edit["start"] : edit["end"]].startswith("440")
    assert (edit["start_utf16"], edit["end_utf16"]) == (edit["start"] + 1, edit["end"] + 1)
    assert edit["replacement"].startswith("330")
    assert (edit["kind"], edit["source_id"]) == ("VALUE_REPLACED", "S0")
    assert edit["probability"] > 0.9
    claims = found["hallucination_check"]["claims"]
    assert "440" in claims[edit["claim"]]["text"]
    assert claims[0]["explanation"] is None


@pytest.mark.parametrize("options", [None, {}, {"correct": False}, {"correct": None}])
async def test_nothing_is_corrected_unless_options_ask(
    served: Scripted, options: JsonValue
) -> None:
    assert (await check(served, WRONG, options=options))["correction"] is None


async def test_the_report_as_a_page_shows_the_corrected_answer(served: Scripted) -> None:
    served.engine.answer = believes({HEIGHT: HEIGHT})
    body: dict[str, JsonValue] = {"answer": WRONG, "sources": SOURCES}
    page = await post(served, {**body, "options": {"correct": True}}, accept="text/html")
    assert "Corrected answer" in page.text
    assert HEIGHT in page.text
    plain = await post(served, body, accept="text/html")
    assert "Corrected answer" not in plain.text


def read_events(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Each event's name and data."""
    lines = (each.split("\n") for each in text.strip().split("\n\n"))
    return [(a.removeprefix("event: "), json.loads(b.removeprefix("data: "))) for a, b in lines]


@pytest.mark.parametrize(
    ("tall", "old", "title"),
    [(TALL, OLD, "Grounding report"), (TALL_HE, OLD_HE, "דוח ביסוס")],
)
async def test_events_have_the_claims_then_their_verdicts_then_the_reports(
    served: Scripted, tall: str, old: str, title: str
) -> None:
    body: JsonValue = {"answer": f"{tall[:-1]} [S0]. {old[:-1]} [S1].", "sources": SOURCES}
    response = await post(served, body, accept="text/event-stream, application/json")
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-store"
    found, *known, report = read_events(response.text)
    assert found == ("found", {"claims": [tall, old]})
    assert [name for name, _ in known] == ["known", "known"]
    assert sorted((data["index"], data["verdict"]) for _, data in known) == [
        (0, "SUPPORTED"),
        (1, "CONTRADICTED"),
    ]
    assert report[0] == "report"
    assert title in report[1]["html"]
    assert title in report[1]["markdown"]
    claims = json.loads(report[1]["json"])["claims"]
    assert [each["verdict"] for each in claims] == ["SUPPORTED", "CONTRADICTED"]
    assert claims[0]["deciding_passages"][0]["source_id"] == "S0"


async def test_the_report_at_the_end_of_the_events_has_the_corrected_answer(
    served: Scripted,
) -> None:
    served.engine.answer = believes({HEIGHT: HEIGHT})
    body: JsonValue = {"answer": WRONG, "sources": SOURCES, "options": {"correct": True}}
    *_, (name, report) = read_events((await post(served, body, accept="text/event-stream")).text)
    assert name == "report"
    assert json.loads(report["json"])["correction"]["corrected_answer"] == HEIGHT
    assert "Corrected answer" in report["html"]


async def test_a_verdict_is_an_event_before_the_others_are_known(served: Scripted) -> None:
    served.engine.stuck.add(OLD)
    http = served.running.http
    assert http is not None
    body = {"answer": f"{TALL[:-1]} [S0]. {OLD[:-1]} [S1].", "sources": SOURCES}
    headers = {"accept": "text/event-stream"}
    async with (
        httpx.AsyncClient(base_url=f"http://{http.target}", timeout=WAIT_LIMIT_S) as client,
        client.stream("POST", PATH, json=body, headers=headers) as response,
    ):
        text = ""
        async for piece in response.aiter_text():
            text += piece
            if text.count("\n\n") == 2:
                break
    assert read_events(text)[1] == ("known", {"index": 0, "verdict": "SUPPORTED"})
    # Who leaves it cancels the rest.
    await served.engine.until(lambda: served.engine.cancelled > 0)
    served.engine.stuck.clear()


@pytest.mark.parametrize(
    ("sources", "field"),
    [([], "sources"), ([SOURCES[0], {"id": "S1", "text": " "}], "sources[1].text")],
)
async def test_a_check_that_cannot_begin_is_refused_by_name_before_any_event(
    served: Scripted, sources: list[JsonValue], field: str
) -> None:
    response = await post(served, {"answer": TALL, "sources": sources}, accept="text/event-stream")
    assert (response.status_code, response.json()["error"]["field"]) == (400, field)


async def test_a_check_that_fails_on_its_way_ends_with_an_event_that_says_why() -> None:
    async with scripted_server(http_listen="127.0.0.1:0") as served:
        served.engine.errors[TALL] = RuntimeError("broken")
        body: JsonValue = {"answer": TALL, "sources": SOURCES}
        events = read_events((await post(served, body, accept="text/event-stream")).text)
        assert events[0][0] == "found"
        assert events[-1][0] == "error"
        assert events[-1][1]["success"] is False
        assert "broken" not in events[-1][1]["error"]["message"]


async def test_a_program_that_takes_pages_after_json_gets_json(served: Scripted) -> None:
    # What n8n's HTTP Request node sends.
    accepted = "application/json,text/html,application/xhtml+xml,text/*;q=0.9,*/*;q=0.7"
    body: JsonValue = {"answer": f"{TALL[:-1]} [S0].", "sources": SOURCES}
    assert (await post(served, body, accept=accepted)).json()["success"] is True


FAULTS: list[tuple[JsonValue | bytes, str, str | None]] = [
    ({"sources": SOURCES}, "MALFORMED_REQUEST", "answer"),
    ({"answer": 1, "sources": SOURCES}, "MALFORMED_REQUEST", "answer"),
    ({"answer": "A.", "sources": SOURCES, "depth": 3}, "MALFORMED_REQUEST", "depth"),
    ({"answer": "A.", "source": SOURCES}, "MALFORMED_REQUEST", "source"),
    ({"answer": "A.", "sources": [{"id": "S0"}]}, "MALFORMED_REQUEST", "sources[0].text"),
    ({"answer": " ", "sources": SOURCES}, "EMPTY_TEXT", "answer"),
    ({"answer": " ", "sources": []}, "EMPTY_TEXT", "answer"),
    ({"answer": TALL, "sources": [], "language": "fr"}, "INVALID_OPTION", "language"),
    (
        {"answer": TALL, "sources": SOURCES, "options": {"policy": "best"}},
        "MALFORMED_REQUEST",
        "options.policy",
    ),
    (
        {"answer": TALL, "sources": SOURCES, "options": {"max_claims": 0}},
        "MALFORMED_REQUEST",
        "options.max_claims",
    ),
    (
        {"answer": TALL, "sources": SOURCES, "options": {"max_claims": 100_000}},
        "INVALID_OPTION",
        "options.max_claims",
    ),
    (
        {"answer": TALL, "sources": SOURCES, "options": {"max_contradicted": 2**40}},
        "MALFORMED_REQUEST",
        "options.max_contradicted",
    ),
    (
        {"answer": TALL, "sources": SOURCES, "options": {"depth": 1}},
        "MALFORMED_REQUEST",
        "options.depth",
    ),
    (
        {"answer": TALL, "sources": [*SOURCES, {"id": "S0", "text": "x"}]},
        "INVALID_SOURCE",
        "sources[2].id",
    ),
    # The blank one before it is not sent on, and yet it keeps its place.
    (
        {"answer": TALL, "sources": [{"id": "B", "text": " "}, {"id": " S0", "text": "x"}]},
        "INVALID_SOURCE",
        "sources[1].id",
    ),
    ({"answer": TALL, "sources": [{"id": " S0", "text": "x"}]}, "INVALID_SOURCE", "sources[0].id"),
    (
        {"answer": TALL, "sources": [{"id": "S0", "text": "x", "title": "t" * 9999}]},
        "INVALID_SOURCE",
        "sources[0].title",
    ),
    (
        {"answer": TALL, "sources": SOURCES, "question": "?" * 1001},
        "TEXT_TOO_LONG",
        "question",
    ),
    ({"answer": TALL, "sources": SOURCES, "language": "fr"}, "INVALID_OPTION", "language"),
    (b'{"answer": "\xff", "sources": []}', "MALFORMED_REQUEST", None),
    (b'{"answer": "\\ud800", "sources": []}', "MALFORMED_REQUEST", None),
    (b"answer=A", "MALFORMED_REQUEST", None),
    (b"", "MALFORMED_REQUEST", None),
    (b"[" * 100_000, "MALFORMED_REQUEST", None),
]


@pytest.mark.parametrize(("body", "reason", "field"), FAULTS)
async def test_a_bad_request_is_refused_with_its_reason_and_its_field(
    served: Scripted, body: JsonValue | bytes, reason: str, field: str | None
) -> None:
    response = await post(served, body)
    assert response.status_code == 400
    failure = response.json()
    assert failure["success"] is False
    error = failure["error"]
    assert (error["reason"], error["field"]) == (reason, field)
    assert error["message"].startswith(field or "")
    assert error["retry_after_s"] is None
    assert "evidence" not in response.text
    assert served.engine.prompts == []


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"answer": "A."}, "sources: is missing; send it"),
        ({"answer": "A.", "sources": ["text"]}, "sources[0]: is no object; send a JSON object"),
        (b'{"answer": "A."', "the body is not JSON, at line 1, column 16"),
    ],
)
async def test_a_body_of_another_shape_is_answered_with_what_to_send(
    served: Scripted, body: JsonValue | bytes, words: str
) -> None:
    response = await post(served, body)
    assert response.json()["error"]["message"] == words


async def test_every_wrong_field_is_named(served: Scripted) -> None:
    response = await post(served, {"answer": "", "sources": [{"id": "", "text": "x"}]})
    fields = response.json()["error"]["fields"]
    assert [each["field"] for each in fields] == ["answer", "sources[0].id"]
    assert all(each["message"] for each in fields)


async def test_a_failure_of_a_page_is_told_as_json(served: Scripted) -> None:
    response = await post(served, {"answer": " ", "sources": SOURCES}, accept="text/html")
    assert response.json()["success"] is False


async def test_a_wrong_token_is_refused_before_anything_is_read() -> None:
    async with scripted_server(http_listen="127.0.0.1:0", auth_token="sixteen-letters-1") as served:
        response = await post(served, b"no json", authorization="Bearer other")
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == "Bearer"
        assert response.json()["error"]["reason"] == "INVALID_TOKEN"
        body: JsonValue = {"answer": f"{TALL[:-1]} [S0].", "sources": SOURCES}
        let_in = await post(served, body, authorization="Bearer sixteen-letters-1")
        assert let_in.json()["success"] is True


async def test_a_server_that_loads_says_so_and_checks_nothing() -> None:
    async with scripted_server(loaded=False, http_listen="127.0.0.1:0") as served:
        response = await post(served, {"answer": TALL, "sources": SOURCES})
        assert response.status_code == 503
        assert response.json()["error"]["reason"] == "LOADING"


async def test_a_full_server_says_when_to_come_again() -> None:
    async with scripted_server(http_listen="127.0.0.1:0", max_pending_calls=1) as served:
        served.engine.hold()
        body: JsonValue = {"answer": TALL, "sources": SOURCES}
        first = asyncio.create_task(post(served, body))
        await served.engine.until(lambda: bool(served.engine.prompts))
        response = await post(served, body)
        served.engine.release()
        assert (await first).status_code == 200
        assert response.status_code == 429
        error = response.json()["error"]
        assert error["reason"] == "QUEUE_FULL"
        assert error["retry_after_s"] > 0
        assert int(response.headers["retry-after"]) >= error["retry_after_s"]


async def test_a_check_that_outlives_the_grace_of_the_servers_end_is_told_of_it() -> None:
    async with scripted_server(http_listen="127.0.0.1:0") as served:
        served.engine.hold()
        checks = [
            asyncio.create_task(post(served, {"answer": answer, "sources": SOURCES}, **headers))
            for answer, headers in ((TALL, {}), (OLD, {"accept": "text/event-stream"}))
        ]
        await served.engine.until(lambda: {TALL, OLD} <= set(served.engine.claims))
        await served.running.drain(0.05)
        whole, streamed = await asyncio.gather(*checks)
    assert (whole.status_code, whole.json()["error"]["reason"]) == (503, "DRAINING")
    name, body = read_events(streamed.text)[-1]
    assert (name, body["error"]["reason"]) == ("error", "DRAINING")


async def test_a_chatbot_that_leaves_cancels_the_work(served: Scripted) -> None:
    served.engine.hold()
    http = served.running.http
    assert http is not None
    async with httpx.AsyncClient(base_url=f"http://{http.target}", timeout=WAIT_LIMIT_S) as client:
        call = asyncio.create_task(client.post(PATH, json={"answer": TALL, "sources": SOURCES}))
        await served.engine.until(lambda: bool(served.engine.prompts))
        call.cancel()
        await asyncio.wait((call,))
    await served.engine.until(lambda: served.engine.cancelled > 0)


async def test_a_body_that_is_not_said_to_be_json_is_not_read(served: Scripted) -> None:
    http = served.running.http
    assert http is not None
    async with httpx.AsyncClient(base_url=f"http://{http.target}", timeout=WAIT_LIMIT_S) as client:
        response = await client.post(PATH, content=b'{"answer": "A.", "sources": []}')
    assert (response.status_code, response.json()["error"]["reason"]) == (415, "MALFORMED_REQUEST")


async def test_the_deadline_of_a_check_ends_it() -> None:
    async with scripted_server(http_listen="127.0.0.1:0") as served:
        served.engine.hold()
        body: JsonValue = {"answer": TALL, "sources": SOURCES}
        response = await post(served, body, **{"connect-timeout-ms": "200"})
    assert (response.status_code, response.json()["error"]["reason"]) == (504, "DEADLINE_EXCEEDED")


async def test_more_sources_than_a_request_can_need_are_refused_before_they_are_read(
    served: Scripted,
) -> None:
    sources: list[JsonValue] = [{}] * 25_000
    response = await post(served, {"answer": TALL, "sources": sources})
    assert (response.status_code, response.json()["error"]["reason"]) == (400, "MALFORMED_REQUEST")
    assert "more than 25,000 values" in response.json()["error"]["message"]
