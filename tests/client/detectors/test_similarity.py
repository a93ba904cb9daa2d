"""What the clients make of a comparison by similarity, and which ones they refuse."""

import pytest
from google.protobuf.duration_pb2 import Duration

from groundwire import (
    InvalidRequestError,
)
from groundwire.v1 import similarity_pb2 as pb
from tests.client.scripted import AnyClient, ScriptedServer, settle

ANSWER = "It rained. It snowed."
CONTEXTS = ["a", "b"]


async def test_a_result_knows_the_sentences_that_are_not_supported(client: AnyClient) -> None:
    result = await settle(client.check_similarity(ANSWER, CONTEXTS))
    assert result.unsupported == (result.sentences[1],)


async def test_a_request_carries_all_that_was_given(
    server: ScriptedServer, client: AnyClient
) -> None:
    await settle(client.check_similarity(ANSWER, iter(CONTEXTS), threshold=0.0))
    assert server.received[0].request == pb.CheckSimilarityRequest(
        answer=ANSWER, contexts=CONTEXTS, threshold=0.0
    )


async def test_a_threshold_that_is_not_given_is_the_servers(
    server: ScriptedServer, client: AnyClient
) -> None:
    await settle(client.check_similarity(ANSWER, CONTEXTS))
    request = server.received[0].request
    assert request == pb.CheckSimilarityRequest(answer=ANSWER, contexts=CONTEXTS)


async def test_the_score_of_no_sentence_is_none(server: ScriptedServer, client: AnyClient) -> None:
    server.script(pb.CheckSimilarityResponse(threshold=0.6, total_duration=Duration()))
    result = await settle(client.check_similarity(ANSWER, CONTEXTS))
    assert (result.sentences, result.hallucination_score) == ((), None)


async def test_one_text_is_no_list_of_contexts(client: AnyClient) -> None:
    with pytest.raises(TypeError, match="many texts"):
        await settle(client.check_similarity(ANSWER, "context"))


async def test_a_context_that_is_no_unicode_is_named(client: AnyClient) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        await settle(client.check_similarity(ANSWER, ["a", "\ud800"]))
    assert caught.value.violations[0].field == "contexts[1]"
