"""Questions over a state, answered by the embedded model: what it can tell, and what it cannot."""

import pytest

from groundwire import (
    Choice,
    Client,
    DecisionResult,
    Estimate,
    NoProbabilityReason,
    OptionsAnswer,
    Predicate,
    Score,
)
from groundwire.decisions import Question

STATE = (
    "The Harbour Inn has 12 rooms. A room costs 60 dollars a night, and breakfast is served from "
    "7 to 10. Dogs are not allowed."
)
TRUE, FALSE = "A room costs 60 dollars a night.", "A room costs 90 dollars a night."


@pytest.fixture
def decided(client: Client) -> DecisionResult:
    questions: dict[str, Question] = {
        "true": Predicate(TRUE),
        "false": Predicate(FALSE),
        "choice": Choice("What does a room cost a night?", ("60 dollars", "90 dollars")),
        "score": Score("How expensive is a room?", ("cheap", "fair", "expensive")),
    }
    return client.decide(STATE, questions)


def test_the_embedded_model_tells_a_true_predicate_from_a_false_one(
    client: Client, decided: DecisionResult
) -> None:
    true, false = decided["true"], decided["false"]
    assert isinstance(true, Estimate)
    assert isinstance(false, Estimate)
    assert true.probability is not None
    assert false.probability is not None
    assert true.probability > 0.6
    assert false.probability < 0.3
    # The same read as that of a claim, up to the noise of a batch.
    estimate = client.estimate(TRUE, STATE)
    assert true.probability == pytest.approx(estimate.estimate.probability, abs=0.03)


@pytest.mark.parametrize("name", ["choice", "score"])
def test_the_embedded_model_which_only_says_yes_and_no_takes_no_option(
    decided: DecisionResult, name: str
) -> None:
    answer = decided[name]
    assert isinstance(answer, OptionsAnswer)
    assert answer.no_probability_reason is NoProbabilityReason.LABEL_MASS_BELOW_FLOOR
    assert answer.choice is None
    assert not answer.probabilities
    assert 0.0 < answer.label_mass < 0.2
