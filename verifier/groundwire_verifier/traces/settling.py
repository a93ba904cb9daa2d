"""Which steps have to be read now, and what they are judged by.

A step is judged by the steps before it that are entailed, which are known only when those are
judged. So each is read with the steps that are believed to hold: first all of them, then those that
held when they were read last. What was read with others than those that hold in the end is read
again. The verdicts that are settled are those of steps judged one after the other, whatever was
believed on the way. Does not read anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from groundwire_verifier.traces.steps import is_entailed
from groundwire_verifier.verdicts.types import ClaimVerdict

BELIEVING_ROUNDS = 3
"""Rounds in which all steps are read that a belief asks for. A trace that is not settled then
changes its mind at nearly every step, so each further round reads the next step alone."""


@dataclass(frozen=True, slots=True)
class StepQuestion:
    """A step by its index, and the indexes of the steps before it that are its evidence."""

    step: int
    premises: tuple[int, ...]


class Settling:
    """What is known of the steps of a trace. `asserts` says of each whether it claims anything."""

    def __init__(self, asserts: Sequence[bool]) -> None:
        self._asserting = [i for i, does in enumerate(asserts) if does]
        self._known: dict[StepQuestion, Sequence[ClaimVerdict]] = {}
        self._held: dict[int, bool] = {}
        self.rounds = 0

    def next_round(self) -> list[StepQuestion]:
        """What has to be read now, in the order of the steps; nothing if all are settled.

        The first of them is judged by what holds for certain, so each round settles one at least.
        """
        wanted: list[StepQuestion] = []
        premises: tuple[int, ...] = ()
        for step in self._asserting:
            question = StepQuestion(step, premises)
            if question not in self._known:
                wanted.append(question)
            if self._holds(question):
                premises = (*premises, step)
        self.rounds += bool(wanted)
        return wanted if self.rounds <= BELIEVING_ROUNDS else wanted[:1]

    def take(self, question: StepQuestion, verdicts: Sequence[ClaimVerdict]) -> None:
        """Take the verdicts of all claims of a step."""
        self._known[question] = verdicts
        self._held[question.step] = is_entailed(verdicts)

    def settled(self) -> dict[int, Sequence[ClaimVerdict]]:
        """The verdicts of the steps that were judged by what holds. The others are missing.

        A step that is missing is evidence for nothing, so those that were read with it are, too.
        """
        found: dict[int, Sequence[ClaimVerdict]] = {}
        premises: tuple[int, ...] = ()
        for step in self._asserting:
            verdicts = self._known.get(StepQuestion(step, premises))
            if verdicts is not None:
                found[step] = verdicts
                if is_entailed(verdicts):
                    premises = (*premises, step)
        return found

    def _holds(self, question: StepQuestion) -> bool:
        """Whether a step is entailed, or else whether it is believed to be."""
        verdicts = self._known.get(question)
        return self._held.get(question.step, True) if verdicts is None else is_entailed(verdicts)
