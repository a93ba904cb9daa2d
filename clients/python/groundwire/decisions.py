"""Questions over one state, and what a server answered: yes or no, one of some options, a level.

No answer is not a low probability: where the model put too little on the labels there is none.
Knows no protobuf.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from groundwire.results import Estimate, NoProbabilityReason, Source, Timing, Usage


class OptionLabels(StrEnum):
    """What stands for the options of a choice, and is read."""

    LETTERS = "LETTERS"
    """A letter each, from A."""
    NAMES = "NAMES"
    """Their names, by the first token of each; refused where two share it."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a choice, or a level of a score."""

    name: str
    """It has a visible character; those of a question differ."""
    description: str = ""
    """What it means; empty: the name says enough."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """Asks whether a statement about the state is true. It is read as a claim on it is."""

    instructions: str
    """The statement."""
    true_when: str = ""
    """What counts as true; empty: the statement says enough."""
    false_when: str = ""
    """What counts as false; empty: the statement says enough."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Asks for one of some options."""

    instructions: str
    """The question."""
    options: tuple[str | Option, ...]
    """2 to 26 options; a str is a name."""
    labels: OptionLabels = OptionLabels.LETTERS
    """What stands for them."""


@dataclass(frozen=True, slots=True)
class Score:
    """Asks for one of some levels."""

    instructions: str
    """The question."""
    levels: tuple[str | Option, ...]
    """2 to 10 levels from the lowest, which counts 0; a str is a name."""


Question = Predicate | Choice | Score


@dataclass(frozen=True, slots=True)
class OptionsAnswer:
    """What was read for a choice or a score."""

    probabilities: Mapping[str, float]
    """By the names of options or levels, in their order, adding up to 1. Empty: the model could not
    answer."""
    choice: str | None
    """The name of the likeliest; None without probabilities."""
    score: float | None
    """The mean of the levels' numbers, from 0, weighted by their probabilities; None for a choice,
    and without probabilities."""
    confidence: float
    """The probability of the likeliest over the full vocabulary, in [0, 1]."""
    label_mass: float
    """What the model put on all options, over the full vocabulary, in [0, 1]."""
    source: Source
    """Where the reading came from."""
    no_probability_reason: NoProbabilityReason | None
    """Why there are no probabilities; None exactly when there are."""


Answer = Estimate | OptionsAnswer
"""A predicate is answered by an estimate, whose probability is that of true."""


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """The answer to `decide`. Iterating gives the names of the questions."""

    answers: Mapping[str, Answer]
    """By the names of the questions, in their order."""
    usage: Usage
    """What the call cost in tokens."""
    timing: Timing
    """Where the server's time went."""
    model: str
    """The name of the model that answered."""
    backend: str
    """The name of the backend that answered."""

    def __iter__(self) -> Iterator[str]:
        return iter(self.answers)

    def __getitem__(self, name: str) -> Answer:
        return self.answers[name]
