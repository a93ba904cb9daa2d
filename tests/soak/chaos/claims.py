"""What is asked while something goes, what is right of it, and what became of it.

Half of the claims are true by their evidence: a claim that is not must never be SUPPORTED, whatever
failed.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_verifier.engine.queue.engine import TokenReading
from tests.scripted import ScriptedEngine

CALLS = 12
CLAIMS = 6
READ_S = 0.01
LATEST_S = 0.4
"""The event comes at any time until then."""


@dataclass(slots=True)
class Tally:
    """What became of the calls of one event: how many, by outcome; and what must not happen."""

    event: str
    rounds: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    """What was measured beside, by its name with its unit."""

    def as_json(self) -> dict[str, object]:
        """The same for a file of results."""
        outcomes = dict(sorted(self.outcomes.items()))
        counted = {"event": self.event, "rounds": self.rounds, "outcomes": outcomes}
        measured = {"figures": self.figures} if self.figures else {}
        return {**counted, **measured, "faults": self.faults}


def truth(number: int) -> bool:
    """Whether a claim is true by its evidence."""
    return number % 2 == 0


def passage(town: str) -> str:
    """The evidence of a round."""
    return " ".join(f"The bridge of {town} {i} is {i + 20} metres long." for i in range(CLAIMS))


def claim(town: str, number: int) -> str:
    """A claim about it, with another length where it is not true."""
    metres = number + 20 if truth(number) else number + 900
    return f"The bridge of {town} {number} is {metres} metres long."


def answered(prompt: str) -> tuple[float, float]:
    """What the scripted engine reads: YES only where the evidence states the claim."""
    context, _, asked = prompt.rpartition("\nClaim: ")
    sentence = asked.partition("\n")[0]
    return (0.97, 0.01) if sentence and sentence in context else (0.02, 0.95)


def texts_of(town: str) -> list[str]:
    """The claims about a town."""
    return [claim(town, number) for number in range(CLAIMS)]


def answer_of(town: str) -> str:
    """An answer that makes these claims."""
    return " ".join(f"{text[:-1]} [S0]." for text in texts_of(town))


def answer_request(town: str) -> pb.VerifyAnswerRequest:
    """What VerifyAnswer is asked about it, as a message of the contract."""
    source = pb.Source(id="S0", document=pb.Document(text=passage(town)))
    return pb.VerifyAnswerRequest(answer=answer_of(town), evidence=pb.Evidence(sources=[source]))


def judged(found: Iterable[tuple[str, str]]) -> str:
    """Claims and their verdicts in words; "WRONG" where one is SUPPORTED that is not true."""
    unread = 0
    for text, verdict in found:
        number = int(text.split(" is ")[0].rsplit(" ", 1)[1])
        if verdict == "SUPPORTED" and not truth(number):
            return f"WRONG: {text}"
        unread += verdict == "NOT_VERIFIED"
    return "whole" if not unread else "in part, the rest NOT_VERIFIED"


def chance_of(seed: str) -> random.Random:
    """The draws of a run."""
    return random.Random(seed)  # noqa: S311 - a fixed choice, not a secret


class UnevenEngine(ScriptedEngine):
    """Some reads take longer than others, so that an event finds calls that are half read."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.answer, self.step_prompts = answered, 4
        self._chance = chance

    async def read(self, *asked: Any) -> TokenReading:  # noqa: ANN401 - as they came
        """As the script has it, a while later."""
        await asyncio.sleep(self._chance.uniform(0.0, 2 * READ_S))
        return await super().read(*asked)
