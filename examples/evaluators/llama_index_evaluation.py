"""Responses are evaluated by LlamaIndex, as in `llama_index_evaluation.py HOST:PORT`.

It needs `pip install './clients/python[llama-index]'` and a server: `groundwire serve`.
"""

import asyncio
import sys

from llama_index.core.evaluation import BatchEvalRunner

from groundwire import Client
from groundwire.evaluators.llama_index import GroundednessEvaluator

GUIDE = [
    "The Galata Tower was built by the Genoese in 1348.",
    "The tower has nine floors. Its walls are 3.75 metres thick.",
]
ANSWERS = {
    "When was the Galata Tower built?": "The Galata Tower was built by the Genoese in 1348.",
    "How many floors does it have?": "The tower has nine floors. It is the tallest in Turkey.",
}


async def main(target: str) -> None:
    """Evaluates both responses, two at a time."""
    with Client(target, timeout_s=120) as client:
        runner = BatchEvalRunner({"groundedness": GroundednessEvaluator(client)}, workers=2)
        found = await runner.aevaluate_response_strs(
            queries=list(ANSWERS),
            response_strs=list(ANSWERS.values()),
            contexts_list=[GUIDE] * len(ANSWERS),
        )
    for result in found["groundedness"]:
        print(f"{result.response}\n  score {result.score}, passing {result.passing}")
        print(f"  {result.invalid_reason if result.invalid_result else result.feedback}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051"))
