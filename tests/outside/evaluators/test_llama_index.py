"""The evaluator with LlamaIndex itself, against real servers."""

import pytest
from llama_index.core.base.response.schema import Response
from llama_index.core.evaluation import BatchEvalRunner
from llama_index.core.schema import NodeWithScore, TextNode

from groundwire import Client, Thresholds, VerifyOptions
from groundwire.evaluators.llama_index import GroundednessEvaluator
from tests.outside.evaluators.texts import (
    CONTEXTS,
    ENDLESS,
    GROUNDED,
    HALF,
    MADE_UP,
    PARTLY_ENDLESS,
    UNREADABLE,
)

QUERY = "Who built the tower?"


@pytest.mark.parametrize(
    ("answer", "score", "passing"), [(GROUNDED, 1.0, True), (HALF, 0.5, False), (MADE_UP, 0, False)]
)
def test_a_response_has_the_score_of_its_claims(
    client: Client, answer: str, score: float, passing: bool
) -> None:
    found = GroundednessEvaluator(client).evaluate(QUERY, answer, CONTEXTS)

    assert (found.score, found.passing, found.invalid_result) == (score, passing, False)
    assert (found.query, found.response, found.contexts) == (QUERY, answer, CONTEXTS)


async def test_a_response_is_evaluated_asynchronously(client: Client) -> None:
    found = await GroundednessEvaluator(client).aevaluate(QUERY, HALF, CONTEXTS)
    assert (found.score, found.passing) == (0.5, False)
    assert found.feedback is not None
    assert "UNSUPPORTED" in found.feedback


def test_the_options_say_when_a_response_passes(client: Client) -> None:
    options = VerifyOptions(thresholds=Thresholds(min_grounded_ratio=0.5))
    found = GroundednessEvaluator(client, options=options).evaluate(None, HALF, CONTEXTS)
    assert found.passing


@pytest.mark.parametrize("answer", [UNREADABLE, PARTLY_ENDLESS, ENDLESS, ""])
def test_what_was_not_verified_is_invalid_and_does_not_pass(hasty: Client, answer: str) -> None:
    found = GroundednessEvaluator(hasty).evaluate(QUERY, answer, CONTEXTS)

    assert (found.invalid_result, found.passing, found.score) == (True, False, None)
    assert found.invalid_reason


def test_the_query_is_read_where_it_is_asked_for(client: Client) -> None:
    query = "?" * 1001
    assert GroundednessEvaluator(client).evaluate(query, GROUNDED, CONTEXTS).passing
    asked = GroundednessEvaluator(client, with_question=True).evaluate(query, GROUNDED, CONTEXTS)
    assert asked.invalid_result
    assert "question" in (asked.invalid_reason or "")


async def test_a_server_that_does_not_answer_makes_a_result_invalid(lost: Client) -> None:
    found = await GroundednessEvaluator(lost).aevaluate(QUERY, GROUNDED, CONTEXTS)
    assert (found.invalid_result, found.passing, found.score) == (True, False, None)
    assert "DEADLINE_EXCEEDED" in (found.invalid_reason or "")


@pytest.mark.parametrize(("response", "contexts"), [(None, CONTEXTS), (GROUNDED, None)])
def test_a_response_and_its_contexts_are_needed(
    client: Client, response: str | None, contexts: list[str] | None
) -> None:
    with pytest.raises(ValueError, match="must be provided"):
        GroundednessEvaluator(client).evaluate(QUERY, response, contexts)


def test_a_response_of_a_query_engine_is_judged_by_its_nodes(client: Client) -> None:
    nodes = [NodeWithScore(node=TextNode(text=text)) for text in CONTEXTS]
    response = Response(GROUNDED, source_nodes=nodes)
    assert GroundednessEvaluator(client).evaluate_response(QUERY, response).passing


async def test_a_batch_has_a_result_for_each_response(client: Client) -> None:
    runner = BatchEvalRunner({"groundedness": GroundednessEvaluator(client)}, workers=2)
    found = await runner.aevaluate_response_strs(
        queries=[QUERY] * 3,
        response_strs=[GROUNDED, HALF, UNREADABLE],
        contexts_list=[CONTEXTS] * 3,
    )
    assert [each.score for each in found["groundedness"]] == [1.0, 0.5, None]


def test_the_feedback_ends_with_the_corrected_answer_where_it_is_asked(client: Client) -> None:
    evaluator = GroundednessEvaluator(client, correct=True)
    feedback = evaluator.evaluate(QUERY, HALF, CONTEXTS).feedback
    assert feedback is not None
    assert "Corrected: The Galata Tower has nine floors." in feedback
