"""Test cases of DeepEval are measured by a Groundwire server, as in `deepeval_metric.py HOST:PORT`.

It needs `pip install './clients/python[deepeval]'` and a server: `groundwire serve`. DeepEval tells
its maker that it ran, unless DEEPEVAL_TELEMETRY_OPT_OUT=1 is set.
"""

import sys

from deepeval import evaluate
from deepeval.evaluate.configs import CacheConfig, DisplayConfig, ErrorConfig
from deepeval.test_case import LLMTestCase

from groundwire import Client
from groundwire.evaluators.deepeval import GroundednessMetric

GUIDE = [
    "The Galata Tower was built by the Genoese in 1348.",
    "The tower has nine floors. Its walls are 3.75 metres thick.",
]
ANSWERS = {
    "When was the Galata Tower built?": "The Galata Tower was built by the Genoese in 1348.",
    "How many floors does it have?": "The tower has nine floors. It is the tallest in Turkey.",
}


def main(target: str) -> None:
    """Measures both answers; one that could not be verified is an error, and no success."""
    cases = [
        LLMTestCase(input=question, actual_output=answer, retrieval_context=list(GUIDE))
        for question, answer in ANSWERS.items()
    ]
    with Client(target, timeout_s=120) as client:
        found = evaluate(
            cases,
            [GroundednessMetric(client, threshold=0.7)],
            display_config=DisplayConfig(show_indicator=False, print_results=False),
            cache_config=CacheConfig(write_cache=False),
            error_config=ErrorConfig(ignore_errors=True),
        )
    for result in found.test_results:
        for data in result.metrics_data or ():
            print(f"{result.actual_output}\n  {data.name}: {data.score}, success {data.success}")
            print(f"  {data.reason or data.error}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051")
