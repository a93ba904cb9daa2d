"""Answers that are verified by a corpus: what is asked, and which passages come back."""

from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.client.plain_answers import answer_response
from tests.client.scripted import AnyClient, ScriptedServer, settle


def sourced(**changes: object) -> pb.VerifyAnswerResponse:
    """An answer by one passage."""
    given: dict[str, object] = {
        "id": "P1",
        "document": "a.md",
        "title": "A",
        "text": "text",
        "span": pb.Span(start=2, end=6),
        "similarity": 0.5,
        "dated": "2024-01-02",
        "dated_by": "front matter",
        **changes,
    }
    response = answer_response("0.75")
    response.sources.append(pb.RetrievedSource(**given))  # type: ignore[arg-type]
    return response


async def test_a_corpus_is_named_in_place_of_evidence(
    client: AnyClient, server: ScriptedServer
) -> None:
    await settle(client.verify_answer("0.75", corpus="notes"))
    assert server.received[0].request == pb.VerifyAnswerRequest(
        answer="0.75", evidence=pb.Evidence(), corpus="notes"
    )


async def test_what_a_passage_lacks_is_none(client: AnyClient, server: ScriptedServer) -> None:
    server.script(sourced(similarity=None, dated="", dated_by=""))
    (source,) = (await settle(client.verify_answer("0.75", corpus="notes"))).sources
    assert (source.similarity, source.dated, source.dated_by) == (None, None, "")
