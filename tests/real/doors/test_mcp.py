"""An agent's tools on the real server and the real model, over stdin and stdout."""

from mcp import Client

from tests.server.mcp.agents import agent, command
from tests.serving import Served

SOURCE = {"id": "city", "text": "The bridge was opened by the mayor of the city in May 1932."}


async def test_an_agent_has_its_answer_checked_claim_by_claim(served: Served) -> None:
    answer = "The bridge was opened in May 1932 [city]. It was painted green in 2004 [city]."
    told: list[str | None] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with Client(command("--target", served.target)) as client:
        result = await client.call_tool(
            "verify_answer", {"answer": answer, "sources": [SOURCE]}, progress_callback=progress
        )
    assert not result.is_error
    opened, painted = result.structured_content["claims"]
    assert opened["p1"] > painted["p1"]
    assert painted["verdict"] != "SUPPORTED"
    assert not result.structured_content["overall_grounded"]
    assert len(told) >= 3


async def test_what_an_agent_finds_in_a_corpus_carries_its_claim(served: Served) -> None:
    claim = "PEP 703 makes the global interpreter lock optional."
    async with agent(served.target, timeout_s=60.0) as client:
        found = (await client.call_tool("search_corpus", {"query": claim})).structured_content
        sources = [{"id": each["id"], "text": each["text"]} for each in found["passages"]]
        result = await client.call_tool("verify_claim", {"claim": claim, "sources": sources})
    assert found["passages"]
    assert result.structured_content["p1"] > result.structured_content["p0"]
