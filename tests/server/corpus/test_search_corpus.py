"""SearchCorpus on a real server with a corpus in memory, by the Python client."""

import pytest

from groundwire import AsyncClient, InvalidRequestError, UnavailableError
from groundwire_verifier.checks.corpus.passages import Passage
from tests.scripted_services.corpus import (
    GIL,
    PEP,
    MemoryCorpus,
    analyzing,
    passage,
    python_corpus,
)


async def test_passages_come_best_first_with_ids_that_can_be_cited() -> None:
    async with analyzing() as served, AsyncClient(served.running.target) as client:
        found = await client.search_corpus("Did Python 3.12 remove the GIL?", "python")
    assert [(each.id, each.document) for each in found] == [("P1", "gil.md"), ("P2", "pep-703.md")]
    assert [each.text for each in found] == [GIL, PEP]
    assert found[1].title == "PEP 703"
    assert found.corpus == "python"
    assert served.engine.prompts == []


async def test_the_caller_says_how_many_passages_else_the_server_does() -> None:
    corpus = python_corpus()
    async with (
        analyzing({"python": corpus}, retrieval_top_k=7) as served,
        AsyncClient(served.running.target) as client,
    ):
        assert len(await client.search_corpus("GIL", max_passages=1)) == 1
        await client.search_corpus("GIL")
    assert [most for _, most in corpus.asked] == [1, 7]


async def test_a_search_needs_neither_the_model_nor_the_switch_of_analyses() -> None:
    async with (
        analyzing(loaded=False, epistemic_risk_enabled=False) as served,
        AsyncClient(served.running.target) as client,
    ):
        assert len(await client.search_corpus("GIL")) == 2


@pytest.mark.parametrize(
    ("query", "corpus", "most", "reason", "words"),
    [
        ("", "", None, "EMPTY_TEXT", "query: has no visible character; send what to look for"),
        ("GIL " * 5000, "", None, "TEXT_TOO_LONG", "query: has 20,000 characters; the limit is"),
        ("GIL", "", 0, "INVALID_OPTION", "max_passages: is 0; it must be 1 to 100"),
        ("GIL", "", 101, "INVALID_OPTION", "max_passages: is 101; it must be 1 to 100"),
        ("GIL", "/etc", None, "UNKNOWN_CORPUS", "corpus: names no corpus of this server"),
    ],
)
async def test_a_search_that_cannot_be_made_is_refused_by_field_limit_and_fix(
    query: str, corpus: str, most: int | None, reason: str, words: str
) -> None:
    async with analyzing() as served, AsyncClient(served.running.target) as client:
        with pytest.raises(InvalidRequestError, match=words) as caught:
            await client.search_corpus(query, corpus, max_passages=most)
    assert caught.value.reason == reason


async def test_a_server_without_a_corpus_says_which_setting_names_one() -> None:
    async with analyzing({}) as served, AsyncClient(served.running.target) as client:
        with pytest.raises(InvalidRequestError, match="its operator sets retrieval_corpora"):
            await client.search_corpus("GIL")


async def test_one_of_several_corpora_has_to_be_named() -> None:
    several = {"python": python_corpus(), "notes": MemoryCorpus(passage("The GIL is a lock."))}
    async with analyzing(several) as served, AsyncClient(served.running.target) as client:
        with pytest.raises(InvalidRequestError, match="has several: name one"):
            await client.search_corpus("GIL")
        assert (await client.search_corpus("GIL", "notes")).corpus == "notes"


async def test_a_corpus_that_cannot_be_read_is_unavailable() -> None:
    class Broken:
        async def retrieve(self, claim: str, top_k: int) -> list[Passage]:
            raise RuntimeError("the disk is gone")

    async with analyzing({"b": Broken()}) as served, AsyncClient(served.running.target) as client:
        with pytest.raises(UnavailableError, match="gave no evidence: RuntimeError") as caught:
            await client.search_corpus("GIL")
    assert caught.value.reason == "CORPUS_UNAVAILABLE"
