"""A question as the model reads it: its text, its template, and the words to answer with.

White space in the texts of an option becomes single spaces, so that each stays on its own line.
Knows the wording. Does not know models or limits.
"""

import string
from collections.abc import Sequence

from groundwire_verifier.decisions.types import (
    Choice,
    DecisionInput,
    DecisionQuestion,
    Option,
    OptionLabels,
    Predicate,
    Score,
)
from groundwire_verifier.domain.types import Question, Template


def context_of(asked: DecisionInput) -> str:
    """What all questions are asked on: the state comes first, so that it is shared by most."""
    return f"{asked.state}\n\n{asked.instructions}" if asked.instructions else asked.state


def question_text(question: DecisionQuestion) -> str:
    """A question with its options, a line each."""
    asked = question.asked
    lines = [question.instructions.strip()] if question.instructions.strip() else []
    if isinstance(asked, Predicate):
        for label, when in (("YES", asked.true_when), ("NO", asked.false_when)):
            if when.strip():
                lines.append(f"{label}: {_one_line(when)}")
    elif isinstance(asked, Choice) and asked.labels is OptionLabels.NAMES:
        lines += [_described(option) for option in asked.options]
    else:
        options = asked.options if isinstance(asked, Choice) else asked.levels
        lines += [
            f"{label}: {_described(option, ' - ')}"
            for label, option in zip(option_labels(question), options, strict=True)
        ]
    return "\n".join(lines)


def option_labels(question: DecisionQuestion) -> tuple[str, ...]:
    """The words that are read: letters, names or digits; none for a predicate."""
    match question.asked:
        case Choice(options, OptionLabels.NAMES):
            return option_names(options)
        case Choice(options):
            return tuple(string.ascii_uppercase[: len(options)])
        case Score(levels):
            return tuple(string.digits[: len(levels)])
        case Predicate():
            return ()


def option_names(options: Sequence[Option]) -> tuple[str, ...]:
    """The names as they are read."""
    return tuple(_one_line(option.name) for option in options)


def as_read(question: DecisionQuestion, context: str, cache_salt: str) -> Question:
    """A question on its context. A predicate is a claim, and is read as all claims are."""
    return Question(
        question_text(question),
        context,
        _template(question.asked),
        cache_salt=cache_salt,
        options=option_labels(question),
    )


def _template(asked: Predicate | Choice | Score) -> Template:
    match asked:
        case Predicate():
            return Template.YES_NO
        case Choice(labels=OptionLabels.NAMES):
            return Template.NAME_CHOICE
        case Choice():
            return Template.LETTER_CHOICE
        case Score():
            return Template.SCORE


def _described(option: Option, separator: str = ": ") -> str:
    name, description = _one_line(option.name), _one_line(option.description)
    return f"{name}{separator}{description}" if description else name


def _one_line(text: str) -> str:
    return " ".join(text.split())
