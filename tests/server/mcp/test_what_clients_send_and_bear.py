"""Arguments in the forms that clients write them in, and results that they can take."""

import json

import jsonschema
import pytest

from groundwire_server.doors.mcp.door import MAX_BYTES
from tests.scripted import scripted_server
from tests.scripted_services.detection import believes
from tests.scripted_services.traces import EVIDENCE_OF, PRICE, READ_PRICE, WRONG_PRICE, auditing
from tests.server.mcp.agents import HEIGHT, SOURCE, agent, error_of, text_of

WELL = "The well is eleven metres deep."
WELL_IN_HEBREW = "הבאר בעומק 11 מטרים."


@pytest.mark.parametrize(
    "asked",
    [
        {"claim": WELL, "sources": json.dumps([{"id": "S0", "text": WELL}])},
        {"claim": WELL, "sources": [json.dumps({"id": "S0", "text": WELL})]},
        {"claim": WELL, "sources": [{"text": WELL}], "cited_ids": '["S0"]'},
        {"claim": WELL, "sources": [{"text": WELL}], "cited_ids": None, "confidence": None},
        {"claim": WELL, "sources": [{"text": WELL, "id": None, "title": None}], "corpus": None},
    ],
)
async def test_json_text_is_read_as_what_it_holds_and_null_as_left_out(
    asked: dict[str, object],
) -> None:
    async with scripted_server() as served, agent(served.running.target) as client:
        served.engine.answer = believes({WELL: "eleven"})
        result = await client.call_tool("verify_claim", asked)
    assert not result.is_error, text_of(result)
    assert result.structured_content["verdict"] == "SUPPORTED"


async def test_a_text_that_looks_like_json_stays_a_text_where_a_text_is_wanted() -> None:
    claim = '["The well is deep."]'
    async with scripted_server() as served, agent(served.running.target) as client:
        asked = {"claim": claim, "sources": [{"text": '{"depth_m": 11}'}]}
        result = await client.call_tool("verify_claim", asked)
    assert result.structured_content["claim"] == claim


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"claim": None, "sources": [SOURCE]}, "claim: is missing; send it"),
        ({"claim": WELL, "sources": None}, "sources: is missing; send it"),
        ({"claim": WELL, "sources": WELL}, "sources: is no list; send a JSON array"),
        ({"claim": WELL, "sources": "[{"}, "sources: is no list; send a JSON array"),
        ({"claim": WELL, "sources": "[" * 5000}, "sources: is no list; send a JSON array"),
        ({"claim": WELL, "sources": [WELL]}, "sources[0]: is no object; send a JSON object"),
        ({"claim": WELL, "sources": [None]}, "sources[0]: is no object; send a JSON object"),
        ({"claim": WELL, "sources": '[{"txt": "a"}]'}, "sources[0].text: is missing; send it"),
    ],
)
async def test_what_holds_no_array_or_object_is_refused_by_name(
    asked: dict[str, object], error: str
) -> None:
    async with agent("127.0.0.1:1") as client:
        assert error in error_of(await client.call_tool("verify_claim", asked))


async def test_an_error_with_many_wrong_items_is_short() -> None:
    async with agent("127.0.0.1:1") as client:
        asked = {"claim": WELL, "sources": [{"txt": WELL}] * 5000}
        assert len(error_of(await client.call_tool("verify_claim", asked))) < 10_000


@pytest.mark.parametrize("claim", [HEIGHT, WELL_IN_HEBREW * 6])
async def test_long_results_have_what_is_not_grounded_first_and_count_the_rest(claim: str) -> None:
    texts = [f"{index}: {claim}" for index in range(200)]
    wrong = texts[150]
    asked = {"claims": [{"text": text} for text in texts], "sources": [SOURCE]}
    async with (
        scripted_server(max_claims=200, verify_max_claims=200) as served,
        agent(served.running.target) as client,
    ):
        served.engine.answer = believes({text: "330 m" for text in texts if text != wrong})
        schema = (await client.list_tools()).tools[2].output_schema
        result = await client.call_tool("verify_claims", asked)
    text, whole = json.loads(text_of(result)), result.structured_content
    assert [each["claim"] for each in text["claims"]] == [wrong]
    assert text["left_out"] == {"claims": 199}
    kept = [each["claim"] for each in whole["claims"]]
    assert wrong in kept
    assert kept == sorted(kept, key=texts.index)
    assert whole["left_out"] == {"claims": 200 - len(kept)}
    assert 10 < len(kept) < 200
    for part in (text, whole):
        assert len(json.dumps(part, ensure_ascii=False, separators=(",", ":")).encode()) < MAX_BYTES
        jsonschema.validate(part, schema)


async def test_more_than_fits_of_what_is_not_grounded_is_counted_in_the_text_too() -> None:
    asked = {
        "claims": [{"text": f"{index}: {HEIGHT}"} for index in range(200)],
        "sources": [SOURCE],
    }
    async with (
        scripted_server(max_claims=200, verify_max_claims=200) as served,
        agent(served.running.target) as client,
    ):
        result = await client.call_tool("verify_claims", asked)
    found = json.loads(text_of(result))
    assert len(text_of(result).encode()) < MAX_BYTES
    assert found["left_out"]["claims"] == 200 - len(found["claims"])
    assert found["claims"][0]["claim"] == f"0: {HEIGHT}"


async def test_the_text_of_an_answer_begins_with_its_summary_and_leaves_out_what_is_grounded() -> (
    None
):
    asked = {"answer": f"{HEIGHT} The tower is green.", "sources": [SOURCE]}
    async with scripted_server() as served, agent(served.running.target) as client:
        served.engine.answer = believes({HEIGHT: "330 m"})
        result = await client.call_tool("verify_answer", asked)
    text = json.loads(text_of(result))
    names = list(text)
    assert names.index("overall_grounded") < names.index("claims")
    assert names.index("instruction") < names.index("claims")
    assert (text["grounded_claims"], text["total_claims"]) == (1, 2)
    assert [each["claim"] for each in text["claims"]] == ["The tower is green."]
    assert text["left_out"] == {"claims": 1}
    assert len(result.structured_content["claims"]) == 2
    assert result.structured_content["left_out"] == {}


async def test_the_text_of_a_trace_has_the_steps_that_do_not_hold() -> None:
    asked = {"steps": [READ_PRICE, WRONG_PRICE], "sources": [{"text": PRICE}]}
    async with auditing() as served, agent(served.running.target) as client:
        served.engine.answer = believes(EVIDENCE_OF)
        result = await client.call_tool("audit_trace", asked)
    text = json.loads(text_of(result))
    assert [each["step"] for each in text["steps"]] == [WRONG_PRICE]
    assert text["left_out"] == {"steps": 1}


async def test_an_answer_is_read_in_its_conversation() -> None:
    turns = [{"role": "user", "text": "How high is it?"}, {"role": "user", "text": "And how old?"}]
    asked = {"answer": "136 years", "sources": [SOURCE], "turns": json.dumps(turns)}
    async with scripted_server() as served, agent(served.running.target) as client:
        found = (await client.call_tool("verify_answer", asked)).structured_content
        read = set(served.engine.claims)
    assert found["total_claims"] == 1
    assert read == {"Question: How high is it? And how old? Answer: 136 years"}
