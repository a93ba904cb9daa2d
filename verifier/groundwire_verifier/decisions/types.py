"""What is asked of a state, and what was read: frozen, typed.

Knows no behaviour but sums over probabilities.
"""

from dataclasses import dataclass
from enum import Enum

from groundwire_verifier.domain.types import Estimate, NoProbabilityReason, Source, Usage

MAX_OPTIONS = 26
"""Of a choice: one for each letter."""

MAX_LEVELS = 10
"""Of a score: one for each digit."""

MIN_OPTIONS = 2
"""Of a choice, and levels of a score: with one there is nothing to decide."""

MAX_NAME_CHARACTERS = 200
"""Of a question's own name."""

MIN_OPTION_MASS = 0.5
"""The share of its next token that a model has to put on options, whatever the label mass floor is.
With less its answer is most likely another word, and their proportions say nothing."""


class OptionLabels(Enum):
    """What stands for the options of a choice, and is read: letters, or the options' own names."""

    LETTERS = "letters"
    NAMES = "names"


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a choice, or a level of a score."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Predicate:
    """Whether a statement is true. The two texts say what counts as that, and what does not."""

    true_when: str = ""
    false_when: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of some options."""

    options: tuple[Option, ...]
    labels: OptionLabels = OptionLabels.LETTERS


@dataclass(frozen=True, slots=True)
class Score:
    """Which of some levels, in their order; the first counts 0."""

    levels: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class DecisionQuestion:
    """A question about the state. `name` is the caller's own for it, and is not read."""

    instructions: str
    asked: Predicate | Choice | Score
    name: str = ""


@dataclass(frozen=True, slots=True)
class DecisionInput:
    """Questions over one state. `instructions` are said of all of them.

    An empty `backend` is the default one.
    """

    state: str
    questions: tuple[DecisionQuestion, ...]
    instructions: str = ""
    backend: str = ""


@dataclass(frozen=True, slots=True)
class OptionsAnswer:
    """What was read for a choice or a score.

    `probabilities` are of the options, in their order, and add up to 1; empty exactly when `reason`
    is set. `label_mass` is what the model put on all of them, over the full vocabulary.
    """

    probabilities: tuple[float, ...]
    label_mass: float
    source: Source
    reason: NoProbabilityReason | None

    @property
    def likeliest(self) -> int | None:
        """The index of the likeliest option, the first among equals."""
        shares = self.probabilities
        return max(range(len(shares)), key=shares.__getitem__) if shares else None

    @property
    def confidence(self) -> float:
        """The probability of the likeliest option over the full vocabulary, in [0, 1]."""
        return max(self.probabilities, default=0.0) * self.label_mass

    @property
    def expected(self) -> float | None:
        """The mean of the levels' indexes, weighted by their probabilities."""
        if not self.probabilities:
            return None
        return sum(level * share for level, share in enumerate(self.probabilities))


@dataclass(frozen=True, slots=True)
class Decisions:
    """The answers, one a question in their order: a predicate has an estimate. And their cost."""

    answers: tuple[Estimate | OptionsAnswer, ...]
    usage: Usage
    queue_s: float
    inference_s: float
    model: str
    backend: str
