"""What is learnt from: a context and the questions that are asked about it.

Data only. All questions of a tree are learnt in one pass over its context.
"""

from dataclasses import dataclass

from groundwire_verifier.domain.types import Label, Template


@dataclass(frozen=True, slots=True)
class Leaf:
    """One question with its answer. `ingredient` names the rule that made it."""

    claim: str
    answer: Label
    ingredient: str
    template: Template = Template.YES_NO


@dataclass(frozen=True, slots=True)
class Tree:
    """A context and its questions, at least one. `source` is the data set."""

    context: str
    leaves: tuple[Leaf, ...]
    source: str


def ask(claim: str, supported: bool, ingredient: str) -> Leaf:
    """The YES/NO question about a claim."""
    return Leaf(claim, Label.YES if supported else Label.NO, ingredient)


def ask_stance(claim: str, answer: Label) -> Leaf:
    """The YES/NO/UNSURE question about a claim."""
    return Leaf(claim, answer, "stance", Template.YES_NO_UNSURE)
