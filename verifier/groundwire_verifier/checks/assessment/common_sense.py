"""Layer 2: what a model is asked of an exchange by common sense, and which answers are a
concern."""

from enum import Enum

from groundwire_verifier.domain.types import Label


class CommonSense(Enum):
    """The questions, each with its wording, asked with `Template.ASSESSMENT`.

    A change of a wording needs a new version of the template, and the embedded model to be taught.
    """

    MAKES_SENSE = "Does the response make sense?"
    CONTRADICTS_ITSELF = "Does the response contradict itself?"
    LIVE_DATA_WITHOUT_CALL = (
        "Does the response state live data, such as weather, prices or rates, that no tool call "
        "gave?"
    )
    VAGUE_AS_FACT = "Does the response state something vague as if it were a fact?"
    FABRICATED = "Is something in the response made up?"


CONCERNS = {
    question: Label.NO if question is CommonSense.MAKES_SENSE else Label.YES
    for question in CommonSense
}
"""The answer to each question that is a concern."""

_LETTERS = {label.value[0]: label for label in Label} | {"-": None}


def labels_of(letters: str) -> tuple[Label | None, ...]:
    """The labels of letters such as YNNU-: Y, N or U as a label begins, - where nobody knows.

    Raises KeyError for another letter.
    """
    return tuple(_LETTERS[letter] for letter in letters)
