"""An agent of LangChain whose answers are verified before they are returned.

It needs `pip install './clients/python[langchain]'` and a server: `groundwire serve`. What the
agent's own model would say is written down here: an answer with a mistake, then one without.

    python examples/evaluators/langchain_gate.py HOST:PORT
"""

import sys
from typing import Self

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool

from groundwire import Client
from groundwire.evaluators.langchain import GroundednessGate

QUESTION = "When was the Galata Tower built, and how tall is it?"
SAID = [
    AIMessage("", tool_calls=[{"name": "look_up", "args": {"about": "Galata Tower"}, "id": "1"}]),
    AIMessage("The Galata Tower was built in 1348. It has forty floors of glass."),
    AIMessage("The Galata Tower was built in 1348."),
]


class WrittenDown(GenericFakeChatModel):
    """A model that says what is written down, and what it was told before it answers again."""

    def bind_tools(self, tools: object, **_: object) -> Self:
        """Tools change nothing in what is written down."""
        return self


@tool
def look_up(about: str) -> str:
    """Looks something up in a guide."""
    return "The Galata Tower was built by the Genoese in 1348. The tower has nine floors."


def main(target: str) -> None:
    """Asks the agent once, and prints what its user gets and what became of its answers."""
    with Client(target) as client:
        gate = GroundednessGate(client, ungrounded="retry", max_retries=1)
        agent = create_agent(WrittenDown(messages=iter(SAID)), [look_up], middleware=[gate])
        state = agent.invoke({"messages": [HumanMessage(QUESTION)]})
    for message in state["messages"]:
        print(f"{message.type}: {message.text or message.tool_calls[0]['name']}")
    print(state["messages"][-1].response_metadata["groundwire"])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051")
