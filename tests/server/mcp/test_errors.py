"""What an agent is told where a call fails: reason, field, limit and fix, and no secret."""

import asyncio
import logging

import pytest
from mcp import MCPError

from tests.scripted import scripted_server
from tests.scripted_services.corpus import analyzing
from tests.server.mcp.agents import HEIGHT, SOURCE, agent, claims, error_of

BEARER = "violet-anvil-7"
SECRET = "the plan is in the blue drawer"


@pytest.mark.parametrize(
    ("tool", "asked", "error"),
    [
        ("verify_claim", {"claim": HEIGHT}, "sources: is missing; send it"),
        ("verify_claim", {"claim": 3, "sources": []}, "claim: is no text; send a JSON string"),
        ("verify_claims", {"claims": HEIGHT, "sources": []}, "claims: is no list"),
        ("verify_claims", {"claims": [{}], "sources": []}, "claims[0].text: is missing; send it"),
        (
            "verify_claim",
            {"claim": HEIGHT, "sources": [], "strict": True},
            "strict: the tool has no such argument; leave it out",
        ),
        ("search_corpus", {"query": "a\ud800"}, "query: half a surrogate pair at character 1"),
    ],
)
async def test_arguments_of_another_form_are_refused_by_name(
    tool: str, asked: dict[str, object], error: str
) -> None:
    async with agent("127.0.0.1:1") as client:
        told = error_of(await client.call_tool(tool, asked))
    assert told.startswith("MALFORMED_REQUEST: ")
    assert error in told


@pytest.mark.parametrize(
    ("tool", "asked", "error"),
    [
        ("verify_claim", {"claim": " ", "sources": [SOURCE]}, "EMPTY_CLAIM: claim: has no visible"),
        ("verify_claims", {"claims": [], "sources": [SOURCE]}, "EMPTY_BATCH: claims: is empty"),
        (
            "verify_claim",
            {"claim": HEIGHT, "sources": [SOURCE], "confidence": 2},
            "INVALID_OPTION: confidence: is 2; it must be in [0, 1]",
        ),
        (
            "verify_claims",
            {"claims": claims("a", "b", "c"), "sources": [SOURCE]},
            "TOO_MANY_CLAIMS: claims: holds more than 2 claims, which is the limit: split",
        ),
        (
            "verify_claim",
            {"claim": HEIGHT, "sources": [{"text": "a" * 5000}]},
            "TEXT_TOO_LONG: sources[0].text: has 5,000 bytes; the limit is 4,000",
        ),
        (
            "verify_claim",
            {"claim": HEIGHT, "sources": [{"text": "a", "id": "S\n1"}]},
            "INVALID_SOURCE: sources[0].id: holds a control character",
        ),
        ("verify_answer", {"answer": "", "sources": [SOURCE]}, "EMPTY_TEXT: answer: has no"),
        ("verify_answer", {"answer": HEIGHT, "corpus": "x"}, "UNKNOWN_CORPUS: corpus: can name"),
    ],
)
async def test_what_the_server_refuses_is_told_by_the_tools_own_argument(
    tool: str, asked: dict[str, object], error: str
) -> None:
    limits = {"max_claims": 2, "verify_max_claims": 2, "max_text_characters": 1000}
    async with scripted_server(**limits) as served, agent(served.running.target) as client:  # type: ignore[arg-type]
        told = error_of(await client.call_tool(tool, asked))
    assert error in told


@pytest.mark.parametrize(
    ("tool", "asked", "setting"),
    [
        ("check_facts", {"facts": claims("a"), "sources": [SOURCE]}, "memory_gate_enabled"),
        ("audit_trace", {"steps": ["a"], "sources": [SOURCE]}, "trace_auditing_enabled"),
        ("assess_response", {"response": "a"}, "response_assessment_enabled"),
        ("search_corpus", {"query": "a"}, "retrieval_corpora"),
    ],
)
async def test_what_is_switched_off_is_told_with_the_setting_that_switches_it_on(
    tool: str, asked: dict[str, object], setting: str
) -> None:
    async with scripted_server() as served, agent(served.running.target) as client:
        assert setting in error_of(await client.call_tool(tool, asked))


async def test_a_server_that_loads_says_so_and_when_to_call_again() -> None:
    async with scripted_server(loaded=False) as served, agent(served.running.target) as client:
        told = error_of(
            await client.call_tool("verify_claim", {"claim": HEIGHT, "sources": [SOURCE]})
        )
    assert told.startswith("LOADING: ")
    assert "call again in ten seconds" in told


@pytest.mark.parametrize("token", [None, "wrong"])
async def test_a_wrong_token_is_told_with_where_it_comes_from(token: str | None) -> None:
    async with (
        scripted_server(auth_token=BEARER) as served,
        agent(served.running.target, token) as client,
    ):
        told = error_of(
            await client.call_tool("verify_claim", {"claim": HEIGHT, "sources": [SOURCE]})
        )
    assert told.startswith("INVALID_TOKEN: ")
    assert "GROUNDWIRE_CLIENT_TOKEN" in told
    assert BEARER not in told


async def test_a_server_that_is_gone_is_told_with_how_to_start_one() -> None:
    async with agent("127.0.0.1:1", timeout_s=3.0) as client:
        told = error_of(
            await client.call_tool("verify_claim", {"claim": HEIGHT, "sources": [SOURCE]})
        )
    assert told.startswith("UNAVAILABLE: no server answers")
    assert "groundwire serve" in told


async def test_a_call_that_takes_too_long_says_what_to_do() -> None:
    async with (
        scripted_server() as served,
        agent(served.running.target, timeout_s=0.5) as client,
    ):
        served.engine.stuck.add(HEIGHT)
        told = error_of(
            await client.call_tool("verify_claim", {"claim": HEIGHT, "sources": [SOURCE]})
        )
    assert told.startswith("DEADLINE_EXCEEDED: ")
    assert "--timeout-s" in told


async def test_a_corpus_that_is_not_named_where_there_are_several_is_told() -> None:
    async with analyzing() as served, agent(served.running.target) as client:
        told = error_of(await client.call_tool("search_corpus", {"query": "a", "corpus": "/etc"}))
    assert told.startswith("UNKNOWN_CORPUS: corpus: names no corpus of this server")


async def test_a_tool_that_there_is_not_is_an_error_that_names_those_there_are() -> None:
    async with agent("127.0.0.1:1") as client:
        with pytest.raises(MCPError, match=r"there is no tool of this name.*verify_claim"):
            await client.call_tool("verify_everything", {})


async def test_an_agent_that_leaves_cancels_its_call() -> None:
    async with scripted_server() as served, agent(served.running.target) as client:
        served.engine.hold()
        asked = {"claim": HEIGHT, "sources": [SOURCE]}
        call = asyncio.create_task(client.call_tool("verify_claim", asked))
        await served.engine.until(lambda: HEIGHT in served.engine.claims)
        call.cancel()
        await served.engine.until(lambda: served.engine.cancelled > 0)
        served.engine.release()


async def test_neither_claims_nor_sources_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with scripted_server() as served, agent(served.running.target) as client:
        await client.call_tool("verify_claim", {"claim": SECRET, "sources": [{"text": SECRET}]})
        await client.call_tool("verify_claim", {"claim": SECRET, "sources": [{"txt": SECRET}]})
        await client.call_tool("audit_trace", {"steps": [SECRET]})
    assert SECRET not in caplog.text
