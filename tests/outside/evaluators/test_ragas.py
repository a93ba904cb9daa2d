"""The metric with Ragas itself, against real servers; and a report as a frame of its pandas."""

import math

import pytest
from ragas import EvaluationDataset, SingleTurnSample, evaluate

from groundwire import Client, GroundwireError
from groundwire.evaluators.judgement import NotVerifiedError
from groundwire.evaluators.ragas import GroundednessMetric
from tests.outside.evaluators.texts import CONTEXTS, GROUNDED, HALF, MADE_UP, PARTLY_ENDLESS


def sample(answer: str) -> SingleTurnSample:
    return SingleTurnSample(
        user_input="Who built the tower?", response=answer, retrieved_contexts=CONTEXTS
    )


@pytest.mark.parametrize(("answer", "score"), [(GROUNDED, 1.0), (HALF, 0.5), (MADE_UP, 0.0)])
async def test_a_sample_has_the_score_of_its_claims(
    client: Client, answer: str, score: float
) -> None:
    assert await GroundednessMetric(client).single_turn_ascore(sample(answer)) == score


def test_a_dataset_has_a_score_a_row(client: Client) -> None:
    dataset = EvaluationDataset(samples=[sample(GROUNDED), sample(HALF)])
    found = evaluate(dataset, metrics=[GroundednessMetric(client)], show_progress=False)
    assert found["groundedness"] == [1.0, 0.5]


async def test_a_response_that_was_not_read_whole_has_no_score(hasty: Client) -> None:
    with pytest.raises(NotVerifiedError):
        await GroundednessMetric(hasty).single_turn_ascore(sample(PARTLY_ENDLESS))


async def test_without_a_server_there_is_no_score(lost: Client) -> None:
    with pytest.raises(GroundwireError):
        await GroundednessMetric(lost).single_turn_ascore(sample(GROUNDED))


def test_a_row_without_a_score_is_not_a_number(lost: Client) -> None:
    dataset = EvaluationDataset(samples=[sample(GROUNDED)])
    found = evaluate(dataset, metrics=[GroundednessMetric(lost)], show_progress=False)
    assert math.isnan(found["groundedness"][0])


def test_a_report_is_a_data_frame_with_a_row_a_claim(client: Client) -> None:
    report = client.verify_answer(HALF, " ".join(CONTEXTS))
    frame = report.to_pandas()
    assert list(frame["content"]) == [each.content for each in report]
    assert list(frame["grounded"]) == [True, False]
    assert list(frame["p1"]) == [each.p1 for each in report]
    assert HALF[frame["start"][1] : frame["end"][1]] == report[1].content
