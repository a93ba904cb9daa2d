"""Answers of a RAG pipeline are evaluated by Haystack, as in `haystack_evaluation.py HOST:PORT`.

It needs `pip install './clients/python[haystack]'` and a server: `groundwire serve`.
"""

import sys

from haystack import Pipeline
from haystack.evaluation import EvaluationRunResult

from groundwire.evaluators.haystack import GroundednessEvaluator

GUIDE = [
    "The Galata Tower was built by the Genoese in 1348.",
    "The tower has nine floors. Its walls are 3.75 metres thick.",
]
QUESTIONS = ["When was the Galata Tower built?", "How many floors does it have?"]
ANSWERS = [
    "The Galata Tower was built by the Genoese in 1348.",
    "The tower has nine floors. It is the tallest in Turkey.",
]


def main(target: str) -> None:
    """Evaluates both answers, and prints each and what Haystack makes of them."""
    pipeline = Pipeline()
    evaluator = GroundednessEvaluator(target, raise_on_failure=False)
    pipeline.add_component("groundedness", evaluator)
    inputs = {
        "questions": QUESTIONS,
        "contexts": [GUIDE] * len(QUESTIONS),
        "predicted_answers": ANSWERS,
    }
    found = pipeline.run({"groundedness": inputs})["groundedness"]
    for answer, result in zip(ANSWERS, found["results"], strict=True):
        print(f"{result['status']} {result['score']:.2f}: {answer}\n  {result['reason']}")
    report = EvaluationRunResult("towers", inputs, {"groundedness": found})
    print(report.aggregated_report())


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051")
