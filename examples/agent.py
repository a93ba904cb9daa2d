"""An agent that checks its memory, its reasoning and its output, as in `agent.py HOST:PORT`.

The server has to run with memory_gate_enabled, trace_auditing_enabled and
output_verification_enabled. What the agent's own model would say is written down here.
"""

import sys

from groundwire import (
    CheckedFact,
    Client,
    Document,
    Evidence,
    FactInput,
    MemoryGate,
    Turn,
    TurnRole,
    attempted,
)

QUESTION = "Which of the two towers is taller?"
FOUND = [
    Document("S0", "The Mill Tower in Ashford is 48 m high. It was built in 1871 of red brick."),
    Document("S1", "The Clock Tower in Ashford is 62 m high. It has four faces."),
]
FACTS = ["The Mill Tower is 48 m high.", "The Clock Tower has nine bells made of gold."]
STEPS = ["The Mill Tower is 48 m high.", "The Clock Tower is 62 m high."]
OUTPUT = "The Clock Tower is 62 m high [S1]. The Mill Tower was built in 1650 [S0]."


def main(target: str) -> None:
    """One turn of the agent; nothing that goes wrong with a check stops it."""
    memory: list[CheckedFact] = []
    with Client(target, timeout_s=60) as client:
        facts = [FactInput(text) for text in FACTS]
        written = MemoryGate(client).write(facts, memory.append, Evidence.documents(FOUND))
        for fact in memory:
            print(f"remembered at {fact.confidence:.2f}, {fact.decision}: {fact.text}")
        for fact in written.rejected:
            print(f"not remembered, {fact.reason}: {fact.text}")

        audit = attempted(client.audit_trace, STEPS, Evidence.documents(FOUND)).result
        for step in audit or ():
            print(f"reasoned, {step.status}: {step.text}")

        turns = [Turn(TurnRole.USER, QUESTION)]
        sent = attempted(client.submit_verification, OUTPUT, turns, documents=FOUND).result
        print(f"said: {OUTPUT}")
        # The user has the output by now. The agent corrects itself if there is a reason.
        watched = attempted(lambda: list(client.watch_verification(sent.id if sent else "")))
        last = watched.result[-1] if watched.result else sent
        if last is not None and last.result is not None and last.result.instruction:
            print(f"to correct, {last.result.risk_bits:.1f} bits: {last.result.instruction}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051")
