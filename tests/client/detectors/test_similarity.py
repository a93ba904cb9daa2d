"""What the clients make of a comparison by similarity, and which ones they refuse."""

from collections.abc import Callable, Iterator

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from groundwire import (
    Client,
    InvalidRequestError,
    InvalidResponseError,
    NotEnabledError,
    Span,
    check_similarity,
)
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import similarity_pb2 as pb
from groundwire.v1.similarity_pb2_grpc import SimilarityServicer, add_SimilarityServicer_to_server
from tests.client.scripted import AnyClient, failing, settle
from tests.client.scripted_detection import DetectionServer

ANSWER = "It rained. It snowed."
CONTEXTS = ["a", "b"]
Change = Callable[[pb.CheckSimilarityResponse], object]


def similarity_response() -> pb.CheckSimilarityResponse:
    """The plain answer on ANSWER, of which the first sentence is supported."""
    return pb.CheckSimilarityResponse(
        sentences=[
            pb.ComparedSentence(
                text="It rained.",
                span=detection_pb.Span(start=0, end=10),
                similarity=0.75,
                context_index=1,
                supported=True,
            ),
            pb.ComparedSentence(
                text="It snowed.", span=detection_pb.Span(start=11, end=21), similarity=-0.25
            ),
        ],
        short_sentences=1,
        hallucination_score=0.5,
        threshold=0.6,
        embedder="tiny",
        total_duration=Duration(seconds=1, nanos=500_000_000),
    )


class SimilarityServer(DetectionServer, SimilarityServicer):
    """As DetectionServer; it compares, too."""

    def _add_services(self, server: grpc.Server) -> None:
        super()._add_services(server)
        add_SimilarityServicer_to_server(self, server)

    def CheckSimilarity(
        self, request: pb.CheckSimilarityRequest, context: grpc.ServicerContext
    ) -> pb.CheckSimilarityResponse:
        return self._answer(request, context, similarity_response())


@pytest.fixture
def server() -> Iterator[SimilarityServer]:
    server = SimilarityServer()
    yield server
    server.stop()


async def test_a_result_has_every_sentence_and_the_score(client: AnyClient) -> None:
    result = await settle(client.check_similarity(ANSWER, CONTEXTS))

    first, second = result
    assert (first.text, first.span, first.context_index) == ("It rained.", Span(0, 10), 1)
    assert (first.similarity, first.supported) == (0.75, True)
    assert result.unsupported == (second,)
    assert (result.hallucination_score, result.short_sentences) == (0.5, 1)
    assert (result.threshold, result.embedder, result.total_s) == (0.6, "tiny", 1.5)


async def test_a_request_carries_all_that_was_given(
    server: SimilarityServer, client: AnyClient
) -> None:
    await settle(client.check_similarity(ANSWER, iter(CONTEXTS), threshold=0.0))
    assert server.received[0].request == pb.CheckSimilarityRequest(
        answer=ANSWER, contexts=CONTEXTS, threshold=0.0
    )


async def test_a_threshold_that_is_not_given_is_the_servers(
    server: SimilarityServer, client: AnyClient
) -> None:
    await settle(client.check_similarity(ANSWER, CONTEXTS))
    request = server.received[0].request
    assert request == pb.CheckSimilarityRequest(answer=ANSWER, contexts=CONTEXTS)


async def test_the_score_of_no_sentence_is_none(
    server: SimilarityServer, client: AnyClient
) -> None:
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


async def test_similarity_that_is_switched_off_is_an_error_of_its_own(
    server: SimilarityServer, client: AnyClient
) -> None:
    server.script(failing(grpc.StatusCode.FAILED_PRECONDITION, "NOT_ENABLED"))
    with pytest.raises(NotEnabledError):
        await settle(client.check_similarity(ANSWER, CONTEXTS))


def _supported_below(response: pb.CheckSimilarityResponse) -> None:
    response.sentences[1].supported = True


def _no_number(response: pb.CheckSimilarityResponse) -> None:
    response.sentences[0].similarity = float("nan")


def _another_context(response: pb.CheckSimilarityResponse) -> None:
    response.sentences[0].context_index = 2


def _beyond_the_answer(response: pb.CheckSimilarityResponse) -> None:
    response.sentences[1].span.end = 22


def _another_score(response: pb.CheckSimilarityResponse) -> None:
    response.hallucination_score = 0.25


def _no_score(response: pb.CheckSimilarityResponse) -> None:
    response.ClearField("hallucination_score")


def _a_score_of_nothing(response: pb.CheckSimilarityResponse) -> None:
    response.ClearField("sentences")


def _no_threshold(response: pb.CheckSimilarityResponse) -> None:
    response.threshold = 2.0


def _no_time(response: pb.CheckSimilarityResponse) -> None:
    response.ClearField("total_duration")


@pytest.mark.parametrize(
    "change",
    [
        _supported_below,
        _no_number,
        _another_context,
        _beyond_the_answer,
        _another_score,
        _no_score,
        _a_score_of_nothing,
        _no_threshold,
        _no_time,
    ],
)
async def test_a_result_that_its_numbers_do_not_carry_is_refused(
    server: SimilarityServer, client: AnyClient, change: Change
) -> None:
    response = similarity_response()
    change(response)
    server.script(response)
    with pytest.raises(InvalidResponseError):
        await settle(client.check_similarity(ANSWER, CONTEXTS))


def test_an_answer_is_compared_in_one_line(server: SimilarityServer) -> None:
    with Client(server.target) as client:
        assert check_similarity(ANSWER, CONTEXTS, client=client).hallucination_score == 0.5
