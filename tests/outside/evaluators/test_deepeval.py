"""The metric with DeepEval itself, against real servers."""

import pytest
from deepeval import assert_test, evaluate
from deepeval.errors import MissingTestCaseParamsError
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics.utils import copy_metrics
from deepeval.test_case import LLMTestCase, RetrievedContextData

from groundwire import Client, GroundwireError, InvalidRequestError, Thresholds, VerifyOptions
from groundwire.evaluators.deepeval import GroundednessMetric
from groundwire.evaluators.judgement import NotVerifiedError
from tests.outside.evaluators.texts import (
    CONTEXTS,
    ENDLESS,
    GROUNDED,
    HALF,
    MADE_UP,
    PARTLY_ENDLESS,
    UNREADABLE,
)

QUIET = {
    "display_config": DisplayConfig(show_indicator=False, print_results=False),
    "cache_config": CacheConfig(write_cache=False),
}


def case(answer: str | None) -> LLMTestCase:
    return LLMTestCase(
        input="Who built the tower?", actual_output=answer, retrieval_context=CONTEXTS
    )


@pytest.mark.parametrize(
    ("answer", "score", "success"), [(GROUNDED, 1.0, True), (HALF, 0.5, False), (MADE_UP, 0, False)]
)
def test_a_test_case_has_the_score_of_its_claims(
    client: Client, answer: str, score: float, success: bool
) -> None:
    metric = GroundednessMetric(client)

    assert metric.measure(case(answer)) == score
    assert (metric.score, metric.is_successful()) == (score, success)


async def test_a_test_case_is_scored_asynchronously(client: Client) -> None:
    metric = GroundednessMetric(client)

    assert await metric.a_measure(case(HALF)) == 0.5
    assert not metric.is_successful()


def test_the_reason_names_what_is_not_grounded(client: Client) -> None:
    metric = GroundednessMetric(client)
    metric.measure(case(HALF))
    assert metric.reason is not None
    assert metric.reason.startswith("1 of 2 claims are grounded.\nUNSUPPORTED")
    assert metric.reason.endswith("It was built by the Romans.")


def test_the_threshold_is_the_servers_and_keeps_the_other_options(client: Client) -> None:
    options = VerifyOptions(thresholds=Thresholds(default_confidence=0.9))
    metric = GroundednessMetric(client, 0.5, options=options)
    metric.measure(case(HALF))
    assert metric.is_successful()


def test_nothing_grounded_is_no_success_at_any_threshold(client: Client) -> None:
    metric = GroundednessMetric(client, 0.0)
    assert metric.measure(case(MADE_UP)) == 0.0
    assert not metric.is_successful()


@pytest.mark.parametrize("answer", [UNREADABLE, PARTLY_ENDLESS, ENDLESS])
def test_what_was_not_verified_raises_and_the_success_before_is_forgotten(
    hasty: Client, answer: str
) -> None:
    metric = GroundednessMetric(hasty)
    metric.measure(case(GROUNDED))

    with pytest.raises(GroundwireError):
        metric.measure(case(answer))

    assert not metric.is_successful()
    assert metric.score is None


async def test_asynchronously_what_was_not_verified_raises_too(client: Client) -> None:
    metric = GroundednessMetric(client)
    with pytest.raises(NotVerifiedError):
        await metric.a_measure(case(UNREADABLE))
    assert not metric.is_successful()


def test_a_server_that_does_not_answer_raises(lost: Client) -> None:
    metric = GroundednessMetric(lost)
    with pytest.raises(GroundwireError):
        metric.measure(case(GROUNDED))
    assert not metric.is_successful()


def test_a_test_case_without_an_answer_or_a_context_is_refused(client: Client) -> None:
    metric = GroundednessMetric(client)
    with pytest.raises(MissingTestCaseParamsError, match="Groundedness"):
        metric.measure(case(None))
    with pytest.raises(MissingTestCaseParamsError, match="Groundedness"):
        metric.measure(LLMTestCase(input="?", actual_output=GROUNDED))


def test_a_context_with_a_source_is_read_without_its_source(client: Client) -> None:
    context = [RetrievedContextData(source="guide", context=text) for text in CONTEXTS]
    found = LLMTestCase(input="?", actual_output=GROUNDED, retrieval_context=context)
    assert GroundednessMetric(client).measure(found) == 1.0


@pytest.mark.parametrize("run_async", [True, False])
def test_evaluate_marks_successes_and_failures(client: Client, run_async: bool) -> None:
    found = evaluate(
        [case(GROUNDED), case(HALF)],
        [GroundednessMetric(client)],
        async_config=AsyncConfig(run_async=run_async),
        **QUIET,
    )
    assert {each.success for each in found.test_results} == {True, False}


@pytest.mark.parametrize("run_async", [True, False])
def test_evaluate_marks_what_was_not_verified_as_an_error(client: Client, run_async: bool) -> None:
    found = evaluate(
        [case(UNREADABLE)],
        [GroundednessMetric(client)],
        async_config=AsyncConfig(run_async=run_async),
        error_config=ErrorConfig(ignore_errors=True),
        **QUIET,
    )
    (result,) = found.test_results
    assert result.success is False
    (data,) = result.metrics_data
    assert (data.success, data.score) == (False, None)
    assert "LABEL_MASS_BELOW_FLOOR" in data.error


def test_evaluate_raises_what_was_not_verified_by_default(client: Client) -> None:
    with pytest.raises(NotVerifiedError):
        evaluate([case(UNREADABLE)], [GroundednessMetric(client)], **QUIET)


def test_assert_test_fails_for_an_answer_that_is_not_grounded(client: Client) -> None:
    with pytest.raises(AssertionError, match="Groundedness"):
        assert_test(case(MADE_UP), [GroundednessMetric(client)])
    assert_test(case(GROUNDED), [GroundednessMetric(client)])


def test_a_copy_has_the_same_client_threshold_and_options(client: Client) -> None:
    options = VerifyOptions(max_claims=3)
    (copy,) = copy_metrics([GroundednessMetric(client, 0.5, options=options, with_question=True)])
    assert (copy.client, copy.threshold, copy.options) == (client, 0.5, options)
    assert copy.with_question


def test_the_question_is_read_where_it_is_asked_for(client: Client) -> None:
    found = LLMTestCase(input="?" * 1001, actual_output=GROUNDED, retrieval_context=list(CONTEXTS))
    assert GroundednessMetric(client).measure(found) == 1.0
    with pytest.raises(InvalidRequestError, match="question"):
        GroundednessMetric(client, with_question=True).measure(found)
