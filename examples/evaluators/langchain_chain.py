"""A chain of LangChain whose answer is verified by what was retrieved, as one of its steps.

It needs `pip install './clients/python[langchain]'` and a server: `groundwire serve`. What a
retriever finds and a model answers is written down here.

    python examples/evaluators/langchain_chain.py HOST:PORT
"""

import sys
from typing import Any

from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from groundwire import Client
from groundwire.evaluators.langchain import WITHHELD, GroundednessCheck

FOUND = [
    Document("The Galata Tower has nine floors.", metadata={"title": "A guide"}),
    Document("It was built by the Genoese in 1348."),
]


def answer(question: str) -> dict[str, Any]:
    """What a retrieval chain gives."""
    return {"input": question, "context": FOUND, "answer": "It was built in 1348 [S1]."}


def shown(found: dict[str, Any]) -> str:
    """The answer if it is grounded, else what stands in its place."""
    report = found["groundwire"]
    print(report.grounding_ratio)
    return str(found["answer"]) if report.overall_grounded else WITHHELD


def main(target: str) -> None:
    """Asks the chain once, and prints what its user gets."""
    with Client(target) as client:
        chain = RunnableLambda(answer) | GroundednessCheck(client) | RunnableLambda(shown)
        print(chain.invoke("When was the Galata Tower built?"))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051")
