"""The data of claims that a model finds."""

import json
from dataclasses import dataclass
from enum import Enum

from groundwire_verifier.domain.claims import Claim
from groundwire_verifier.domain.errors import VerifierError


class Extractor(Enum):
    """Who finds the claims of a text."""

    RULES = "the rules"
    MODEL = "a model"


class Fallback(Enum):
    """Why the rules found the claims where a model was to."""

    BACKEND_FAILED = "the model's backend gave no answer"
    OUT_OF_TIME = "the model was not done in its time, or would not have been"
    TOO_LONG = "the text is too long for the model"
    CUT_SHORT = "the model's answer was cut short"
    MALFORMED = "the model's answer does not have the form that was asked for"
    NOTHING_TRACED = "no claim of the model could be traced to the text"


@dataclass(frozen=True, slots=True)
class Extraction:
    """How the claims of a text were found.

    `fallback` is why the rules did where a model was asked for, else None. `dropped` counts the
    claims of the model that could not be traced to the text, `restored` those of the rules that the
    model had left out. `backend` and `model` are those that were asked, empty where none was.
    """

    extractor: Extractor = Extractor.RULES
    fallback: Fallback | None = None
    dropped: int = 0
    restored: int = 0
    backend: str = ""
    model: str = ""


BY_RULES = Extraction()


@dataclass(frozen=True, slots=True)
class Extracted:
    """The claims of a text in its order, and how they were found."""

    claims: tuple[Claim, ...]
    extraction: Extraction


class UnusableAnswerError(VerifierError):
    """What a model wrote cannot be used."""

    def __init__(self, fallback: Fallback) -> None:
        super().__init__(fallback.value)
        self.fallback = fallback


MAX_CLAIM_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class Written:
    """A claim that a model wrote, and the words of the text that it says it stands on."""

    quote: str
    claim: str


def read_answer(answer: str) -> list[Written | None]:
    """The claims of an answer; None for one that has not the form that was asked for.

    Words around the JSON are passed over. Raises UnusableAnswerError.
    """
    begins, ends = answer.find("{"), answer.rfind("}")
    if begins < 0:
        raise UnusableAnswerError(Fallback.MALFORMED)
    try:
        found: object = json.loads(answer[begins : ends + 1])
    except (ValueError, RecursionError):
        is_whole = answer.rstrip().rstrip("`").rstrip().endswith("}")
        raise UnusableAnswerError(Fallback.MALFORMED if is_whole else Fallback.CUT_SHORT) from None
    claims = found.get("claims") if isinstance(found, dict) else None
    if not isinstance(claims, list):
        raise UnusableAnswerError(Fallback.MALFORMED)
    return [_written(claim) for claim in claims]


def _written(claim: object) -> Written | None:
    if not isinstance(claim, dict):
        return None
    quote, text = claim.get("quote"), claim.get("claim")
    if not isinstance(quote, str) or not isinstance(text, str):
        return None
    text = " ".join(text.split())
    return Written(quote, text) if 0 < len(text) <= MAX_CLAIM_CHARACTERS else None
