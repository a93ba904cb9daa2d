"""Two responses are evaluated with Ragas by a Groundwire server.

It needs `pip install './clients/python[ragas]'` and a server: `groundwire serve`. Ragas tells its
maker that it ran, unless RAGAS_DO_NOT_TRACK=true is set.

    python examples/evaluators/ragas_evaluation.py HOST:PORT
"""

import sys

from ragas import EvaluationDataset, SingleTurnSample, evaluate

from groundwire import Client
from groundwire.evaluators.ragas import GroundednessMetric

CONTEXTS = ["The Galata Tower has nine floors.", "It was built by the Genoese in 1348."]
RESPONSES = ["The tower was built in 1348.", "The tower was built in 1348. It has forty floors."]


def main(target: str) -> None:
    """Evaluates the responses, and prints the score of each."""
    samples = [
        SingleTurnSample(user_input="How old is it?", response=text, retrieved_contexts=CONTEXTS)
        for text in RESPONSES
    ]
    with Client(target) as client:
        found = evaluate(
            EvaluationDataset(samples=samples),
            metrics=[GroundednessMetric(client)],
            show_progress=False,
        )
    print(found.to_pandas()[["response", "groundedness"]])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051")
