"""The component with Haystack itself, against real servers."""

import math

import pytest
from haystack import Pipeline
from haystack.evaluation import EvaluationRunResult
from haystack.utils import Secret

from groundwire import (
    DeadlineExceededError,
    InvalidRequestError,
    Thresholds,
    UnauthenticatedError,
    VerifyOptions,
)
from groundwire.errors import GroundwireError
from groundwire.evaluators.haystack import GroundednessEvaluator
from groundwire.evaluators.judgement import NotVerifiedError
from groundwire.inputs import Policy
from tests.outside.evaluators.texts import (
    CONTEXTS,
    ENDLESS,
    GROUNDED,
    HALF,
    MADE_UP,
    PARTLY_ENDLESS,
    UNREADABLE,
)


def rows(*answers: str) -> dict[str, list[object]]:
    count = len(answers)
    return {
        "questions": ["Who built the tower?"] * count,
        "contexts": [CONTEXTS] * count,
        "predicted_answers": list(answers),
    }


def test_an_answers_score_is_the_share_of_its_claims_that_are_grounded(target: str) -> None:
    found = GroundednessEvaluator(target).run(**rows(GROUNDED, HALF, MADE_UP))

    assert found["individual_scores"] == [1.0, 0.5, 0.0]
    assert found["score"] == 0.5
    assert [result["grounded"] for result in found["results"]] == [True, False, False]


def test_a_result_names_the_claims_with_their_scores_and_verdicts(target: str) -> None:
    (result,) = GroundednessEvaluator(target).run(**rows(HALF))["results"]

    assert result["statements"] == HALF.replace(". ", ".|").split("|")
    assert result["statement_scores"] == [1, 0]
    assert result["verdicts"] == ["SUPPORTED", "UNSUPPORTED"]
    assert result["status"] == "evaluated"
    assert "1 of 2 claims are grounded" in result["reason"]
    assert len(result["detection_id"]) == 32


def test_a_result_has_the_corrected_answer_where_it_is_asked(target: str) -> None:
    (result,) = GroundednessEvaluator(target, correct=True).run(**rows(HALF))["results"]
    assert result["corrected_answer"].startswith("The Galata Tower has nine floors.")
    assert "Romans" not in result["corrected_answer"]
    (result,) = GroundednessEvaluator(target).run(**rows(HALF))["results"]
    assert result["corrected_answer"] is None


@pytest.mark.parametrize("answer", [UNREADABLE, PARTLY_ENDLESS, ENDLESS])
def test_what_was_not_verified_raises(target: str, answer: str) -> None:
    with pytest.raises(GroundwireError):
        GroundednessEvaluator(target, timeout_s=2).run(**rows(answer))


@pytest.mark.parametrize("answer", [UNREADABLE, PARTLY_ENDLESS, ENDLESS, ""])
def test_what_was_not_verified_is_nan_and_left_out_of_the_score(target: str, answer: str) -> None:
    evaluator = GroundednessEvaluator(target, timeout_s=2, raise_on_failure=False)

    found = evaluator.run(**rows(answer, HALF))

    assert math.isnan(found["individual_scores"][0])
    assert found["score"] == 0.5
    assert found["results"][0]["status"] == "error"
    assert found["results"][0]["reason"]
    assert not found["results"][0]["grounded"]


def test_a_server_that_does_not_answer_raises(nobody: str) -> None:
    with pytest.raises(DeadlineExceededError):
        GroundednessEvaluator(nobody, timeout_s=0.5).run(**rows(GROUNDED))


def test_without_any_score_there_is_no_mean(nobody: str) -> None:
    evaluator = GroundednessEvaluator(nobody, timeout_s=0.5, raise_on_failure=False)
    assert math.isnan(evaluator.run(**rows(GROUNDED))["score"])


def test_an_answer_with_more_claims_than_are_verified_has_no_score(target: str) -> None:
    evaluator = GroundednessEvaluator(target, options=VerifyOptions(max_claims=1))
    with pytest.raises(NotVerifiedError, match=r"BEYOND_MAX_CLAIMS.*max_claims"):
        evaluator.run(**rows(GROUNDED))


def test_the_question_is_read_where_it_is_asked_for(target: str) -> None:
    inputs = rows(GROUNDED) | {"questions": ["?" * 1001]}
    assert GroundednessEvaluator(target).run(**inputs)["score"] == 1.0
    with pytest.raises(InvalidRequestError, match="question"):
        GroundednessEvaluator(target, with_question=True).run(**inputs)


def test_lists_of_different_lengths_are_refused(target: str) -> None:
    with pytest.raises(ValueError, match="equally long, not 0, 1 and 1"):
        GroundednessEvaluator(target).run(**rows(GROUNDED) | {"questions": []})


def test_it_runs_in_a_pipeline_whose_results_haystack_reports(target: str) -> None:
    pipeline = Pipeline()
    pipeline.add_component("groundedness", GroundednessEvaluator(target))
    inputs = rows(GROUNDED, HALF)

    found = pipeline.run({"groundedness": inputs})

    report = EvaluationRunResult("run", inputs, {"groundedness": found["groundedness"]})
    assert report.aggregated_report()["score"] == [0.75]


async def test_it_runs_in_a_pipeline_for_asyncio(target: str) -> None:
    pipeline = Pipeline()
    pipeline.add_component("groundedness", GroundednessEvaluator(target))
    found = await pipeline.run_async({"groundedness": rows(HALF)})
    assert found["groundedness"]["individual_scores"] == [0.5]


async def test_asynchronously_what_was_not_verified_raises_too(target: str) -> None:
    with pytest.raises(NotVerifiedError, match="1 LABEL_MASS_BELOW_FLOOR"):
        await GroundednessEvaluator(target).run_async(**rows(UNREADABLE))


def test_it_is_saved_with_its_pipeline_and_loaded_again(guarded: str) -> None:
    options = VerifyOptions(policy=Policy.BUDGET, thresholds=Thresholds(min_grounded_ratio=0.5))
    pipeline = Pipeline()
    pipeline.add_component(
        "groundedness",
        GroundednessEvaluator(guarded, token=Secret.from_env_var("A_TOKEN"), options=options),
    )

    loaded = Pipeline.loads(pipeline.dumps(), allowed_modules=["groundwire"])

    evaluator = loaded.get_component("groundedness")
    assert evaluator.options == options
    assert evaluator.to_dict() == pipeline.get_component("groundedness").to_dict()


def test_its_token_goes_with_the_call(guarded: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "a-token-of-the-tests")
    evaluator = GroundednessEvaluator(guarded, token=Secret.from_env_var("A_TOKEN"))
    assert evaluator.run(**rows(GROUNDED))["score"] == 1.0


def test_without_its_token_nothing_is_evaluated(guarded: str) -> None:
    with pytest.raises(UnauthenticatedError):
        GroundednessEvaluator(guarded).run(**rows(GROUNDED))
