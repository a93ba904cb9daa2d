"""The call that compares an answer with texts."""

import math
from collections.abc import Iterable

from groundwire._calls.claims import check_span
from groundwire._wire.calls import Call
from groundwire._wire.fields import checked_text, checked_texts, duration_s, require, share
from groundwire._wire.reading import read
from groundwire.errors import InvalidResponseError
from groundwire.similarity import ComparedSentence, SimilarityResult
from groundwire.v1 import similarity_pb2 as pb

_TOLERANCE = 1e-9


def check_similarity(
    answer: str, contexts: Iterable[str], threshold: float | None
) -> Call[pb.CheckSimilarityResponse, SimilarityResult]:
    """The comparison of an answer with texts. Raises as `extract_claims`."""
    request = pb.CheckSimilarityRequest(
        answer=checked_text("answer", answer), contexts=checked_texts("contexts", contexts)
    )
    if threshold is not None:
        request.threshold = threshold
    return Call(
        "Similarity/CheckSimilarity",
        request,
        pb.CheckSimilarityResponse,
        lambda response: _similarity_result(response, len(answer), len(request.contexts)),
    )


def _similarity_result(
    response: pb.CheckSimilarityResponse, characters: int, contexts: int
) -> SimilarityResult:
    """Reads the report on an answer of so many characters, compared with so many contexts."""
    require(response, "total_duration")
    threshold = share("the threshold", response.threshold)
    result = read(
        SimilarityResult,
        response,
        sentences=tuple(
            _sentence(each, threshold, characters, contexts) for each in response.sentences
        ),
        total_s=duration_s(response.total_duration),
    )
    _check_score(result)
    return result


def _sentence(
    message: pb.ComparedSentence, threshold: float, characters: int, contexts: int
) -> ComparedSentence:
    cosine = message.similarity
    if not -1.0 <= cosine <= 1.0:
        raise InvalidResponseError(f"a similarity is {cosine}")
    if message.supported != (cosine >= threshold):
        raise InvalidResponseError(
            f"supported is {message.supported} for {cosine} by the threshold {threshold}"
        )
    if not 0 <= message.context_index < contexts:
        raise InvalidResponseError(f"context {message.context_index} of {contexts}")
    sentence = read(ComparedSentence, message)
    check_span(sentence.span, characters)
    return sentence


def _check_score(result: SimilarityResult) -> None:
    told = result.hallucination_score
    if not result.sentences:
        if told is not None:
            raise InvalidResponseError(f"the score {told} of no sentence")
        return
    own = len(result.unsupported) / len(result.sentences)
    if told is None or not math.isclose(told, own, abs_tol=_TOLERANCE):
        raise InvalidResponseError(f"the score is {told}, by the sentences {own}")
